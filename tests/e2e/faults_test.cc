// The public cases notice it when the guard they are about is taken away.

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "e2e/command.h"
#include "tilewright/support/fault.h"

namespace tilewright::testing {
namespace {

struct Bite {
  const char* test;  ///< pattern of one test case of the binary `cases`
  const char* fault;
};

constexpr Bite kBites[] = {
    {"K01_*", "split_drops_older_guard"},
    {"K02_*", "compute_at_one_short"},
    {"K03_*", "init_without_guard"},
    {"K04_*", "cache_write_keeps_init"},
    {"K05_*", "rfactor_of_any_reducer"},
    {"K06_*", "floor_division_truncates"},
    {"K06_*", "rules_without_conditions"},
    {"K07_*", "offsets_of_32_bits"},
    {"K08_*", "peel_one_more"},
    {"K09_*", "unsigned_never_wraps"},
    {"K10_*", "rfactor_drops_mask"},
    {"K10_*", "max_starts_at_lowest"},
    {"K11_*", "max_ignores_nan"},
    {"K12_*", "empty_reduction_without_init"},
    {"K12_*", "argmax_of_nothing"},
    {"K13_*", "round_ties_away"},
    {"K14_*", "bool_stores_all_bits"},
    {"K15_*", "products_of_32_bits"},
    {"K26_*", "contract_skips_dtype"},
    {"K26_*", "contract_skips_shape"},
};

}  // namespace

TEST_CASE("every case fails without the guard it tests", "[e2e]") {
  const Workplace place;
  for (const Bite& bite : kBites) {
    const CommandResult result =
        place.run("../tests/cases", {bite.test, "--fault", bite.fault, "--abort"});
    INFO(bite.test << " with " << bite.fault << ":\n" << result.out << result.err);
    CHECK(result.exit_code != 0);
    // It ran, and it was a test that failed.
    CHECK(result.out.find("test cases:") != std::string::npos);
    CHECK(result.out.find("FAILED:") != std::string::npos);
  }
}

TEST_CASE("an unknown fault is refused", "[e2e]") {
  const Workplace place;
  const CommandResult result = place.run("../tests/cases", {"K01_*", "--fault", "max_ignore_nan"});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("max_ignores_nan") != std::string::npos);
}

}  // namespace tilewright::testing
