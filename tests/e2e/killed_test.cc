// Runs that end at any moment, workers that do, and logs that can no longer be written: what was measured is kept, and a
// later run goes on with it.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "command.h"
#include "tilewright/record/log.h"
#include "tilewright/support/rng.h"

namespace tilewright {
namespace {

using Catch::Contains;
using testing::CommandResult;
using testing::Workplace;
using Json = nlohmann::ordered_json;

std::vector<std::string> tune_words(const std::string& trials, uint64_t seed) {
  return {"--op",   "matmul",   "--m",      "24",        "--n", "32",     "--k",
          "16",     "--log",    "a.jsonl",  "--threads", "1",   "--seed", std::to_string(seed),
          "--json", "--resume", "--trials", trials};
}
const std::string kEndless = "100000";

// The last trial that the text on standard error tells of.
size_t last_reported(const std::string& text) {
  const std::string mark = "tune: trial ";
  size_t trial = 0;
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    trial = static_cast<size_t>(std::atoi(text.c_str() + at + mark.size()));
  }
  return trial;
}

// The records of the log, each program once. A default schedule at the end of a run is a candidate of none.
std::vector<record::TuningRecord> checked_records(const std::string& path, int64_t most_cut) {
  const record::LogContents log = record::read_log(path);
  CHECK(log.skipped_count() <= most_cut);
  std::vector<record::TuningRecord> records;
  std::set<std::string> programs;
  for (const record::TuningRecord& r : log.records) {
    if (r.search.origin == "default") continue;
    CHECK(programs.insert(r.trace.hash).second);
    records.push_back(r);
  }
  return records;
}

// Goes on with the log: nothing is lost and nothing is measured twice.
void check_resumed(const Workplace& place, int64_t most_cut) {
  const size_t before = checked_records(place.file("a.jsonl"), most_cut).size();
  const CommandResult result = place.run("tune", tune_words(std::to_string(before + 3), 77));
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(Json::parse(result.last_line())["resumed"].get<size_t>() == before);
  CHECK(checked_records(place.file("a.jsonl"), most_cut).size() == before + 3);
}

void kill_runs(int moments, uint64_t seed) {
  const Workplace place;
  Rng rng(seed);
  size_t before = 0;
  for (int i = 0; i < moments; ++i) {
    const pid_t tune = place.start("tune", tune_words(kEndless, seed + static_cast<uint64_t>(i)));
    usleep(static_cast<useconds_t>(rng.below(1'500'000)));
    kill(tune, SIGKILL);
    const CommandResult result = place.wait(tune);
    INFO("moment " << i << ": " << result.err);
    CHECK(result.exit_code == 128 + SIGKILL);
    if (!std::filesystem::exists(place.file("a.jsonl"))) continue;
    const size_t now = checked_records(place.file("a.jsonl"), i + 1).size();
    CHECK(now >= std::max(before, last_reported(result.err)));
    before = now;
  }
  if (before == 0) place.run("tune", tune_words("2", seed));
  check_resumed(place, moments);
}

void kill_workers(int kills, uint64_t seed) {
  const Workplace place;
  Rng rng(seed);
  const pid_t tune = place.start("tune", tune_words(kEndless, seed));
  int killed = 0;
  while (killed < kills && kill(tune, 0) == 0) {
    usleep(static_cast<useconds_t>(rng.below(200'000)));
    const std::vector<pid_t> workers = testing::children_of(tune);
    if (workers.empty()) continue;
    kill(workers[rng.below(workers.size())], SIGKILL);
    ++killed;
  }
  CHECK(place.says(tune, "tune: trial "));
  kill(tune, SIGINT);
  const CommandResult result = place.wait(tune);
  INFO(result.out << result.err);
  CHECK(result.exit_code == 130);
  const std::vector<record::TuningRecord> records = checked_records(place.file("a.jsonl"), 0);
  CHECK(records.size() == Json::parse(result.last_line())["trials"].get<size_t>());
  // A trial whose worker is killed is repeated once: only two kills can make a healthy one fail.
  int failed = 0;
  for (const record::TuningRecord& r : records) failed += r.result.status != record::Status::kOk;
  CHECK(2 * failed <= kills);
  check_resumed(place, 0);
}

}  // namespace

TEST_CASE("a run that is killed loses at most what was under way, and none is repeated") {
  kill_runs(4, 11);
}

TEST_CASE("a run that is killed at 20 moments loses at most what was under way", "[slow]") {
  kill_runs(20, 12);
}

TEST_CASE("killed workers cost nothing but time") { kill_workers(12, 13); }

TEST_CASE("50 killed workers cost nothing but time", "[slow]") { kill_workers(50, 14); }

TEST_CASE("a full disk ends a run with its reason, and it can be gone on with") {
  for (const bool beyond : {false, true}) {
    CAPTURE(beyond);
    const Workplace place;
    const pid_t tune = place.start("tune", tune_words(kEndless, 5));
    REQUIRE(place.says(tune, "tune: trial 1/"));
    // Room for a part of the next line, or none: the file is longer than it may be.
    const auto size = std::filesystem::file_size(place.file("a.jsonl"));
    const rlimit limit{beyond ? size : size + 500, RLIM_INFINITY};
    prlimit(tune, RLIMIT_FSIZE, &limit, nullptr);
    const CommandResult result = place.wait(tune);
    INFO(result.out << result.err);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("tune: error: cannot append to the log 'a.jsonl': ") &&
                               Contains("--resume goes on from there"));
    CHECK(checked_records(place.file("a.jsonl"), 0).size() >= last_reported(result.err));
    CHECK(place.read("a.jsonl").back() == '\n');
    check_resumed(place, 0);
  }
}

TEST_CASE("a log that becomes a directory ends a run with its reason, and what it held stays") {
  const Workplace place;
  std::filesystem::create_directory(place.file("folder"));
  const pid_t tune = place.start("tune", tune_words(kEndless, 6));
  REQUIRE(place.says(tune, "tune: trial 1/"));
  REQUIRE(renameat2(AT_FDCWD, place.file("folder").c_str(), AT_FDCWD, place.file("a.jsonl").c_str(),
                    RENAME_EXCHANGE) == 0);
  const CommandResult result = place.wait(tune);
  INFO(result.out << result.err);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             Contains("tune: error: cannot append to the log 'a.jsonl': it is a directory"));
  CHECK(std::filesystem::is_empty(place.file("a.jsonl")));
  std::filesystem::remove(place.file("a.jsonl"));
  std::filesystem::rename(place.file("folder"), place.file("a.jsonl"));
  CHECK(checked_records(place.file("a.jsonl"), 0).size() >= last_reported(result.err));
  check_resumed(place, 0);
}

}  // namespace tilewright
