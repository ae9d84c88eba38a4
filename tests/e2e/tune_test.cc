#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"
#include "tilewright/record/log.h"

namespace tilewright {
namespace {

using testing::CommandResult;
using testing::Workplace;
using Json = nlohmann::ordered_json;

const std::vector<std::string> kSmall{"--op", "matmul", "--m", "48",        "--n",
                                      "40",   "--k",    "56",  "--threads", "1"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST_CASE("injected faults are caught and named, and the best is a healthy candidate") {
  const Workplace place;
  const CommandResult result = place.run(
      "tune", with({"--op", "matmul", "--m", "48", "--n", "32", "--k", "56", "--threads", "1"},
                   {"--trials", "24", "--seed", "3", "--json", "--fault", "crash:0.1", "--fault",
                    "hang:0.05", "--fault", "oom:0.1", "--fault", "wrong:0.1", "--fault",
                    "early-return:0.1"}));
  INFO(result.err << result.out);
  REQUIRE(result.exit_code == 0);
  const Json json = Json::parse(result.last_line());
  std::map<std::string, int> wanted;
  int injected = 0;
  for (const auto& [kind, n] : json["injected"].items()) {
    const std::string status = kind == "crash"  ? "crash"
                               : kind == "hang" ? "run_timeout"
                               : kind == "oom"  ? "out_of_memory"
                                                : "wrong_result";
    wanted[status] += n.get<int>();
    injected += n.get<int>();
  }
  CHECK(injected >= 4);
  CHECK(json["failures"].get<std::map<std::string, int>>() == wanted);
  CHECK(json["failed"] == injected);
  for (const record::TuningRecord& r : record::read_log(place.file("tune_matmul.jsonl")).records) {
    CHECK((r.result.status == record::Status::kOk) == r.search.fault.empty());
  }
}

TEST_CASE("tune measures, checks and records") {
  const Workplace place;
  const CommandResult result =
      place.run("tune", with(kSmall, {"--trials", "4", "--seed", "1", "--json"}));
  INFO(result.err << result.out);
  REQUIRE(result.exit_code == 0);
  const Json json = Json::parse(result.last_line());
  CHECK(json["op"] == "matmul");
  CHECK(json["target"] == "cpu");
  CHECK(json["log"] == "tune_matmul.jsonl");
  CHECK(json["valid"].get<int>() + json["failed"].get<int>() == json["trials"].get<int>());
  CHECK(json["best_ms"].get<double>() > 0);
  CHECK_THAT(result.out, Catch::Contains("tilewright compile --op matmul --m 48 --n 40 --k 56"));
  CHECK(result.err.find('\r') == std::string::npos);
  CHECK(widest_line(result.err) <= 80);

  const record::LogContents log = record::read_log(place.file("tune_matmul.jsonl"));
  CHECK(log.skipped.empty());
  REQUIRE(log.records.size() == json["trials"].get<size_t>());
  for (const record::TuningRecord& r : log.records) {
    CAPTURE(r.result.reason);
    CHECK(r.search.seed == 1);
    CHECK(r.exec.threads == 1);
    CHECK(r.to_line().size() < 8192);
    if (r.result.status != record::Status::kOk) continue;
    CHECK(r.result.check.mode == "exact");
    CHECK(r.result.check.elements == 48 * 40);
    CHECK(r.result.check.reference == "proved");
    CHECK(r.result.compile_secs.value_or(0) > 0);
  }
}

TEST_CASE("tune measures convolutions") {
  const Workplace place;
  const CommandResult result =
      place.run("tune", {"--op", "conv2d", "--ci", "8", "--co", "16", "--h", "14", "--w", "14",
                         "--threads", "1", "--trials", "3", "--json", "--log", "c.jsonl"});
  INFO(result.err << result.out);
  CHECK(result.exit_code == 0);
  CHECK(Json::parse(result.last_line())["valid"].get<int>() > 0);
}

TEST_CASE("bad use ends with code 2, one clear line and no log") {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::vector<Case> cases{
      {{}, "--op is missing"},
      {{"--op", "matmull"}, "did you mean 'matmul'"},
      {{"--op", "matmul", "--trails", "4"}, "did you mean '--trials'"},
      {{"--op", "matmul", "--ci", "4"}, "belongs to conv2d"},
      {{"--op", "matmul", "surplus"}, "unexpected argument 'surplus'"},
      {{"--op", "matmul", "--m"}, "--m"},
      {{"--op", "matmul", "--m", "0"}, "m"},
      {{"--op", "matmul", "--m", "-5"}, "m"},
      {{"--op", "matmul", "--m", "many"}, "m"},
      {{"--op", "matmul", "--m", "4000000000", "--n", "4000000000", "--k", "4000000000"}, ""},
      {{"--op", "matmul", "--dtype", "float31"}, "float32"},
      {{"--op", "conv2d", "--kernel", "9", "--h", "4", "--w", "4"}, "kernel"},
      {{"--op", "conv2d", "--layout", "NCWH"}, "NCHW"},
      {{"--op", "conv2d", "--groups", "3"}, "groups"},
      {{"--op", "matmul", "--target", "cuda"}, "cpu only"},
      {{"--op", "matmul", "--target", "opencl"}, "cpu only"},
      {{"--op", "matmul", "--target", "cpuu"}, "cpu"},
      {{"--op", "matmul", "--target", "cpu -arch=aarch64"}, "cannot run"},
      {{"--op", "matmul", "--trials", "-1"}, "--trials"},
      {{"--op", "matmul", "--trials", "ten"}, "--trials"},
      {{"--op", "matmul", "--budget", "0"}, "--budget"},
      {{"--op", "matmul", "--budget", "nan"}, "--budget"},
      {{"--op", "matmul", "--effort", "ful"}, "did you mean 'full'"},
      {{"--op", "matmul", "--threads", "0"}, "--threads"},
      {{"--op", "matmul", "--threads", "1000000"}, "--threads"},
      {{"--op", "matmul", "--seed", "x"}, "--seed"},
      {{"--op", "matmul", "--log", "."}, "directory"},
      {{"--op", "matmul", "--log", "none/a.jsonl"}, "does not exist"},
      {{"--op", "matmul", "--log", "plain/a.jsonl"}, "not a directory"},
  };
  for (const Case& row : cases) {
    const Workplace place;
    place.write("plain", "x");
    std::string command = "tune";
    for (const std::string& word : row.arguments) command += " " + word;
    CAPTURE(command);
    const CommandResult result = place.run("tune", row.arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::StartsWith("tune: error: ") && Catch::Contains(row.says));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(place.file("tune_matmul.jsonl")));
  }
}

TEST_CASE("help and lists") {
  const Workplace place;
  CommandResult result = place.run("tune", {"--help"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("--budget"));
  result = place.run("tune", {"--op", "conv2d", "--help"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("--dilation"));
  result = place.run("tune", {"--op", "list"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("conv2d") && Catch::Contains("matmul") &&
                             Catch::Contains("--trans-a"));
}

TEST_CASE("an existing log is appended to, whatever its last line is") {
  const Workplace place;
  const std::vector<std::string> arguments =
      with(kSmall, {"--trials", "2", "--seed", "1", "--log", "a.jsonl"});
  REQUIRE(place.run("tune", arguments).exit_code == 0);
  const std::string before = place.read("a.jsonl");
  const size_t records = record::read_log(place.file("a.jsonl")).records.size();
  place.write("a.jsonl", before + before.substr(0, 100));
  REQUIRE(place.run("tune", arguments).exit_code == 0);
  const record::LogContents log = record::read_log(place.file("a.jsonl"));
  CHECK(log.records.size() == 2 * records);
  CHECK(log.skipped_count() == 1);
  CHECK(place.read("a.jsonl").starts_with(before));
}

TEST_CASE("no effort records a schedule without measuring") {
  const Workplace place;
  const CommandResult result =
      place.run("tune", with(kSmall, {"--effort", "none", "--json", "--log", "a.jsonl"}));
  CHECK(result.exit_code == 0);
  const Json json = Json::parse(result.last_line());
  CHECK(json["best_ms"].is_null());
  CHECK(json["trials"] == 0);
  const record::LogContents log = record::read_log(place.file("a.jsonl"));
  REQUIRE(log.records.size() == 1);
  CHECK(log.records[0].result.status == record::Status::kUnmeasured);
}

TEST_CASE("Ctrl-C keeps what is measured and still prints the summary") {
  const Workplace place;
  const CommandResult result =
      place.run_and_signal("tune",
                           {"--op", "matmul", "--threads", "1", "--trials", "100000", "--seed", "1",
                            "--json", "--log", "a.jsonl"},
                           "tune: trial ", SIGINT);
  INFO(result.err << result.out);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.out, Catch::Contains("interrupted"));
  const Json json = Json::parse(result.last_line());
  CHECK(json["stop"] == "interrupted");
  const record::LogContents log = record::read_log(place.file("a.jsonl"));
  CHECK(log.records.size() == json["trials"].get<size_t>());
  CHECK(log.records.size() >= 1);
  CHECK(log.skipped.empty());
}

TEST_CASE("a small budget is kept") {
  const Workplace place;
  const CommandResult result =
      place.run("tune", with(kSmall, {"--budget", "1", "--json", "--log", "a.jsonl"}));
  CHECK(result.exit_code == 0);
  const Json json = Json::parse(result.last_line());
  CHECK((json["stop"] == "budget" || json["stop"] == "exhausted"));
  CHECK(json["wall_s"].get<double>() < 30);
}

}  // namespace
}  // namespace tilewright
