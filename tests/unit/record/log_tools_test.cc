#include <catch2/catch.hpp>
#include <filesystem>

#include "support/expect_error.h"
#include "tilewright/record/log_tools.h"

namespace tilewright::record {
namespace {

TuningRecord make(const std::string& id, const std::string& op, double secs, int threads = 1,
                  Status status = Status::kOk) {
  TuningRecord r;
  r.id = id;
  r.time = "2026-01-31T12:00:00Z";
  r.task.op = op;
  r.task.op_version = 1;
  r.task_key = r.task.key();
  r.target = {"cpu", "x86_64", {}, 256};
  r.exec.threads = threads;
  r.trace.instructions = {{"get_block", 1, {}, {{"name", "C"}}, {"b0"}}};
  r.result.status = status;
  if (status == Status::kOk) {
    r.result.samples_secs = {secs};
    r.result.median_secs = r.result.min_secs = secs;
  } else {
    r.result.reason = "it crashed";
  }
  r.search.run = "u-1";
  return r;
}

LogContents log_of(const std::vector<TuningRecord>& records,
                   const std::vector<FinalComparison>& finals = {}) {
  std::string text;
  for (const TuningRecord& r : records) text += r.to_line() + "\n";
  for (const FinalComparison& f : finals) text += f.to_line() + "\n";
  return parse_log(text, "test.jsonl");
}

std::vector<std::string> lines_of(const LogContents& log) {
  std::vector<std::string> lines;
  for (const TuningRecord& r : log.records) lines.push_back(r.to_line());
  for (const FinalComparison& f : log.finals) lines.push_back(f.to_line());
  return lines;
}

std::vector<std::string> ids(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  std::vector<std::string> result;
  for (const TuningRecord& r : parse_log(text, "").records) result.push_back(r.id);
  return result;
}

}  // namespace

TEST_CASE("log tools: summaries by task, target and threads") {
  const LogContents log = log_of(
      {make("r-1", "matmul", 3e-3), make("r-2", "matmul", 2e-3), make("r-3", "matmul", 1e-3, 2),
       make("r-4", "conv2d", 5e-3), make("r-5", "matmul", 0, 1, Status::kCrash)},
      {{"u-1", "r-1", {"r-2"}, {0.9}, 2.5e-3}});
  const std::vector<TaskSummary> summaries = summarize(log);
  REQUIRE(summaries.size() == 3);
  CHECK(summaries[0].records == 3);
  CHECK(summaries[0].ok == 2);
  CHECK(summaries[0].failures.at("crash") == 1);
  // The winner of the final counts, though its recorded median is higher.
  REQUIRE(summaries[0].best);
  CHECK(summaries[0].best->id == "r-1");
  CHECK(summaries[1].exec.threads == 2);
  CHECK(summaries[2].best->id == "r-4");
}

TEST_CASE("log tools: a record by its id or its beginning") {
  const LogContents log = log_of({make("r-12ab", "matmul", 1), make("r-12cd", "matmul", 1)});
  CHECK(find_record(log, "r-12ab").id == "r-12ab");
  CHECK(find_record(log, "12c").id == "r-12cd");
  testing::expect_error("log.ambiguous_id", {"r-12ab", "r-12cd"},
                        [&] { find_record(log, "r-12"); });
  testing::expect_error("log.unknown_id", {"r-12ae", "r-12ab"},
                        [&] { find_record(log, "r-12ae"); });
  testing::expect_error("log.unknown_id", {"show"}, [&] { find_record(log, ""); });
}

TEST_CASE("log tools: merging takes each entry once and keeps what it cannot read") {
  const auto a = lines_of(log_of({make("r-1", "matmul", 1), make("r-2", "matmul", 2)},
                                 {{"u-1", "r-1", {"r-2"}, {1.1}, 1}}));
  auto b = lines_of(log_of({make("r-2", "matmul", 2), make("r-3", "matmul", 3)},
                           {{"u-1", "r-1", {"r-2"}, {1.1}, 1}}));
  b.push_back("{\"schema\":9,\"kind\":\"measure\",\"id\":\"r-9\"}");
  b.push_back("{\"cut");
  const std::vector<std::string> merged = merge_lines({a, b, b});
  CHECK(ids(merged) == std::vector<std::string>{"r-1", "r-2", "r-3"});
  CHECK(merged.size() == 6);
  CHECK(merge_lines({merged, merged}) == merged);
}

TEST_CASE("log tools: pruning keeps the best of each group and the finals among them") {
  std::vector<TuningRecord> records;
  for (int i = 0; i < 9; ++i) {
    records.push_back(make("r-" + std::to_string(i), "matmul", (9 - i) * 1e-3));
  }
  records.push_back(make("r-other", "conv2d", 1e-3, 1));
  records.push_back(make("r-bad", "matmul", 0, 1, Status::kWrongResult));
  const LogContents log = log_of(records, {{"u-1", "r-7", {"r-8", "r-1"}, {0.98, 0.5}, 2e-3}});
  const std::vector<std::string> lines = prune_lines(log, 2);
  CHECK(ids(lines) == std::vector<std::string>{"r-7", "r-8", "r-other"});
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const LogContents pruned = parse_log(text, "");
  REQUIRE(pruned.finals.size() == 1);
  CHECK(pruned.finals[0].beaten == std::vector<std::string>{"r-8"});
  CHECK(summarize(pruned)[0].best->id == summarize(log)[0].best->id);
}

TEST_CASE("log tools: files are replaced whole") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "tw-log-tools-test.jsonl").string();
  const std::vector<std::string> lines = lines_of(log_of({make("r-1", "matmul", 1)}));
  write_lines(path, lines);
  CHECK(read_lines(path) == lines);
  write_lines(path, {});
  CHECK(read_lines(path).empty());
  std::filesystem::remove(path);
  testing::expect_error("log.unwritable", {"directory"},
                        [] { write_lines(std::filesystem::temp_directory_path().string(), {}); });
  testing::expect_error("log.missing", {"nowhere"}, [] { read_lines("/nowhere/x.jsonl"); });
}

}  // namespace tilewright::record
