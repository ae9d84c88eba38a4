#include "unit/te/programs.h"

#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using schedule::Schedule;

TEST_CASE("lowering keeps the meaning of every program, unscheduled") {
  for (const Program& program : all_programs()) {
    INFO(program.name);
    for (const Sizes& sizes : program.sizes) {
      CHECK(lowering_difference(program.func, program.func, sizes, program.tolerance) == "");
    }
  }
}

TEST_CASE("lowering keeps the meaning of every program under the default schedule") {
  for (const Program& program : all_programs()) {
    INFO(program.name);
    Schedule sch = schedule::default_schedule(program.func);
    for (const Sizes& sizes : program.sizes) {
      CHECK(lowering_difference(program.func, sch.func(), sizes, program.tolerance) == "");
    }
  }
}

TEST_CASE("hoisting guards may be left out: it changes speed, not meaning") {
  for (const Program& program : all_programs()) {
    INFO(program.name);
    Schedule sch = schedule::default_schedule(program.func);
    for (const Sizes& sizes : program.sizes) {
      CHECK(lowering_difference(program.func, sch.func(), sizes, program.tolerance, {},
                                {"hoist_guards", "hoist_invariants", "simplify"}) == "");
    }
  }
}
