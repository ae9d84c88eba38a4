#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/host_tensor.h"
#include "tilewright/api/testing.h"
#include "tilewright/ir/text.h"
#include "tilewright/schedule/schedule.h"
#include "unit/te/programs.h"

namespace tilewright::testing {

/// The trace, sent through JSON and replayed on the original program, gives the same program and the same
/// trace; the program survives its own text. "" or what went wrong.
inline std::string replay_difference(const schedule::Schedule& sch) {
  const schedule::Trace sealed = sch.sealed_trace();
  const schedule::Trace read = schedule::Trace::from_json(sealed.to_json());
  if (!(read == sealed)) return "the trace changes on its way through JSON: " + sealed.to_json();
  const schedule::Schedule again =
      schedule::Schedule::replay(sch.original(), read, sch.instructions());
  if (!ir::structural_equal(again.func(), sch.func())) {
    return "the replayed trace gives another program:\n" + again.show();
  }
  if (!(again.sealed_trace() == sealed)) return "the replayed schedule records another trace";
  if (!ir::structural_equal(ir::parse_func(ir::to_text(sch.func())), sch.func())) {
    return "the scheduled program does not survive its text";
  }
  return "";
}

/// Runs the scheduled program in the interpreter, which reports races between iterations of parallel and
/// vectorized loops. "" or the error.
inline std::string race_difference(const schedule::Schedule& sch, const Sizes& sizes = {}) {
  std::vector<HostTensor> tensors = make_arguments(sch.func(), sizes);
  ir::InterpOptions options;
  options.check_races = true;
  try {
    interpret_on(sch.func(), tensors, {}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// What every test of a primitive ends with: replay, races, and the values of the scheduled program, its lowered
/// form and its compiled code against the unscheduled program in the interpreter, on integers, with poison
/// and canaries.
inline void check_schedule(const schedule::Schedule& sch, const std::vector<Sizes>& sizes = {{}},
                           double tolerance = 0) {
  INFO(sch.show());
  CHECK(replay_difference(sch) == "");
  try {
    const CompiledKernel kernel = build(tilewright::Program(sch));
    for (const Sizes& instance : sizes) {
      CHECK(race_difference(sch, instance) == "");
      CheckOptions options;
      options.sizes = instance;
      options.rtol = options.atol = tolerance;
      assert_allclose(kernel, sch.original(), options);
    }
  } catch (const Error& error) {
    FAIL_CHECK(error.code() << ": " << error.what());
  }
}

inline void check_schedule(const schedule::Schedule& sch, const Program& program) {
  check_schedule(sch, program.sizes, program.tolerance);
}

/// Runs `primitive`, which must be refused with `code` and leave program and trace (but for queries of handles) as they
/// were. Gives the whole text of the error.
inline std::string refusal(schedule::Schedule& sch, const std::string& code,
                           const std::function<void(schedule::Schedule&)>& primitive) {
  const ir::PrimFunc before = sch.func();
  const schedule::Trace trace = sch.trace();
  std::string text;
  try {
    primitive(sch);
    FAIL_CHECK("no error, wanted " << code);
  } catch (const schedule::ScheduleException& error) {
    text = error.what();
    INFO(text);
    CHECK(error.code() == code);
  }
  CHECK(sch.func().same_as(before));
  schedule::Trace after = sch.trace();
  const auto is_query = [](const schedule::Instruction& step) {
    return step.op == "get_block" || step.op == "get_loops";
  };
  while (after.instructions.size() > trace.instructions.size() &&
         is_query(after.instructions.back())) {
    after.instructions.pop_back();
  }
  CHECK(after == trace);
  return text;
}

}  // namespace tilewright::testing
