// Random schedules of the twelve programs against the interpreter. A fault prints the seed, the shrunken
// program and its trace.

#include <chrono>

#include "fuzz/check_random.h"
#include "fuzz/random_schedule.h"

namespace tilewright::testing {
namespace {

struct Tally {
  int schedules = 0, primitives = 0, refused_late = 0, faults = 0;
};

Tally fuzz_for(double secs, uint64_t first_seed) {
  const std::vector<Program> programs = all_programs();
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Tally tally;
  for (uint64_t seed = first_seed; elapsed() < secs && tally.faults < 3; ++seed) {
    const Program& program = programs[seed % programs.size()];
    Rng rng(seed);
    schedule::Schedule sch(program.func);
    try {
      tally.primitives += apply_random_primitives(sch, rng, 4 + static_cast<int>(rng.below(20)));
    } catch (const std::exception& error) {
      ++tally.faults;
      FAIL_CHECK("seed " << seed << ": " << describe_fault(program, sch, error.what()));
      continue;
    }
    ++tally.schedules;
    const FuzzResult result = check_random(program, sch, true);
    tally.refused_late += result.refused_late;
    if (result.fault.empty()) continue;
    ++tally.faults;
    const schedule::Schedule small = shrink(program, sch, true);
    FAIL_CHECK("seed " << seed << ": "
                       << describe_fault(program, small, check_random(program, small, true).fault));
  }
  return tally;
}

void check_tally(const Tally& tally, int least_schedules) {
  INFO(tally.schedules << " schedules, " << tally.primitives << " primitives accepted, "
                       << tally.refused_late << " refused by lowering");
  CHECK(tally.faults == 0);
  CHECK(tally.schedules >= least_schedules);
  // The generator must not waste its time.
  CHECK(tally.primitives >= 2 * tally.schedules);
  CHECK(tally.refused_late * 2 <= tally.schedules + 2);
}

}  // namespace

TEST_CASE("random schedules keep the meaning", "[fuzz]") { check_tally(fuzz_for(1.0, 1), 5); }

TEST_CASE("random schedules keep the meaning, half a minute of them", "[fuzz][slow]") {
  check_tally(fuzz_for(30.0, 1000000), 100);
}

}  // namespace tilewright::testing
