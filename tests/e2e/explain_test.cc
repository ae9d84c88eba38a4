#include <catch2/catch.hpp>
#include <sstream>

#include "command.h"

namespace tilewright {
namespace {

using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;

void check_width(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

}  // namespace

TEST_CASE("tilewright explain: what a code means") {
  const Workplace place;
  const CommandResult entry = place.run("tilewright", {"explain", "schedule.split.factor"});
  CHECK(entry.exit_code == 0);
  CHECK(entry.err == "");
  CHECK_THAT(entry.out, Contains("schedule.split.factor: ") && Contains("\n\nInstead: ") &&
                            Contains("\n\nExample:\n\n    sch.split("));
  check_width(entry.out);
  const CommandResult list = place.run("tilewright", {"explain", "--list"});
  CHECK(list.exit_code == 0);
  CHECK_THAT(list.out, Contains("\ncall.alias: ") && Contains("\nte.bad_name: "));
  check_width(list.out);
}

TEST_CASE("tilewright explain: bad use") {
  const Workplace place;
  struct BadUse {
    std::vector<std::string> arguments;
    const char* part;
  };
  const BadUse table[] = {
      {{"explain", "schedule.split.facter"}, "did you mean 'schedule.split.factor'?"},
      {{"explain", "too_few_iterations"}, "did you mean 'schedule."},
      {{"explain", "xyz"}, "--list"},
      {{"explain"}, "a code is missing"},
      {{"explain", "te.bad_name", "--list"}, "not both"},
      {{"explain", "te.bad_name", "te.bad_shape"}, "unexpected argument"},
  };
  for (const BadUse& row : table) {
    const CommandResult result = place.run("tilewright", row.arguments);
    INFO(row.arguments.back() << "\n" << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out == "");
    CHECK_THAT(result.err, Contains("tilewright: error: ") && Contains(row.part));
  }
}

}  // namespace tilewright
