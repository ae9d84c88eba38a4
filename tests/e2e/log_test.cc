#include <catch2/catch.hpp>
#include <sstream>

#include "command.h"

namespace tilewright {
namespace {

using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;

const std::vector<std::string> kTune{"--op", "matmul",   "--m", "24",     "--n", "32",        "--k",
                                     "16",   "--trials", "6",   "--seed", "1",   "--threads", "1"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool fits_80_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > 80 && line.find("matmul/1/") == std::string::npos) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("log: show, best, stats, query, explain, diff, merge, prune", "[e2e]") {
  const Workplace place;
  REQUIRE(place.run("tune", with(kTune, {"--log", "a.jsonl"})).exit_code == 0);
  REQUIRE(place.run("tune", with(kTune, {"--log", "b.jsonl"})).exit_code == 0);
  const auto log = [&](const std::vector<std::string>& words) {
    const CommandResult result = place.run("tilewright", with({"log"}, words));
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(fits_80_columns(result.out));
    return result.out;
  };
  const std::string shown = log({"show", "a.jsonl"});
  CHECK_THAT(shown, Contains("status"));
  CHECK_THAT(shown, Contains("r-"));
  const std::string id = shown.substr(shown.find("\nr-") + 1, 12);
  CHECK_THAT(log({"show", "a.jsonl", "--last", "1", "--json"}), Contains("\"kind\":\"measure\""));
  CHECK_THAT(log({"best", "a.jsonl"}), Contains("1 thread"));
  CHECK_THAT(log({"stats", "a.jsonl"}), Contains("6 ok"));
  CHECK_THAT(log({"explain", "a.jsonl", id}), Contains("decisions"));
  CHECK_THAT(log({"explain", "a.jsonl", id}), Contains("func matmul"));
  const std::vector<std::string> op{"--op", "matmul", "--m", "24", "--n", "32", "--k", "16"};
  CHECK_THAT(log(with(with({"query", "a.jsonl"}, op), {"--threads", "1"})),
             Contains("record    r-"));
  CHECK_THAT(log({"diff", "a.jsonl", "b.jsonl"}), Contains("old/new"));
  CHECK_THAT(log({"merge", "a.jsonl", "b.jsonl", "a.jsonl", "-o", "c.jsonl"}), Contains("twice"));
  CHECK_THAT(log({"prune", "c.jsonl", "--keep", "2"}), Contains("kept"));
  CHECK_THAT(log({"best", "c.jsonl"}), Contains("ms, r-"));

  const CommandResult none =
      place.run("tilewright", with(with({"log", "query", "a.jsonl"}, op), {"--threads", "7"}));
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.out, Contains("for 1 threads"));
}

TEST_CASE("log: bad use", "[e2e]") {
  const Workplace place;
  place.write("cut.jsonl", "{\"schema\":1,\"kind\":\"meas");
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{}, "a command is missing"},
      {{"shw", "x"}, "did you mean 'show'"},
      {{"show", "nowhere.jsonl"}, "no log file"},
      {{"show", "."}, "directory"},
      {{"explain", "cut.jsonl", "r-1"}, "no record has the id"},
      {{"merge", "cut.jsonl"}, "-o FILE is missing"},
      {{"prune", "cut.jsonl", "--keep", "0"}, "1 or more"},
      {{"show", "cut.jsonl", "--lst", "3"}, "--last"},
  };
  for (const auto& [words, part] : bad) {
    const CommandResult result = place.run("tilewright", with({"log"}, words));
    INFO(result.out << result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains(part));
  }
  const CommandResult cut = place.run("tilewright", {"log", "show", "cut.jsonl"});
  CHECK(cut.exit_code == 0);
  CHECK_THAT(cut.err, Contains("1 line was not used: 1 cut short"));
}

}  // namespace tilewright
