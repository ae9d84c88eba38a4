#include <cmath>

#include "tilewright/record/best.h"
#include "tilewright/support/error.h"
#include "tuning_support.h"

namespace tilewright::testing {
namespace {

using record::Status;
using schedule::Trace;

constexpr int64_t kN = 64;

// 80 programs; `rows` 1, `cols` 8, `depth` 1 is the fastest for `time_of`.
void tiled(Schedule& sch, const Target&, int) {
  const auto rows = sch.sample_categorical({1, 2, 4, 8, 16}, {}, "rows");
  const auto cols = sch.sample_categorical({8, 16, 32, 64}, {}, "cols");
  const auto depth = sch.sample_categorical({1, 2, 4, 8}, {}, "depth");
  const std::vector<Loop> loops = sch.get_loops(sch.get_block("C"));
  const auto i = sch.split_factor(loops[0], rows);
  const auto j = sch.split_factor(loops[1], cols);
  const auto k = sch.split_factor(loops[2], depth);
  sch.reorder({i[0], j[0], k[0], k[1], i[1], j[1]});
}

double time_of(const Trace& trace) {
  return 1e-4 * static_cast<double>(decided(trace, "rows") + decided(trace, "cols") +
                                    decided(trace, "depth"));
}

// Unrolls a tile that is too large for the code generator, whatever is drawn.
void exploding(Schedule& sch, const Target&, int) {
  std::vector<int64_t> values;
  for (int64_t v = 20; v < kN; ++v) values.push_back(v);
  const std::vector<Loop> loops = sch.get_loops(sch.get_block("C"));
  const auto i = sch.split_factor(loops[0], sch.sample_categorical(values, {}, "rows"));
  for (Loop loop : {i[1], loops[1], loops[2]}) sch.unroll(loop);
}

struct Run {
  tuner::TuneTask task;
  tuner::TuneResult result;
  record::LogContents log;
};

Run run(const LogFolder& folder, const std::string& model, int64_t trials,
        const tuner::NullModel& measure) {
  Run run;
  run.task = tuner::te_task(matmul_args(kN), Target::host(), 1);
  tuner::TuneOptions options;
  options.max_trials = trials;
  options.seed = 7;
  options.log_path = folder.log();
  const auto& m = run.task.measure;
  const auto search = tuner::make_search("evolutionary", {m.func, m.target, 1, {{"tiled", tiled}}},
                                         model, {7, trials, {}});
  const auto device = tuner::make_null_device(measure, 1);
  run.result = tuner::tune(run.task, *search, *device, options);
  run.log = record::read_log(folder.log());
  return run;
}

// The log tells each failure from a success, with its kind and without a time.
void check_failures(const Run& run, int64_t count, Status status) {
  int64_t found = 0;
  for (const record::TuningRecord& r : run.log.records) {
    if (r.result.status == Status::kOk) continue;
    ++found;
    CHECK(r.result.status == status);
    CHECK_FALSE(r.result.reason.empty());
    CHECK_FALSE(r.result.median_secs);
    CHECK_FALSE(r.result.min_secs);
    CHECK(r.result.samples_secs.empty());
  }
  CHECK(found == count);
  CHECK(run.result.failed == count);
  CHECK(run.log.skipped.empty());
}

void check_none_valid(const tuner::TuneTask& task, const tuner::TuneResult& result,
                      const record::LogContents& log, const std::string& reason) {
  CHECK(result.trials == 40);
  CHECK(result.valid == 0);
  CHECK(result.failed == 40);
  CHECK_FALSE(result.best);
  CHECK_THAT(tuner::none_valid_text(result),
             Catch::StartsWith("0 of 40 valid") && Catch::Contains(reason));
  CHECK_THROWS_WITH(tuner::best_schedule(task, result),
                    Catch::Contains("0 of 40 valid") && Catch::Contains(reason));
  const record::BestResult best = record::apply_best(
      task.measure.func, log, {task.key.key(), task.measure.target, task.measure.exec});
  CHECK_FALSE(best.applied);
  CHECK_THAT(best.none_valid, Catch::StartsWith("0 of 40 valid") && Catch::Contains(reason));
  check_case(schedule::default_schedule(task.measure.func), {});
}

}  // namespace

TEST_CASE("K16_all_or_the_first_candidates_fail", "[cases]") {
  const LogFolder folder;
  for (const char* model : {"xgb", "prior", "random"}) {
    DYNAMIC_SECTION("all 40 fail to build, model " << model) {
      int64_t count = 0;
      const Run all = run(folder, model, 40, [&](const Trace&) {
        return failed(Status::kBuildError, ++count % 3 == 0 ? "rare text" : "frequent text");
      });
      check_none_valid(all.task, all.result, all.log, "27 times: frequent text");
      check_failures(all, 40, Status::kBuildError);
    }
    DYNAMIC_SECTION("the first 32 fail, model " << model) {
      int64_t count = 0;
      const Run some = run(folder, model, 64, [&](const Trace& trace) {
        return ++count <= 32 ? failed(Status::kBuildError, "not yet") : took(time_of(trace));
      });
      check_failures(some, 32, Status::kBuildError);
      CHECK(some.result.trials == 64);
      CHECK(some.result.valid == 32);
      REQUIRE(some.result.best);
      CHECK(some.result.best->result.status == Status::kOk);
      CHECK(some.result.best_secs == time_of(some.result.best->trace));
      for (const record::TuningRecord& r : some.log.records) {
        if (r.result.median_secs) CHECK(some.result.best_secs <= *r.result.median_secs);
      }
      check_case(tuner::best_schedule(some.task, some.result), {});
    }
    DYNAMIC_SECTION("half of them fail, model " << model) {
      // What fails looks the fastest, and claims so.
      const auto fails = [](const Trace& trace) { return decided(trace, "depth") <= 2; };
      const Run half = run(folder, model, 80, [&](const Trace& trace) {
        return fails(trace) ? failed(Status::kCrash, "killed by signal 11") : took(time_of(trace));
      });
      CHECK(half.result.trials == 80);
      check_failures(half, 40, Status::kCrash);
      REQUIRE(half.result.best);
      CHECK_FALSE(fails(half.result.best->trace));
      CHECK(half.result.best_secs == Approx(1e-4 * (1 + 8 + 4)));
      check_case(tuner::best_schedule(half.task, half.result), {});
    }
  }
  SECTION("all 40 fail to build in a real builder") {
    tuner::TuneOptions options;
    options.max_trials = 40;
    options.seed = 7;
    options.log_path = folder.log();
    const tuner::TuneTask task = tuner::te_task(matmul_args(kN), Target::host(), 1);
    const tuner::TuneResult result =
        tuner::tune(task, {{"exploding", exploding}}, options, workers());
    check_none_valid(task, result, record::read_log(folder.log()), "lower.unroll_size");
    CHECK(result.failures == std::map<std::string, int64_t>{{"build_error", 40}});
  }
}

}  // namespace tilewright::testing
