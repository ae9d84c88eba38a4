#include "fuzz/check_random.h"

#include <algorithm>
#include <set>

namespace tilewright::testing {

using schedule::Schedule;
using schedule::Trace;

FuzzResult check_random(const Program& program, const Schedule& sch, bool compile) {
  FuzzResult result;
  try {
    result.fault = replay_difference(sch);
    if (!result.fault.empty()) return result;
    CompiledKernel kernel;
    if (compile) kernel = build(tilewright::Program(sch));
    for (const Sizes& sizes : program.sizes) {
      result.fault = race_difference(sch, sizes);
      if (!result.fault.empty()) return result;
      CheckOptions options;
      options.sizes = sizes;
      // Another order of the terms changes the last digits.
      options.rtol = options.atol = program.tolerance * 10;
      options.threads = {3};
      if (compile) {
        assert_allclose(kernel, sch.original(), options);
        continue;
      }
      const auto wanted = interpret(sch.original(), options), got = interpret(sch.func(), options);
      for (const auto& [name, value] : wanted) {
        result.fault = difference(got.at(name), value, options.rtol, options.atol);
        if (!result.fault.empty()) return result;
      }
    }
  } catch (const Error& error) {
    result.refused_late = error.code().rfind("lower.", 0) == 0;
    if (!result.refused_late) result.fault = error.code() + ": " + error.what();
  } catch (const std::exception& error) {
    result.fault = error.what();
  }
  return result;
}

namespace {

// The trace without instruction `at` and all that uses its results.
Trace without(const Trace& trace, size_t at) {
  Trace result = trace;
  result.instructions.clear();
  std::set<std::string> gone;
  for (size_t i = 0; i < trace.instructions.size(); ++i) {
    const schedule::Instruction& step = trace.instructions[i];
    const bool drop =
        i == at || std::any_of(step.inputs.begin(), step.inputs.end(),
                               [&](const std::string& name) { return gone.count(name) > 0; });
    if (drop) {
      gone.insert(step.outputs.begin(), step.outputs.end());
    } else {
      result.instructions.push_back(step);
    }
  }
  return result;
}

}  // namespace

Schedule shrink(const Program& program, const Schedule& sch, bool compile) {
  Schedule best = sch;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = best.trace().instructions.size(); i-- > 0;) {
      if (i >= best.trace().instructions.size()) continue;
      try {
        auto smaller = Schedule::try_replay(program.func, without(best.trace(), i));
        if (!smaller) continue;
        if (check_random(program, *smaller, compile).fault.empty()) continue;
        best = *smaller;
        changed = true;
      } catch (const Error&) {
        // The rest of the trace does not fit together any more.
      }
    }
  }
  return best;
}

std::string describe_fault(const Program& program, const Schedule& sch, const std::string& fault) {
  return program.name + ": " + fault + "\n" + sch.show() + "\n" + sch.sealed_trace().to_json();
}

}  // namespace tilewright::testing
