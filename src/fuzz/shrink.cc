#include "fuzz/shrink.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "tilewright/support/error.h"

namespace tilewright::fuzz {

using schedule::Instruction;
using schedule::Schedule;
using schedule::Trace;
using schedule::Value;

schedule::TensorInstructions used_instructions(const Trace& trace,
                                               const schedule::TensorInstructions& declared) {
  schedule::TensorInstructions used;
  for (const Instruction& step : trace.instructions) {
    const auto attr = step.attrs.find("instruction");
    if (attr == step.attrs.end()) continue;
    const auto it = declared.find(std::get<std::string>(attr->second.data));
    if (it != declared.end()) used.insert(*it);
  }
  return used;
}

Replayed replay_what_fits(const ir::PrimFunc& func, const Trace& trace,
                          const schedule::TensorInstructions& instructions) {
  Replayed result{Schedule(func), {}, {}, {}};
  Schedule& sch = result.sch;
  sch.set_sketch(trace.sketch);
  sch.preset_decisions(trace.decisions);
  for (const auto& [name, instruction] : used_instructions(trace, instructions)) {
    sch.declare_instruction(instruction);
  }
  std::map<std::string, std::variant<schedule::Loop, schedule::BlockRef>> handles;
  std::map<std::string, std::string> names;  // of the new trace
  for (const Instruction& step : trace.instructions) {
    Schedule::Call call{step.op, {}, step.attrs};
    Instruction renamed = step;
    renamed.inputs.clear();
    bool fits = true;
    for (const std::string& name : step.inputs) {
      const auto it = handles.find(name);
      if (it == handles.end()) {
        fits = false;
        break;
      }
      call.inputs.push_back(it->second);
      renamed.inputs.push_back(names[name]);
    }
    if (!fits) continue;
    try {
      const auto output = sch.apply(call);
      if (!output) continue;
      const std::vector<std::string>& made = sch.trace().instructions.back().outputs;
      size_t next = 0;
      for (const Schedule::Result& item : *output) {
        if (item.index() == 2 || next >= step.outputs.size()) continue;
        const std::string& name = step.outputs[next];
        names[name] = made.at(next++);
        if (item.index() == 0) {
          handles[name] = std::get<schedule::Loop>(item);
        } else {
          handles[name] = std::get<schedule::BlockRef>(item);
        }
      }
    } catch (const Error& error) {
      // A decision or block that is gone, or the fault that is looked for.
      if (error.code().starts_with("trace.") || !result.thrown.empty()) continue;
      result.thrown = "error " + error.code();
      result.message = error.what();
      result.thrown_trace = sch.trace();
      result.thrown_trace.instructions.push_back(renamed);
    }
  }
  return result;
}

namespace {

bool is_query(const Instruction& step) { return step.op == "get_block" || step.op == "get_loops"; }

// What a trace costs to read: primitives count most, then large numbers.
int64_t trace_weight(const Trace& trace) {
  int64_t weight = 0;
  const std::function<int64_t(const Value&)> numbers = [&](const Value& value) -> int64_t {
    if (const auto* number = std::get_if<int64_t>(&value.data)) {
      return std::min<int64_t>(std::abs(*number), 1000);
    }
    int64_t sum = 0;
    if (const auto* list = std::get_if<Value::List>(&value.data)) {
      for (const Value& item : *list) sum += 1 + numbers(item);
    }
    if (const auto* text = std::get_if<std::string>(&value.data)) {
      sum += *text == "guard" || *text == "global" ? 0 : 2;
    }
    return sum;
  };
  for (const Instruction& step : trace.instructions) {
    weight += is_query(step) ? 3000 : 1000000;
    for (const auto& [key, value] : step.attrs) weight += numbers(value);
  }
  return weight;
}

// Gives what is left of a trace when it still fails.
using Attempt = std::function<std::optional<Trace>(const Trace&)>;

class StepShrinker {
 public:
  StepShrinker(Trace trace, const Attempt& attempt) : best_(std::move(trace)), attempt_(attempt) {}

  Trace shrink() {
    for (bool changed = true; changed;) {
      changed = drop_steps();
      changed = smaller_numbers() || changed;
    }
    return best_;
  }

 private:
  bool accept(const Trace& trace) {
    const std::optional<Trace> smaller = attempt_(trace);
    if (!smaller || trace_weight(*smaller) >= trace_weight(best_)) return false;
    best_ = *smaller;
    return true;
  }

  bool drop_steps() {
    bool changed = false;
    size_t chunk = std::max<size_t>(1, best_.instructions.size() / 2);
    while (true) {
      for (size_t end = best_.instructions.size(); end > 0;) {
        const size_t begin = end > chunk ? end - chunk : 0;
        Trace trace = best_;
        trace.instructions.erase(trace.instructions.begin() + static_cast<int64_t>(begin),
                                 trace.instructions.begin() + static_cast<int64_t>(end));
        if (accept(trace)) {
          changed = true;
          end = std::min(begin, best_.instructions.size());
        } else {
          end = begin;
        }
      }
      if (chunk == 1) return changed;
      chunk = (chunk + 1) / 2;
    }
  }

  // Every value that is smaller than `value` in one place.
  static std::vector<Value> smaller_values(const Value& value) {
    std::vector<Value> result;
    if (const auto* number = std::get_if<int64_t>(&value.data)) {
      for (int64_t less : {int64_t{0}, int64_t{1}, int64_t{2}, *number / 2, *number - 1}) {
        if (std::abs(less) < std::abs(*number)) result.emplace_back(less);
      }
    } else if (const auto* text = std::get_if<std::string>(&value.data)) {
      if (text->starts_with("$")) result.emplace_back(int64_t{2});
      if (*text == "local" || *text == "register") result.emplace_back("global");
      for (const char* tail : {"peel", "balanced", "pad", "shift_inwards", "auto"}) {
        if (*text == tail) result.emplace_back("guard");
      }
    } else if (const auto* list = std::get_if<Value::List>(&value.data)) {
      for (size_t i = 0; i < list->size(); ++i) {
        Value::List shorter = *list;
        shorter.erase(shorter.begin() + static_cast<int64_t>(i));
        result.emplace_back(shorter);
        for (const Value& item : smaller_values((*list)[i])) {
          Value::List changed = *list;
          changed[i] = item;
          result.emplace_back(changed);
        }
      }
    }
    return result;
  }

  bool smaller_numbers() {
    bool changed = false;
    for (size_t i = 0; i < best_.instructions.size(); ++i) {
      const schedule::Attributes attrs = best_.instructions[i].attrs;
      for (const auto& [key, value] : attrs) {
        for (const Value& smaller : smaller_values(value)) {
          if (i >= best_.instructions.size()) return true;
          Trace trace = best_;
          trace.instructions[i].attrs[key] = smaller;
          if (accept(trace)) {
            changed = true;
            break;
          }
        }
      }
    }
    return changed;
  }

  Trace best_;
  const Attempt& attempt_;
};

class Shrinker {
 public:
  Shrinker(const Failure& failure, double secs)
      : best_(failure), kind_(failure.verdict.kind), secs_(secs) {
    const bool compiled = kind_ == "compiled" || kind_.starts_with("error ");
    depth_ = compiled ? CheckDepth::kCompile : CheckDepth::kInterpret;
  }

  Failure shrink() {
    shrink_steps();
    for (bool changed = true; changed && best_.subject.spec && !over();) {
      changed = false;
      for (const ProgramSpec& spec : smaller_programs(*best_.subject.spec)) {
        if (over()) break;
        changed = accept_program(spec);
        if (changed) break;
      }
      if (changed) shrink_steps();
    }
    best_.instructions = used_instructions(best_.trace, best_.instructions);
    return best_;
  }

 private:
  bool over() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > secs_;
  }

  // The trace that is left when the program still fails in the same way.
  std::optional<Trace> still_fails(const Subject& subject, const Trace& trace) {
    const Replayed replayed = replay_what_fits(subject.func, trace, best_.instructions);
    if (replayed.thrown == kind_) {
      best_.verdict.message = replayed.message;
      return replayed.thrown_trace;
    }
    const Verdict verdict = check(subject, replayed.sch, depth_);
    if (verdict.kind != kind_) return std::nullopt;
    best_.verdict = verdict;
    return replayed.sch.sealed_trace();
  }

  void shrink_steps() {
    const Attempt attempt = [&](const Trace& trace) -> std::optional<Trace> {
      if (over()) return std::nullopt;
      return still_fails(best_.subject, trace);
    };
    best_.trace = StepShrinker(best_.trace, attempt).shrink();
  }

  bool accept_program(const ProgramSpec& spec) {
    try {
      const Subject subject = make_subject(spec, best_.subject.seed);
      const std::optional<Trace> trace = still_fails(subject, best_.trace);
      if (!trace) return false;
      best_.subject = subject;
      best_.trace = *trace;
      return true;
    } catch (const Error&) {
      return false;  // te refuses the smaller program.
    }
  }

  Failure best_;
  const std::string kind_;
  const double secs_;
  CheckDepth depth_ = CheckDepth::kCompile;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Failure shrink(const Failure& failure, double secs) { return Shrinker(failure, secs).shrink(); }

}  // namespace tilewright::fuzz
