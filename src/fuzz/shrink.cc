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

// Gives what is left of a trace when it still fails; with or without stand-ins for missing operands.
using Attempt = std::function<std::optional<Trace>(const Trace&, bool stand_ins)>;

class StepShrinker {
 public:
  StepShrinker(Trace trace, const Attempt& attempt) : best_(std::move(trace)), attempt_(attempt) {}

  Trace shrink() {
    for (bool changed = true; changed;) {
      changed = drop_steps();
      changed = smaller_numbers() || changed;
      if (!changed) changed = drop_and_retarget();
    }
    return best_;
  }

 private:
  bool accept(const Trace& trace, bool stand_ins = false) {
    const std::optional<Trace> smaller = attempt_(trace, stand_ins);
    if (!smaller || trace_weight(*smaller) >= trace_weight(best_)) return false;
    best_ = *smaller;
    return true;
  }

  // The trace without the step; what used its results uses its operands.
  static Trace without(const Trace& trace, size_t step) {
    Trace shorter = trace;
    const Instruction gone = trace.instructions[step];
    shorter.instructions.erase(shorter.instructions.begin() + static_cast<int64_t>(step));
    if (gone.inputs.empty()) return shorter;
    for (Instruction& later : shorter.instructions) {
      for (std::string& input : later.inputs) {
        const auto it = std::find(gone.outputs.begin(), gone.outputs.end(), input);
        if (it == gone.outputs.end()) continue;
        const auto number = static_cast<size_t>(it - gone.outputs.begin());
        input = gone.inputs[std::min(number, gone.inputs.size() - 1)];
      }
    }
    return shorter;
  }

  // A step less, with stand-ins for what it made; and, where that is not enough, another loop of the same nest for
  // one of the other steps.
  bool drop_and_retarget() {
    for (size_t s = best_.instructions.size(); s-- > 0;) {
      if (is_query(best_.instructions[s])) continue;
      if (accept(without(best_, s), true)) return true;
    }
    for (size_t s = best_.instructions.size(); s-- > 0;) {
      if (is_query(best_.instructions[s])) continue;
      const Trace shorter = without(best_, s);
      for (size_t t = 0; t < shorter.instructions.size(); ++t) {
        if (is_query(shorter.instructions[t])) continue;
        for (size_t i = 0; i < shorter.instructions[t].inputs.size(); ++i) {
          for (const std::string& other : nest_of(shorter, shorter.instructions[t].inputs[i])) {
            Trace changed = shorter;
            changed.instructions[t].inputs[i] = other;
            if (accept(changed, true)) return true;
          }
        }
      }
    }
    return false;
  }

  // The other results of the query that gave the handle.
  static std::vector<std::string> nest_of(const Trace& trace, const std::string& handle) {
    for (const Instruction& step : trace.instructions) {
      const auto it = std::find(step.outputs.begin(), step.outputs.end(), handle);
      if (it == step.outputs.end()) continue;
      std::vector<std::string> others = step.outputs;
      std::erase(others, handle);
      return others;
    }
    return {};
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
  std::optional<Trace> still_fails(const Subject& subject, const Trace& trace,
                                   bool stand_ins = false) {
    const Replayed replayed = replay_what_fits(subject.func, trace, best_.instructions, stand_ins);
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
    const Attempt attempt = [&](const Trace& trace, bool stand_ins) -> std::optional<Trace> {
      if (over()) return std::nullopt;
      return still_fails(best_.subject, trace, stand_ins);
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
