#include <catch2/catch.hpp>

#include "command.h"

namespace tilewright {
namespace {

using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;

}  // namespace

TEST_CASE("tilewright fuzz: a place for failures is wanted before the run", "[e2e]") {
  const Workplace place;
  place.write("file", "");
  for (const std::string& out :
       {place.file("file"), place.file("file/below"), std::string("/proc/nope")}) {
    const CommandResult result = place.run("tilewright", {"fuzz", "--programs", "1", "--out", out});
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("--out: ") && Contains(out));
    CHECK(result.out == "");
  }
}

TEST_CASE("tilewright fuzz: a failure is a file, and the counts are still told", "[e2e]") {
  const Workplace place;
  const CommandResult result =
      place.run("tilewright", {"fuzz", "--fault", "peel_one_more", "--programs", "400", "--threads",
                               "2", "--interpret-only", "--json"});
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("fuzz-failures/failure-1-"));
  CHECK_THAT(result.last_line(), Contains("\"programs\":"));
}

}  // namespace tilewright
