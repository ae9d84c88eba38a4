#include <fmt/ranges.h>

#include "schedule/decision_refs.h"
#include "schedule/trace_source.h"
#include "tilewright/support/error.h"

/// \file
/// Traces as source. Nothing here knows a primitive but split, whose usual form has a shorter spelling: the table of
/// signatures says how each is called.

namespace tilewright::schedule {
namespace {

constexpr size_t kWidth = 100;

class SourcePrinter {
 public:
  SourcePrinter(Trace trace, const SourceOptions& options, Language language)
      : trace_(std::move(trace)), options_(options), write_(language) {
    for (const Instruction& instruction : trace_.instructions) {
      used_.insert(instruction.inputs.begin(), instruction.inputs.end());
      uses_instructions_ = uses_instructions_ || instruction.op == "tensorize";
    }
  }

  std::string print() {
    open_function();
    for (const Instruction& instruction : trace_.instructions) print_step(instruction);
    line("return sch");
    if (cpp()) code_ += "}\n";
    return code_;
  }

 private:
  bool cpp() const { return write_.cpp(); }

  void line(const std::string& text) {
    const std::string whole = (cpp() ? "  " : "    ") + text + (cpp() ? ";" : "");
    code_ += wrapped(whole, kWidth) + "\n";
  }

  void open_function() {
    const std::string sketch =
        trace_.sketch.empty() ? "" : fmt::format(" of sketch {}", write_.quoted(trace_.sketch));
    if (cpp()) {
      code_ += fmt::format(
          "#include \"tilewright/schedule/schedule.h\"\n\n"
          "/// Applies the {} steps{} to the program they were made for.\n"
          "tilewright::schedule::Schedule {}({}const tilewright::ir::PrimFunc& func{}) {{\n"
          "  using namespace tilewright::schedule;\n",
          trace_.instructions.size(), sketch, options_.function, uses_instructions_ ? "\n    " : "",
          uses_instructions_ ? ",\n    const tilewright::schedule::TensorInstructions& instructions"
                             : "");
      line("Schedule sch(func)");
      if (uses_instructions_) {
        code_ +=
            "  for (const auto& [name, instruction] : instructions) "
            "sch.declare_instruction(instruction);\n";
      }
    } else {
      code_ += fmt::format(
          "import tilewright as tw\n\n\n"
          "def {}({}) -> tw.Schedule:\n"
          "    \"\"\"Applies the {} steps{} to the program they were made for.\"\"\"\n",
          options_.function,
          uses_instructions_ ? "\n    func: tw.PrimFunc, instructions: list[tuple[str, "
                               "tw.PrimFunc, tw.PrimFunc]]\n"
                             : "func: tw.PrimFunc",
          trace_.instructions.size(), sketch);
      line("sch = tw.Schedule(func)");
      if (uses_instructions_) {
        code_ +=
            "    for instruction in instructions:\n"
            "        sch.declare_instruction(*instruction)\n";
      }
    }
    if (!trace_.sketch.empty())
      line(fmt::format("sch.set_sketch({})", write_.quoted(trace_.sketch)));
    print_presets();
  }

  // Is the sampling step printed as such?
  bool samples(const Signature& signature) const {
    return !options_.fix_decisions || signature.result == ResultType::kMaybeLoop;
  }

  void print_presets() {
    std::vector<std::string> items;
    for (const Instruction& instruction : trace_.instructions) {
      const Signature& signature = signature_of(instruction);
      if (!is_sampling(signature) || !samples(signature)) continue;
      const std::string name = decision_name(instruction);
      const Value* value = find_value({name, std::nullopt}, trace_.decisions);
      if (!value) continue;
      items.push_back(cpp() ? fmt::format("{{{}, {}}}", write_.quoted(name), write_.value(*value))
                            : fmt::format("{}: {}", write_.quoted(name), write_.value(*value)));
    }
    if (!items.empty()) line(fmt::format("sch.preset_decisions({{{}}})", fmt::join(items, ", ")));
  }

  static bool is_sampling(const Signature& signature) {
    return signature.result == ResultType::kInt || signature.result == ResultType::kInts ||
           signature.result == ResultType::kMaybeLoop;
  }

  static std::string decision_name(const Instruction& instruction) {
    const auto it = instruction.attrs.find("name");
    const auto* name =
        it == instruction.attrs.end() ? nullptr : std::get_if<std::string>(&it->second.data);
    if (!name)
      fail("trace.print", "an instruction '{}' lacks its attribute 'name'", instruction.op);
    return *name;
  }

  static const Signature& signature_of(const Instruction& instruction) {
    const Signature* signature = find_signature(instruction.op);
    if (!signature) {
      fail("trace.unknown_primitive", "the trace uses primitive '{}', unknown to this version",
           instruction.op);
    }
    return *signature;
  }

  void print_step(const Instruction& instruction) {
    const Signature& signature = signature_of(instruction);
    if (is_sampling(signature) && !samples(signature)) return;
    if (!fits(instruction, signature)) {
      print_general(instruction, signature);
      return;
    }
    const std::string call = call_of(instruction, signature);
    bool is_used = false;
    for (const std::string& output : instruction.outputs) is_used |= used_.count(output) > 0;
    if (signature.result == ResultType::kInt || signature.result == ResultType::kInts) {
      const std::string name = decision_name(instruction);
      const std::string variable = names_.fresh(name);
      names_.decisions[name] = variable;
      const char* type = signature.result == ResultType::kInt ? "Int" : "std::vector<Int>";
      line(cpp() ? fmt::format("const {} {} = {}", type, variable, call)
                 : fmt::format("{} = {}", variable, call));
    } else if (!is_used) {
      line(call);
    } else {
      const bool is_list = signature.result == ResultType::kLoops;
      line(cpp() ? bind_in_cpp(instruction, signature, call)
                 : bind_in_python(instruction, call, is_list));
    }
  }

  // Has the instruction nothing that the method does not take? Attributes that only a migration gives have no
  // argument.
  static bool fits(const Instruction& instruction, const Signature& signature) {
    size_t known = 0, operands = 0;
    bool takes_all = false;
    for (const Param& param : signature.params) {
      known += !param.is_operand() && instruction.attrs.count(param.name);
      operands += param.is_operand();
      takes_all = takes_all || param.type == ParamType::kLoops;
    }
    return known == instruction.attrs.size() &&
           (takes_all || operands == instruction.inputs.size());
  }

  // The step by the name of its primitive, through Schedule::apply.
  void print_general(const Instruction& instruction, const Signature& signature) {
    if (is_sampling(signature)) {
      fail("trace.print", "an instruction '{}' has attributes that the primitive does not take",
           instruction.op);
    }
    std::vector<std::string> operands, attributes;
    for (const std::string& input : instruction.inputs)
      operands.push_back(handle(instruction, input));
    for (const auto& [name, value] : instruction.attrs) {
      const std::string text =
          write_.value(options_.fix_decisions ? resolve(value, trace_.decisions) : value);
      attributes.push_back(cpp() ? fmt::format("{{{}, {}}}", write_.quoted(name), text)
                                 : fmt::format("{}={}", name, text));
    }
    if (!cpp()) {
      attributes.insert(attributes.begin(), write_.list(operands));
      const std::string call = fmt::format("sch.apply({}, {})", write_.quoted(instruction.op),
                                           fmt::join(attributes, ", "));
      line(instruction.outputs.empty() ? call : bind_in_python(instruction, call, true));
      return;
    }
    const std::string call =
        fmt::format("sch.apply({{{}, {}, {}}}).value()", write_.quoted(instruction.op),
                    write_.list(operands), write_.list(attributes));
    const std::string results = names_.fresh("results");
    for (size_t i = 0; i < instruction.outputs.size(); ++i) {
      names_.handles[instruction.outputs[i]] =
          fmt::format("std::get<{}>({}[{}])",
                      instruction.outputs[i][0] == 'l' ? "Loop" : "BlockRef", results, i);
    }
    line(instruction.outputs.empty()
             ? call
             : fmt::format("const std::vector<Schedule::Result> {} = {}", results, call));
  }

  std::string handle(const Instruction& instruction, const std::string& name) const {
    const auto it = names_.handles.find(name);
    if (it == names_.handles.end()) {
      fail("trace.handle", "the trace uses handle '{}' in '{}' before any instruction makes it",
           name, instruction.op);
    }
    return it->second;
  }

  std::string bind_in_cpp(const Instruction& instruction, const Signature& signature,
                          const std::string& call) {
    if (signature.result == ResultType::kLoops) {
      const std::string list = names_.fresh(instruction.op == "get_loops" ? "loops" : "parts");
      for (size_t i = 0; i < instruction.outputs.size(); ++i) {
        names_.handles[instruction.outputs[i]] = fmt::format("{}[{}]", list, i);
      }
      return fmt::format("const std::vector<Loop> {} = {}", list, call);
    }
    const std::string variable = names_.fresh(instruction.outputs.at(0));
    names_.handles[instruction.outputs[0]] = variable;
    const bool is_block = signature.result == ResultType::kBlock;
    const bool may_lack = signature.result == ResultType::kMaybeLoop;
    return fmt::format("const {} {} = {}{}", is_block ? "BlockRef" : "Loop", variable, call,
                       may_lack ? ".value()" : "");
  }

  std::string bind_in_python(const Instruction& instruction, const std::string& call,
                             bool is_list) {
    std::vector<std::string> variables;
    for (const std::string& output : instruction.outputs) {
      variables.push_back(names_.fresh(output));
      names_.handles[output] = variables.back();
    }
    std::string left = fmt::format("{}", fmt::join(variables, ", "));
    if (is_list && variables.size() == 1) left = fmt::format("({},)", left);
    const bool too_long = left.size() + call.size() + 7 > kWidth;
    if (variables.size() > 1 && too_long) left = fmt::format("({})", left);
    return fmt::format("{} = {}", left, call);
  }

  std::string call_of(const Instruction& instruction, const Signature& signature) {
    std::vector<std::string> arguments;
    size_t next = 0;
    bool skipped = false;  // a default was left out, so that Python needs keywords from here on
    for (const Param& param : signature.params) {
      if (param.is_operand()) {
        add_operands(instruction, param, next, arguments);
        continue;
      }
      const auto it = instruction.attrs.find(param.name);
      if (it == instruction.attrs.end() && !param.has_default) {
        fail("trace.print", "an instruction '{}' lacks its attribute '{}'", instruction.op,
             param.name);
      }
      const Value& value = it == instruction.attrs.end() ? param.default_value : it->second;
      if (param.has_default && value == param.default_value &&
          !(cpp() && needed_in_cpp(instruction, signature, param))) {
        skipped = true;
        continue;
      }
      std::string text = argument(param, value);
      const bool by_name = !cpp() && (skipped || param.keyword_only || param.has_default ||
                                      param.type == ParamType::kFactors);
      arguments.push_back(by_name ? fmt::format("{}={}", param.name, text) : text);
    }
    return spelled(instruction, arguments);
  }

  // In C++ a default can be left out only when everything behind it is left out.
  static bool needed_in_cpp(const Instruction& instruction, const Signature& signature,
                            const Param& param) {
    bool behind = false;
    for (const Param& other : signature.params) {
      if (&other == &param) {
        behind = true;
      } else if (behind) {
        const auto it = instruction.attrs.find(other.name);
        if (!other.has_default) return true;
        if (it != instruction.attrs.end() && !(it->second == other.default_value)) return true;
      }
    }
    return false;
  }

  void add_operands(const Instruction& instruction, const Param& param, size_t& next,
                    std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    const size_t count = param.type == ParamType::kLoops ? instruction.inputs.size() - next : 1;
    for (size_t i = 0; i < count; ++i, ++next) {
      if (next >= instruction.inputs.size()) {
        fail("trace.print", "an instruction '{}' has too few operands", instruction.op);
      }
      names.push_back(handle(instruction, instruction.inputs[next]));
    }
    if (cpp() && param.type == ParamType::kLoops) {
      arguments.push_back(write_.list(names));
    } else {
      arguments.insert(arguments.end(), names.begin(), names.end());
    }
  }

  // split(loop, [None, 8]) is usually written split(loop, 8), in C++ split_factor.
  std::string spelled(const Instruction& instruction, std::vector<std::string>& arguments) const {
    std::string method = instruction.op;
    if (method == "split") {
      const auto* factors = std::get_if<Value::List>(&instruction.attrs.at("factors").data);
      if (factors && factors->size() == 2 && (*factors)[0].is_null() && !(*factors)[1].is_null()) {
        const Param inner{"factor", ParamType::kInt, false, Value(), false};
        arguments[1] = argument(inner, (*factors)[1]);
        if (cpp()) method = "split_factor";
      }
    }
    return fmt::format("sch.{}({})", method, fmt::join(arguments, ", "));
  }

  std::string variable_of(const DecisionRef& ref) const {
    if (!options_.fix_decisions) {
      if (const auto it = names_.decisions.find(ref.name); it != names_.decisions.end()) {
        return ref.index ? fmt::format("{}[{}]", it->second, *ref.index) : it->second;
      }
    }
    const Value* value = find_value(ref, trace_.decisions);
    if (!value) {
      fail("trace.decision", "the trace refers to decision '{}', which it does not contain",
           ref.name);
    }
    return write_.value(*value);
  }

  // A number, or the variable that holds the decision.
  std::string number(const Value& value) const {
    const auto* text = std::get_if<std::string>(&value.data);
    if (!text || text->empty() || text->front() != '$') return write_.value(value);
    if (options_.fix_decisions) return write_.value(resolve(value, trace_.decisions));
    if (const auto ref = whole_ref(*text, trace_.decisions)) return variable_of(*ref);
    return replace_refs(*text, [&](const DecisionRef& ref) { return variable_of(ref); });
  }

  std::string argument(const Param& param, const Value& value) const {
    const auto* items = std::get_if<Value::List>(&value.data);
    const auto* text = std::get_if<std::string>(&value.data);
    switch (param.type) {
      case ParamType::kText:
        if (text && options_.fix_decisions && param.name == "map") {
          return write_.quoted(insert_values(*text, trace_.decisions));
        }
        return write_.value(value);
      case ParamType::kFactors:
      case ParamType::kIntList:
      case ParamType::kNumbers:
      case ParamType::kRealList:
        if (items) return write_.list(numbers(*items));
        break;
      case ParamType::kPads:
        if (items) return pads(*items);
        break;
      default: return number(value);
    }
    fail("trace.print", "attribute '{}' is not a list", param.name);
  }

  std::vector<std::string> numbers(const Value::List& items) const {
    std::vector<std::string> texts;
    for (const Value& item : items) {
      texts.push_back(cpp() && item.is_null() ? "std::nullopt" : number(item));
    }
    return texts;
  }

  std::string pads(const Value::List& items) const {
    std::vector<std::string> texts;
    for (const Value& item : items) {
      const auto* pair = std::get_if<Value::List>(&item.data);
      if (!pair || pair->size() != 2) fail("trace.print", "an item of 'pad' is not a pair");
      texts.push_back(fmt::format(fmt::runtime(cpp() ? "{{{}, {}}}" : "{}: {}"), number((*pair)[0]),
                                  number((*pair)[1])));
    }
    return fmt::format("{{{}}}", fmt::join(texts, ", "));
  }

  const Trace trace_;
  const SourceOptions& options_;
  Literals write_;
  SourceNames names_;
  std::set<std::string> used_;
  bool uses_instructions_ = false;
  std::string code_;
};

}  // namespace

std::string Trace::to_cpp(const SourceOptions& options) const {
  return SourcePrinter(migrated(), options, Language::kCpp).print();
}

std::string Trace::to_python(const SourceOptions& options) const {
  return SourcePrinter(migrated(), options, Language::kPython).print();
}

}  // namespace tilewright::schedule
