// Every sketch gives every program a schedule, and every schedule the program's result.

#include <catch2/catch.hpp>

#include "tilewright/fuzz/fuzz.h"
#include "tilewright/tuner/space/generated.h"

namespace tilewright::tuner {
namespace {

struct Counts {
  int64_t schedules = 0, refused_late = 0, transformed = 0;
};

// Few lanes and registers, so that small programs have tails and several tiles.
Target small_target() {
  Target target = Target::host();
  target.vector_bits = 128;
  target.vector_registers = 16;
  return target;
}

void check_program(uint64_t seed, fuzz::CheckDepth depth, Counts& counts) {
  Rng rng(seed);
  const fuzz::Subject subject = fuzz::make_subject(fuzz::random_program(rng), seed);
  const Target target = seed % 2 == 0 ? small_target() : Target::host();
  for (const Sketch& sketch : generated_sketches(subject.func, target, 2)) {
    for (uint64_t point = 0; point < 2; ++point) {
      schedule::Schedule sch(subject.func, 1000 * seed + point);
      sketch.apply(sch, target, point == 0 ? 2 : 1);
      const fuzz::Verdict verdict = fuzz::check(subject, sch, depth);
      INFO("program " << seed << ", " << sketch.name << ", point " << point << "\n"
                      << verdict.kind << ": " << verdict.message << "\n"
                      << sch.show());
      CHECK_FALSE(verdict.faulty());
      ++counts.schedules;
      counts.refused_late += !verdict.refused_late.empty();
      for (const auto& step : sch.trace().instructions) {
        if (step.op != "split" && step.op != "vectorize") continue;
        ++counts.transformed;
        break;
      }
    }
  }
}

void check_programs(uint64_t first, uint64_t count, fuzz::CheckDepth depth) {
  Counts counts;
  for (uint64_t seed = first; seed < first + count; ++seed) check_program(seed, depth, counts);
  CHECK(counts.schedules >= static_cast<int64_t>(2 * count));
  // Rules see no tiny size coming at which lowering refuses a register tile.
  CHECK(counts.refused_late * 50 < counts.schedules);
  CHECK(counts.transformed * 10 > counts.schedules * 8);
}

}  // namespace

TEST_CASE("sketches: random programs keep their results") {
  check_programs(1, 40, fuzz::CheckDepth::kInterpret);
}

TEST_CASE("sketches: many random programs, compiled", "[slow]") {
  check_programs(1000, 250, fuzz::CheckDepth::kCompile);
}

}  // namespace tilewright::tuner
