#include "tilewright/tuner/tune.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tilewright/record/best.h"
#include "tilewright/support/error.h"
#include "tilewright/te/te.h"

namespace tilewright::tuner {
namespace {

using record::Measurement;
using record::Status;
using schedule::Schedule;

class LogFile {
 public:
  LogFile() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-tune-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LogFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/a.jsonl"; }
  record::LogContents read() const { return record::read_log(path()); }

 private:
  std::string folder_;
};

TuneTask task() {
  te::Tensor a = te::placeholder({64}, kFloat32, "A");
  te::Tensor c = te::compute(
      {64}, [&](te::Var i) { return a(i) + a(i); }, "C");
  TuneTask result;
  result.measure.func = te::create_prim_func({a, c}, "doubled");
  result.measure.target = Target::host();
  result.key.expr_hash = te::canonical_hash({c});
  return result;
}

void split_sketch(Schedule& sch, const Target&, int) {
  const auto factor = sch.sample_categorical({2, 4, 8, 16, 32, 64}, {}, "f");
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], factor);
}

int64_t factor_of(const schedule::Trace& trace) {
  return std::get<int64_t>(trace.decisions.at(0).value.data);
}

Measurement took(double secs) {
  Measurement m;
  m.status = Status::kOk;
  m.samples_secs = {secs, secs, secs};
  m.min_secs = m.median_secs = secs;
  return m;
}

Measurement failure(Status status, const std::string& reason) {
  Measurement m;
  m.status = status;
  m.reason = reason;
  return m;
}

// 16 is the best factor.
Measurement model(const schedule::Trace& trace) {
  return took(1e-3 * (1 + std::abs(std::log2(static_cast<double>(factor_of(trace))) - 4)));
}

TuneResult run(const NullModel& null_model, TuneOptions options,
               SketchFunction sketch = split_sketch, double baseline_secs = 1) {
  const TuneTask what = task();
  const auto search = make_random_search(
      Space(what.measure.func, what.measure.target, 1, {{"split", std::move(sketch)}}),
      options.seed);
  const auto device = make_null_device(null_model, baseline_secs);
  return tune(what, *search, *device, options);
}

TEST_CASE("the best schedule is found and everything is in the log") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 6;
  options.log_path = log.path();
  std::vector<Phase> phases;
  int trials_seen = 0;
  options.on_progress = [&](const Progress& progress) {
    if (phases.empty() || phases.back() != progress.phase) phases.push_back(progress.phase);
    trials_seen += progress.latest != nullptr;
  };
  const TuneResult result = run(model, options);
  CHECK(result.trials == 6);
  CHECK(result.valid == 6);
  CHECK(result.failed == 0);
  CHECK(result.baseline_secs == 1);
  CHECK(trials_seen == 6);
  CHECK(phases == std::vector<Phase>{Phase::kPrepare, Phase::kTrials, Phase::kFinals});
  REQUIRE(result.best);
  CHECK(factor_of(result.best->trace) == 16);

  const record::LogContents contents = log.read();
  REQUIRE(contents.records.size() == 6);
  CHECK(contents.skipped.empty());
  for (size_t i = 0; i < 6; ++i)
    CHECK(contents.records[i].search.trial == static_cast<int64_t>(i) + 1);
  const TuneTask what = task();
  const record::BestResult best =
      record::apply_best(what.measure.func, contents, {what.key.key(), what.measure.target, {}});
  REQUIRE(best.applied);
  CHECK(best.applied->record.id == result.best->id);
  CHECK_FALSE(best.applied->drifted);
}

TEST_CASE("a run goes on with what the log holds") {
  const LogFile log;
  TuneOptions options;
  options.log_path = log.path();
  options.max_trials = 2;
  const TuneResult first = run(model, options);
  CHECK(first.trials == 2);
  options.resume = true;
  int measured = 0;
  const NullModel counting = [&](const schedule::Trace& trace) {
    ++measured;
    return model(trace);
  };
  options.max_trials = 5;
  options.seed = 3;
  const TuneResult second = run(counting, options);
  CHECK(second.resumed == 2);
  CHECK(second.trials == 3);
  CHECK(measured == 3);
  std::set<std::string> programs;
  for (const record::TuningRecord& r : log.read().records) programs.insert(r.trace.hash);
  CHECK(programs.size() == 5);
  CHECK(log.read().records.back().search.trial == 5);
  CHECK(second.best_secs <= first.best_secs);

  options.max_trials = 5;  // nothing is left to do, and the best is known
  const TuneResult third = run(counting, options);
  CHECK(third.resumed == 5);
  CHECK(third.trials == 0);
  REQUIRE(third.best);
  CHECK(third.best_secs == second.best_secs);

  options.resume = false;  // without it an existing log counts for nothing
  CHECK(run(counting, options).trials == 5);
}

TEST_CASE("injected faults cost one trial each, are named and never win") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 6;
  options.seed = 5;
  options.log_path = log.path();
  options.faults = {{"crash", 0.2}, {"hang", 0.2}, {"wrong", 0.2}};
  const TuneResult result = run(model, options);
  int64_t injected = 0;
  for (const auto& [kind, n] : result.injected) injected += n;
  CHECK(injected > 0);
  CHECK(result.failed == injected);
  for (const record::TuningRecord& r : log.read().records) {
    const std::string& fault = r.search.fault;
    CHECK(r.result.status == (fault.empty() ? Status::kOk : status_of_fault(fault)));
  }
  if (result.best) CHECK(result.best->search.fault.empty());
}

TEST_CASE("more trials than schedules end by themselves") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 64;
  options.log_path = log.path();
  TuneResult result = run(model, options);
  CHECK(result.trials == 6);
  CHECK(result.stop == StopReason::kExhausted);
  result = run([](const schedule::Trace&) { return took(1e-3); }, options,
               [](Schedule&, const Target&, int) {});
  CHECK(result.trials == 1);
  CHECK(result.stop == StopReason::kExhausted);
  CHECK(result.best);
  CHECK(log.read().records.size() == 7);
}

TEST_CASE("a run in which everything fails says so") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 5;
  options.log_path = log.path();
  const TuneResult result =
      run([](const schedule::Trace&) { return failure(Status::kBuildError, "no compiler today"); },
          options);
  CHECK(result.trials == 5);
  CHECK(result.valid == 0);
  CHECK(result.failed == 5);
  CHECK_FALSE(result.best);
  CHECK(result.failures.at("build_error") == 5);
  CHECK(result.reasons.at("no compiler today") == 5);
  const record::LogContents contents = log.read();
  REQUIRE(contents.records.size() == 5);
  CHECK_FALSE(contents.records[0].result.median_secs);
  CHECK(contents.records[0].result.reason == "no compiler today");
}

TEST_CASE("failures in between do not stop the search") {
  TuneOptions options;
  options.max_trials = 6;
  const TuneResult result = run(
      [](const schedule::Trace& trace) {
        return factor_of(trace) > 8 ? failure(Status::kCrash, "killed by signal 11") : model(trace);
      },
      options);
  CHECK(result.valid == 3);
  CHECK(result.failed == 3);
  CHECK(factor_of(result.best->trace) == 8);
}

TEST_CASE("the same seed gives the same run") {
  const auto order = [](uint64_t seed) {
    std::vector<int64_t> factors;
    TuneOptions options;
    options.max_trials = 4;
    options.seed = seed;
    options.on_progress = [&](const Progress& progress) {
      if (progress.latest) factors.push_back(factor_of(progress.latest->trace));
    };
    run(model, options);
    return factors;
  };
  CHECK(order(3) == order(3));
  CHECK((order(3) != order(4) || order(3) != order(5)));
}

TEST_CASE("cancelling keeps what is measured") {
  const LogFile log;
  std::atomic<bool> cancel{false};
  TuneOptions options;
  options.max_trials = 6;
  options.log_path = log.path();
  options.cancel = [&] { return cancel.load(); };
  options.on_progress = [&](const Progress& progress) { cancel = progress.trials == 2; };
  const TuneResult result = run(model, options);
  CHECK(result.stop == StopReason::kCancelled);
  CHECK(result.trials == 2);
  CHECK(result.best);
  CHECK(log.read().records.size() == 2);
}

TEST_CASE("a budget ends the run, but one trial is always made") {
  TuneOptions options;
  options.max_trials = 1000;
  options.budget_secs = 1e-9;
  const TuneResult result = run(model, options);
  CHECK(result.stop == StopReason::kBudget);
  CHECK(result.trials == 1);
}

TEST_CASE("no trials: one schedule is recorded without a measurement") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 0;
  options.log_path = log.path();
  const TuneResult result = run(model, options);
  CHECK(result.trials == 0);
  CHECK(result.unmeasured == 1);
  const record::LogContents contents = log.read();
  REQUIRE(contents.records.size() == 1);
  CHECK(contents.records[0].result.status == Status::kUnmeasured);
}

TEST_CASE("when nothing beats the default schedule, that is recorded as the best") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 3;
  options.log_path = log.path();
  const TuneResult result = run(model, options, split_sketch, 1e-6);
  REQUIRE(result.best);
  CHECK(result.best->search.origin == "default");
  CHECK(result.trials == 4);
  CHECK(log.read().records.size() == 4);
}

TEST_CASE("when no candidate can be made, the default schedule is recorded") {
  const auto refused = [](Schedule& sch, const Target&, int) {
    sch.sample_categorical({1, 2, 3}, {}, "f");
    sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 0);
  };
  for (const int64_t trials : {3, 0}) {
    const LogFile log;
    TuneOptions options;
    options.max_trials = trials;
    options.log_path = log.path();
    const TuneResult result = run(model, options, refused, 2);
    CHECK(result.stop == StopReason::kExhausted);
    CHECK_FALSE(result.rejected.empty());
    const record::LogContents contents = log.read();
    REQUIRE(contents.records.size() == 1);
    CHECK(contents.records[0].search.origin == "default");
    CHECK(result.unmeasured == (trials == 0));
    if (trials == 0) continue;
    REQUIRE(result.best);
    CHECK(result.best_secs == 2);
    CHECK(result.valid == 1);
  }
}

TEST_CASE("a log that cannot be written is found before anything else") {
  TuneOptions options;
  options.log_path = "/nonexistent/a.jsonl";
  bool measured = false;
  const auto count = [&](const schedule::Trace& trace) {
    measured = true;
    return model(trace);
  };
  CHECK_THROWS_AS(run(count, options), Error);
  CHECK_FALSE(measured);
}

}  // namespace
}  // namespace tilewright::tuner
