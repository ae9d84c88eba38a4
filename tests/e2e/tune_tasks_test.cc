#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "tilewright/record/log.h"

namespace tilewright {
namespace {

using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;
using Json = nlohmann::ordered_json;

constexpr const char* kTasks =
    "--op matmul --m 48 --n 32 --k 24 weight=3  # often\n"
    "--op matmul --m 32 --n 32 --k 32\n"
    "--op conv2d --ci 4 --co 8 --h 9 --w 9\n";

TEST_CASE("tune --tasks: one budget, one log, a table and a line of JSON; resume") {
  const Workplace place;
  place.write("net.txt", kTasks);
  const std::vector<std::string> arguments{"--tasks", "net.txt", "--threads", "1",
                                           "--seed",  "1",       "--json",    "--trials"};
  std::vector<std::string> first = arguments;
  first.push_back("9");
  const CommandResult result = place.run("tune", first);
  INFO(result.err << result.out);
  REQUIRE(result.exit_code == 0);
  const Json json = Json::parse(result.last_line());
  REQUIRE(json["tasks"].size() == 3);
  CHECK(json["log"] == "tune_net.jsonl");
  CHECK(json["tasks"][0]["weight"] == 3);
  CHECK(json["trials"].get<int>() >= 9);
  double total = 0;
  int trials = 0;
  for (const Json& task : json["tasks"]) {
    CHECK(task["best_ms"].get<double>() > 0);
    CHECK(task["threads"] == 1);
    total += task["weight"].get<double>() * task["best_ms"].get<double>();
    trials += task["trials"].get<int>();
  }
  CHECK(json["total_ms"].get<double>() == Approx(total).epsilon(1e-3));
  CHECK(trials == json["trials"].get<int>());
  CHECK_THAT(result.out, Contains("weight") && Contains("matmul") && Contains("conv2d"));
  CHECK_THAT(result.err, Contains("tune: 3/3 conv2d: "));

  std::vector<std::string> more = arguments;
  more.insert(more.end(), {"12", "--resume"});
  const CommandResult again = place.run("tune", more);
  INFO(again.err << again.out);
  REQUIRE(again.exit_code == 0);
  CHECK(Json::parse(again.last_line())["resumed"].get<int>() >= 9);
  std::set<std::string> programs;
  for (const record::TuningRecord& r : record::read_log(place.file("tune_net.jsonl")).records) {
    if (r.search.origin == "default") continue;
    CHECK(programs.insert(r.task_key + r.trace.hash).second);
  }
}

TEST_CASE("tune --tasks: Ctrl-C keeps what is measured and prints the table") {
  const Workplace place;
  place.write("net.txt", kTasks);
  const CommandResult result = place.run_and_signal(
      "tune",
      {"--tasks", "net.txt", "--threads", "1", "--trials", "100000", "--json", "--log", "a.jsonl"},
      "tune: 2/3 matmul: trial ", SIGINT);
  INFO(result.err << result.out);
  CHECK(result.exit_code == 130);
  const Json json = Json::parse(result.last_line());
  CHECK(json["stop"] == "interrupted");
  const record::LogContents log = record::read_log(place.file("a.jsonl"));
  CHECK(log.skipped.empty());
  CHECK(log.records.size() == json["trials"].get<size_t>());
}

TEST_CASE("tune --tasks: bad use names file and line, and there is no log") {
  const Workplace place;
  place.write("net.txt", "--op matmul\n--op matmul --trails 3\n");
  const CommandResult line = place.run("tune", {"--tasks", "net.txt"});
  CHECK(line.exit_code == 2);
  CHECK_THAT(line.err, Catch::StartsWith("tune: error: net.txt:2: "));
  const CommandResult both = place.run("tune", {"--tasks", "net.txt", "--op", "matmul"});
  CHECK(both.exit_code == 2);
  CHECK_THAT(both.err, Contains("no --op"));
  CHECK(place.run("tune", {"--tasks", "none.txt"}).exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(place.file("tune_net.jsonl")));
}

}  // namespace
}  // namespace tilewright
