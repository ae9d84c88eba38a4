#include <algorithm>

#include "fuzz/terms.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {
namespace {

enum class Language : uint8_t { kCpp, kPython };

std::string cpp_dtype(DType dtype) {
  std::string text = "k" + to_string(dtype);
  text[1] = static_cast<char>(text[1] - 'a' + 'A');
  if (text.starts_with("kUint")) text[2] = 'I';
  if (text.starts_with("kBfloat")) text[2] = 'F';
  return text;
}

std::string fill(std::string_view pattern, const std::vector<std::string>& operands) {
  std::string text;
  size_t next = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') {
      text += operands.at(next++);
      ++i;
    } else {
      text += pattern[i];
    }
  }
  return text;
}

std::string axis_name(const StageSpec& stage, int64_t axis, bool python) {
  const auto rank = static_cast<int64_t>(stage.shape.size());
  if (axis == rank && !stage.steps.empty()) {
    return fmt::format("{}_scan.step{}", stage.name, python ? "" : "()");
  }
  return axis < rank ? fmt::format("i{}", axis) : fmt::format("{}_k{}", stage.name, axis - rank);
}

class Writer {
 public:
  Writer(const ProgramSpec& spec, Language language)
      : spec_(spec), python_(language == Language::kPython) {}

  std::string write() {
    for (const std::string& size : sizes()) {
      line(python_ ? fmt::format("{0} = te.var(\"{0}\")", size)
                   : fmt::format("te::Var {0} = te::var(\"{0}\");", size));
    }
    std::vector<std::string> args;
    for (const InputSpec& input : spec_.inputs) {
      const std::string call =
          python_ ? fmt::format("te.placeholder({}, {}, \"{}\")", shape(input.shape),
                                dtype(input.dtype), input.name)
                  : fmt::format("te::placeholder({}, {}, \"{}\")", shape(input.shape),
                                dtype(input.dtype), input.name);
      assign("te::Tensor", input.name, call);
      args.push_back(input.name);
    }
    for (const StageSpec& stage : spec_.stages) {
      write_stage(stage);
      if (!stage.output) continue;
      for (int64_t v = 0; v < num_outputs(stage); ++v) args.push_back(tensor(stage.name, v));
    }
    for (const Term& term : spec_.assumptions) {
      args.push_back(fmt::format("{}assume({})", python_ ? "te." : "te::", expr(term, {})));
    }
    const std::string list = fmt::format("{}", fmt::join(args, ", "));
    line(python_ ? fmt::format("func = te.create_prim_func([{}], \"{}\")", list, spec_.name)
                 : fmt::format("ir::PrimFunc func = te::create_prim_func({{{}}}, \"{}\");", list,
                               spec_.name));
    return text_;
  }

 private:
  void line(const std::string& content) { text_ += (python_ ? "" : "    ") + content + "\n"; }
  void assign(const char* type, const std::string& name, const std::string& value) {
    line(python_ ? name + " = " + value : fmt::format("{} {} = {};", type, name, value));
  }
  std::string dtype(DType type) const {
    return python_ ? "\"" + to_string(type) + "\"" : cpp_dtype(type);
  }
  std::vector<std::string> sizes() const {
    std::vector<std::string> names;
    const auto add = [&](const std::vector<Dim>& dims) {
      for (const Dim& dim : dims) {
        if (!dim.size.empty() && std::find(names.begin(), names.end(), dim.size) == names.end()) {
          names.push_back(dim.size);
        }
      }
    };
    for (const InputSpec& input : spec_.inputs) add(input.shape);
    for (const StageSpec& stage : spec_.stages) {
      add(stage.shape);
      add(stage.reduce);
      add(stage.steps);
    }
    return names;
  }

  static std::string extent(const Dim& dim) {
    if (dim.size.empty()) return std::to_string(dim.value);
    return dim.value == 0 ? dim.size : fmt::format("{} + {}", dim.size, dim.value);
  }
  std::string shape(const std::vector<Dim>& dims) const {
    std::vector<std::string> items;
    for (const Dim& dim : dims) items.push_back(extent(dim));
    const std::string list = fmt::format("{}", fmt::join(items, ", "));
    if (python_) return "(" + list + (items.size() == 1 ? ",)" : ")");
    return "{" + list + "}";
  }

  std::string tensor(const std::string& name, int64_t output) const {
    for (const StageSpec& stage : spec_.stages) {
      if (stage.name == name && num_outputs(stage) > 1) return fmt::format("{}[{}]", name, output);
    }
    return name;
  }

  // A function of the axes with this body.
  std::string function(const StageSpec& stage, const std::string& body) const {
    std::vector<std::string> axes;
    for (size_t axis = 0; axis < stage.shape.size(); ++axis) {
      axes.push_back((python_ ? "" : "te::Var ") +
                     axis_name(stage, static_cast<int64_t>(axis), python_));
    }
    const std::string list = fmt::format("{}", fmt::join(axes, ", "));
    return python_ ? fmt::format("lambda{}: {}", list.empty() ? "" : " " + list, body)
                   : fmt::format("[&]({}) {{ return {}; }}", list, body);
  }

  void write_scan(const StageSpec& stage) {
    const std::string scan = stage.name + "_scan";
    const std::string steps = fmt::format("({}, \"{}\")", extent(stage.steps[0]), scan);
    line(python_ ? scan + " = te.Scan" + steps : "te::Scan " + scan + steps + ";");
    const auto body = [&](const Term& term) {
      return python_ ? expr(term, stage) : "te::Expr(" + expr(term, stage) + ")";
    };
    for (size_t v = 0; v < stage.values.size(); ++v) {
      const std::string name = fmt::format("{}_s{}", stage.name, v);
      const std::string options =
          python_ ? fmt::format("\"{}\", axis={}", name, stage.step_axis)
                  : fmt::format("te::ScanStateOptions{{\"{}\", {}}}", name, stage.step_axis);
      assign("te::ScanValue", name,
             fmt::format("{}.state({}, {}, {})", scan, shape(stage.shape),
                         function(stage, body(stage.init[v])), options));
    }
    for (size_t v = 0; v < stage.values.size(); ++v) {
      line(fmt::format("{0}.update({1}_s{2}, {3}){4}", scan, stage.name, v,
                       function(stage, body(stage.values[v])), python_ ? "" : ";"));
    }
    const bool several = stage.values.size() > 1;
    assign(several ? "std::vector<te::Tensor>" : "te::Tensor", stage.name,
           scan + ".finish()" + (several ? "" : "[0]"));
  }

  void write_stage(const StageSpec& stage) {
    if (!stage.steps.empty()) return write_scan(stage);
    const auto rank = static_cast<int64_t>(stage.shape.size());
    for (size_t i = 0; i < stage.reduce.size(); ++i) {
      const std::string name = axis_name(stage, rank + static_cast<int64_t>(i), python_);
      const std::string end = extent(stage.reduce[i]);
      assign("te::ReduceAxis", name,
             python_ ? fmt::format("te.reduce_axis({}, \"k{}\")", end, i)
                     : fmt::format("te::reduce_axis({}, \"k{}\")", end, i));
    }
    const ReducerRow* row = find_reducer(stage.reducer);
    if (row && row->user) declare_reducer(stage);
    const std::string body = value(stage);
    if (python_) {
      assign("", stage.name,
             fmt::format("te.compute(\n    {},\n    {},\n    \"{}\",\n)", shape(stage.shape),
                         function(stage, body), stage.name));
      return;
    }
    const bool several = num_outputs(stage) > 1;
    assign(several ? "std::vector<te::Tensor>" : "te::Tensor", stage.name,
           fmt::format("te::compute(\n        {}, {}, \"{}\")", shape(stage.shape),
                       function(stage, several ? body : "te::Expr(" + body + ")"), stage.name));
  }

  // The reducer of a stage that te has not built in, as a variable <stage>_fold.
  void declare_reducer(const StageSpec& stage) {
    const DType type = stage.values[0].dtype;
    const std::string zero = constant(type, 0), one = constant(type, 1), three = constant(type, 3);
    const std::string& name = stage.reducer;
    std::string combine, identity, algebra;
    const bool tuple = name == "compose" || name == "sum_and_max";
    if (name == "xor_all") combine = "a ^ b", identity = zero, algebra = "both";
    if (name == "horner") combine = "a * " + three + " + b", identity = zero;
    if (name == "compose") {
      combine = "a[0] * b[0], a[1] * b[0] + b[1]", identity = one + ", " + zero;
      algebra = "associative";
    }
    if (name == "sum_and_max") {
      combine = python_ ? "a[0] + b[0], te.maximum(a[1], b[1])"
                        : "a[0] + b[0], te::max(te::Expr(a[1]), te::Expr(b[1]))";
      identity = zero + ", " + lowest(type);
      algebra = "both";
    }
    if (python_) {
      std::string options;
      if (!algebra.empty()) options += ", associative=True";
      if (algebra == "both") options += ", commutative=True";
      assign("", stage.name + "_fold",
             fmt::format("te.reducer(lambda a, b: {}, {}, \"{}\"{})",
                         tuple ? "(" + combine + ")" : combine,
                         tuple ? "(" + identity + ")" : identity, name, options));
      return;
    }
    const std::string options = algebra == "both" ? ", {true, true}"
                                : algebra.empty() ? ""
                                                  : ", {true, false}";
    const std::string function =
        tuple ? fmt::format(
                    "[&](const std::vector<te::Var>& a, const std::vector<te::Var>& b) {{ return "
                    "std::vector<te::Expr>{{{}}}; }}",
                    combine)
              : fmt::format("[&](te::Expr a, te::Expr b) {{ return {}; }}", combine);
    assign("ir::Reducer", stage.name + "_fold",
           fmt::format("te::reducer(\"{}\", {}, {}{})", name, function,
                       tuple ? "std::vector<te::Expr>{" + identity + "}" : identity, options));
  }

  std::string lowest(DType type) const {
    if (!type.is_float()) {
      const int64_t least = type.is_uint() ? 0 : -(int64_t{1} << (type.bits - 2)) * 2;
      return constant(type, least);
    }
    return python_ ? fmt::format("te.constant({}, float(\"-inf\"))", dtype(type))
                   : fmt::format("te::constant({}, -INFINITY)", dtype(type));
  }

  std::string constant(DType type, int64_t number) const {
    // The smallest int64 is no literal of C++.
    const std::string digits =
        number == INT64_MIN && !python_ ? "INT64_MIN" : std::to_string(number);
    return fmt::format("{}({}, {})", python_ ? "te.constant" : "te::constant", dtype(type), digits);
  }

  std::string value(const StageSpec& stage) const {
    std::vector<std::string> sources;
    for (const Term& term : stage.values) sources.push_back(expr(term, stage));
    if (stage.reducer.empty()) return sources.at(0);
    std::vector<std::string> axes;
    for (size_t i = 0; i < stage.reduce.size(); ++i) {
      axes.push_back(axis_name(stage, static_cast<int64_t>(stage.shape.size() + i), python_));
    }
    const std::string where = stage.where.empty() ? "" : expr(stage.where[0], stage);
    const bool picks = stage.reducer == "argmax" || stage.reducer == "argmin";
    return python_ ? python_fold(stage, sources, axes, where, picks)
                   : cpp_fold(stage, sources, axes, where, picks);
  }

  std::string python_fold(const StageSpec& stage, const std::vector<std::string>& sources,
                          const std::vector<std::string>& axes, const std::string& where,
                          bool picks) const {
    std::string options;
    if (!where.empty()) options += ", where=" + where;
    if (picks) options += ", index=" + axes[0];
    if (!stage.accumulate.empty()) options += ", acc_dtype=\"" + stage.accumulate + "\"";
    const std::string list = fmt::format("[{}]", fmt::join(axes, ", "));
    if (!find_reducer(stage.reducer)->user) {
      return fmt::format("te.{}({}, {}{})", stage.reducer, sources[0], list, options);
    }
    const std::string terms =
        sources.size() > 1 ? fmt::format("({})", fmt::join(sources, ", ")) : sources[0];
    return fmt::format("{}_fold({}, {}{})", stage.name, terms, list, options);
  }

  std::string cpp_fold(const StageSpec& stage, const std::vector<std::string>& sources,
                       const std::vector<std::string>& axes, const std::string& where,
                       bool picks) const {
    std::string options = where.empty() ? "" : ", " + where;
    if (!stage.accumulate.empty()) {
      options = fmt::format(", {}, {}", where.empty() ? "te::Expr()" : where,
                            cpp_dtype(parse_dtype(stage.accumulate)));
    }
    const std::string list = fmt::format("te::Axes{{{}}}", fmt::join(axes, ", "));
    if (!find_reducer(stage.reducer)->user) {
      return fmt::format("te::{}({}{}, {}{})", stage.reducer, picks ? axes[0] + ", " : "",
                         sources[0], list, options);
    }
    const std::string terms =
        sources.size() > 1 ? fmt::format("std::vector<te::Expr>{{{}}}", fmt::join(sources, ", "))
                           : "te::Expr(" + sources[0] + ")";
    return fmt::format("te::reduce({}_fold, {}, {}{})", stage.name, terms, list, options);
  }

  std::string expr(const Term& term, const StageSpec& stage) const {
    if (term.op == "const") return constant(term.dtype, term.value);
    if (term.op == "axis") return axis_name(stage, term.value, python_);
    if (term.op == "size") return term.name;
    std::vector<std::string> args;
    for (const Term& arg : term.args) args.push_back(expr(arg, stage));
    if (term.op == "cast") {
      return fmt::format("{}({}, {})", python_ ? "te.cast" : "te::cast", dtype(term.dtype),
                         args[0]);
    }
    if (term.op != "load" && term.op != "state") {
      const TermOp* row = find_term_op(term.op);
      return fill(python_ ? row->python : row->cpp, plain_index_constants(term, args));
    }
    if (term.op == "state") return at(fmt::format("{}_s{}", stage.name, term.value), args);
    return load(term, args);
  }

  std::string at(const std::string& name, const std::vector<std::string>& args) const {
    const std::string list = fmt::format("{}", fmt::join(args, ", "));
    return name + (python_ ? "[" + (args.empty() ? "()" : list) + "]" : "(" + list + ")");
  }

  // int64 constants beside an index are plain numbers, as one writes them.
  std::vector<std::string> plain_index_constants(const Term& term,
                                                 std::vector<std::string> args) const {
    if (term.args.size() != 2) return args;
    for (size_t i = 0; i < 2; ++i) {
      const Term &self = term.args[i], &other = term.args[1 - i];
      const bool index = other.op == "axis" || other.op == "size";
      if (self.op == "const" && self.dtype == kInt64 && index) args[i] = std::to_string(self.value);
    }
    return args;
  }

  std::string load(const Term& term, const std::vector<std::string>& args) const {
    const std::string name = tensor(term.name, term.value);
    if (term.rule.empty()) return at(name, args);
    const std::string prefix = python_ ? "te." : "te::";
    if (term.rule == "edge") return at(prefix + "repeat_edge(" + name + ")", args);
    if (term.rule == "mirror") return at(prefix + "mirror_image(" + name + ")", args);
    if (term.rule == "reflect") return at(prefix + "mirror_interior(" + name + ")", args);
    return at(fmt::format("{}constant_exterior({}, {})", prefix, name, constant(term.dtype, 1)),
              args);
  }

  const ProgramSpec& spec_;
  const bool python_;
  std::string text_;
};

}  // namespace

std::string program_cpp(const ProgramSpec& spec) { return Writer(spec, Language::kCpp).write(); }
std::string program_python(const ProgramSpec& spec) {
  return Writer(spec, Language::kPython).write();
}

}  // namespace tilewright::fuzz
