#include "tilewright/tuner/api/report.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tilewright/support/error.h"
#include "tilewright/tuner/api/limits.h"

namespace tilewright::tuner {
namespace {

using Catch::Contains;

Progress some_progress() {
  Progress p;
  p.phase = Phase::kTrials;
  p.trials = 12;
  p.valid = 11;
  p.failed = 1;
  p.max_trials = 64;
  p.elapsed_secs = 4;
  p.left_secs = 18;
  p.baseline_secs = 0.1;
  p.best_secs = 3.912e-3;
  p.operation_count = 268435456;
  p.roofline_secs = 2.8557e-3;
  return p;
}

const record::TuningRecord kRecord;

TEST_CASE("a line of progress says all there is to know") {
  Progress p = some_progress();
  p.latest = &kRecord;
  CHECK(
      progress_text(p) ==
      "trial 12/64: best 3.912 ms, 68.6 GFLOP/s, 73 % of roofline, 11 valid, 1 failed, 18 s left");
  p.max_trials = std::numeric_limits<int64_t>::max();
  p.left_secs = 600;
  p.operation_count = p.roofline_secs = 0;
  CHECK(progress_text(p) == "trial 12: best 3.912 ms, 11 valid, 1 failed, 10 min left");
  p.best_secs = 0;
  CHECK_THAT(progress_text(p), Contains("best none"));
}

TEST_CASE("the bar is one line that fits and is filled by what is done") {
  Progress p = some_progress();
  const std::string bar = progress_bar(p, 79);
  CHECK_THAT(bar, Contains("12/64") && Contains("3.912 ms") && Contains("68.6 GFLOP/s") &&
                      Contains("(73 %)") && Contains("valid 11 failed 1") && Contains("18 s left"));
  CHECK(bar[0] == '[');
  p.trials = 64;
  CHECK_THAT(progress_bar(p, 100), Contains("####]"));
  p.trials = 0;
  CHECK_THAT(progress_bar(p, 100), Contains("[----"));
  p.trials = p.valid = p.failed = p.max_trials = 1'000'000;
  p.left_secs = 1e6;
  for (size_t columns : {40, 60, 79, 200}) {
    CAPTURE(columns);
    CHECK(progress_bar(p, columns).size() <= columns);
    CHECK(progress_bar(p, columns).find('\n') == std::string::npos);
  }
}

TEST_CASE("a growing text gets a line for each phase, new best and tenth") {
  ProgressLines lines;
  Progress p;
  CHECK(lines.next(p, 80) == "building and checking the reference");
  p = some_progress();
  p.best_secs = 0;
  p.trials = 0;
  CHECK(lines.next(p, 80) == "default schedule: 100 ms");
  CHECK(lines.next(p, 80).empty());
  p = some_progress();
  p.latest = &kRecord;
  p.trials = 1;
  p.improved = true;
  CHECK(lines.next(p, 80) == "trial 1/64: 3.912 ms, 68.6 GFLOP/s, 73 % of roofline");
  p.improved = false;
  p.trials = 2;
  CHECK(lines.next(p, 80).empty());
  p.trials = 7;
  CHECK(lines.next(p, 80) == "trial 7/64: best 3.912 ms, 11 valid, 1 failed, 18 s left");
  p.trials = 8;
  CHECK(lines.next(p, 80).empty());
  CHECK(lines.next(p, 80).empty());
  p.phase = Phase::kFinals;
  CHECK(lines.next(p, 80) == "comparing the best ones side by side");
  p.phase = Phase::kTrials;
  p.trials = 64;
  CHECK(lines.next(p, 20).size() <= 20);
}

std::string joined(const ReportRows& rows) {
  std::string text;
  for (const auto& [title, value] : rows) text += title + "|" + value + "\n";
  return text;
}

TEST_CASE("the closing table counts failures by reason, the frequent ones first") {
  TuneTask task;
  task.operation_count = 2e9;
  TuneOptions options;
  options.seed = 5;
  options.log_path = "a.jsonl";
  TuneResult result;
  result.best.emplace();
  result.best->search.origin = "mutate";
  result.best->search.trial = 9;
  result.best_secs = 0.02;
  result.baseline_secs = 0.1;
  result.roofline_secs = 0.01;
  result.trials = 20;
  result.valid = 10;
  result.failed = 10;
  result.failures = {{"crash", 3}, {"wrong_result", 7}};
  result.reasons = {{"a", 1}, {"b", 3}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 2}, {"g", 1}};
  result.rejected = {{"schedule.split.factor: too large", 30}, {"other", 2}};
  const std::string text = joined(result_rows(task, options, result));
  CHECK_THAT(text, Contains("best|20 ms  100 GFLOP/s  50 % of roofline  (trial 9)\n"));
  CHECK_THAT(text, Contains("default|100 ms  (5 times the best)\n"));
  CHECK_THAT(text, Contains("trials|20: 10 valid, 10 failed (3 crash, 7 wrong_result)\n"));
  CHECK_THAT(text,
             Contains("failed|3 x b\n|2 x f\n|1 x a\n|1 x c\n|1 x d\n|2 x 2 other reasons\n"));
  CHECK_THAT(text, Contains("illegal|32 points of the space, most often: schedule.split.factor"));
  CHECK_THAT(text, Contains("ended|all trials made (0.0 s, seed 5)\nlog|a.jsonl\n"));
}

TEST_CASE("limits by effort; trials and seconds replace them and lift each other") {
  const auto trials = [](const Limits& l) { return l.max_trials; };
  const auto secs = [](const Limits& l) { return l.budget_secs; };
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  CHECK(trials(limits_of("none", {}, {})) == 0);
  CHECK(trials(limits_of("default", {}, {})) == 64);
  CHECK(secs(limits_of("quick", {}, {})) == 10);
  CHECK(trials(limits_of("default", 5, {})) == 5);
  CHECK(secs(limits_of("default", 5, {})) == kEndless);
  CHECK(trials(limits_of("full", {}, 3)) == std::numeric_limits<int64_t>::max());
  CHECK(secs(limits_of("full", 7, 3)) == 3);
  CHECK_THROWS_WITH(limits_of("ful", {}, {}), Contains("did you mean 'full'"));
  CHECK_THROWS_AS(limits_of("full", -1, {}), Error);
  CHECK_THROWS_AS(limits_of("full", {}, 0.0), Error);
}

}  // namespace
}  // namespace tilewright::tuner
