#include "tilewright/tuner/tune_tasks.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tilewright/record/log.h"
#include "tilewright/support/error.h"
#include "tilewright/te/te.h"

namespace tilewright::tuner {
namespace {

using record::Measurement;
using record::Status;
using schedule::Schedule;

WeightedTask scaled(int64_t n, double weight) {
  const te::Tensor a = te::placeholder({n}, kFloat32, "A");
  const te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) + a(i); }, "C");
  WeightedTask work;
  work.task.measure.func = te::create_prim_func({a, c}, "doubled");
  work.task.measure.target = Target::host();
  work.task.key.expr_hash = te::canonical_hash({c});
  work.task.operation_count = static_cast<double>(n);
  work.kind = "doubled";
  work.weight = weight;
  work.sketches = {{"split", [](Schedule& sch, const Target&, int) {
                      const auto f = sch.sample_categorical({1, 2, 4, 8, 16, 32, 64, 128}, {}, "f");
                      const auto u = sch.sample_categorical({0, 1}, {}, "u");
                      const auto loops = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], f);
                      if (u != 0) sch.unroll(loops[1]);
                    }}};
  return work;
}

int64_t number(const schedule::Trace& trace, size_t decision) {
  return std::get<int64_t>(trace.decisions.at(decision).value.data);
}

// Seconds of the default schedule times 1 to 0.3, best at 16.
DeviceFactory devices(const std::vector<double>& baselines) {
  return [baselines](size_t task) {
    const double scale = baselines[task];
    return make_null_device(
        [scale](const schedule::Trace& trace) {
          Measurement m;
          m.status = Status::kOk;
          const double off = std::abs(std::log2(static_cast<double>(number(trace, 0))) - 4);
          const double secs =
              scale * (0.3 + 0.1 * off + 0.01 * static_cast<double>(number(trace, 1)));
          m.samples_secs = {secs};
          m.min_secs = m.median_secs = secs;
          return m;
        },
        scale);
  };
}

class LogFile {
 public:
  LogFile() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-tasks-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LogFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/a.jsonl"; }

 private:
  std::string folder_;
};

TEST_CASE("several tasks share trials, log and progress") {
  const LogFile log;
  const std::vector<WeightedTask> tasks{scaled(256, 1), scaled(512, 10), scaled(1024, 1)};
  TuneOptions options;
  options.max_trials = 30;
  options.seed = 3;
  options.log_path = log.path();
  std::vector<int64_t> seen(3, 0);
  int64_t last = 0;
  const TasksResult result = tune_tasks(
      tasks, options,
      [&](size_t task, const Progress& progress) {
        if (progress.latest) ++seen[task];
        CHECK(progress.trials >= last);
        last = progress.trials;
      },
      devices({1, 1, 1}));
  REQUIRE(result.tasks.size() == 3);
  CHECK(result.trials == 30);
  CHECK(result.stop == StopReason::kTrials);
  CHECK(last == 30);
  const record::LogContents contents = record::read_log(log.path());
  CHECK(contents.records.size() == 30);
  for (size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    REQUIRE(result.tasks[i].result);
    const TuneResult& one = *result.tasks[i].result;
    CHECK(one.trials == seen[i]);
    CHECK(one.trials >= 8);
    REQUIRE(one.best);
    CHECK(one.best->task_key == tasks[i].task.key.key());
    CHECK(one.best_secs < 0.6);
  }
  CHECK(seen[1] > seen[0]);
  CHECK(weighted_secs(tasks, result, true) == Approx(12));
  CHECK(weighted_secs(tasks, result, false) < 7);
}

TEST_CASE("a run over several tasks goes on with what the log holds") {
  const LogFile log;
  const std::vector<WeightedTask> tasks{scaled(256, 1), scaled(512, 1)};
  TuneOptions options;
  options.max_trials = 16;
  options.log_path = log.path();
  tune_tasks(tasks, options, {}, devices({1, 1}));
  options.max_trials = 20;
  options.resume = true;
  const TasksResult result = tune_tasks(tasks, options, {}, devices({1, 1}));
  CHECK(result.resumed == 16);
  CHECK(result.trials == 4);
  std::set<std::string> programs;
  for (const record::TuningRecord& r : record::read_log(log.path()).records) {
    CHECK(programs.insert(r.task_key + r.trace.hash).second);
  }
}

TEST_CASE("tasks that are used up leave the trials to the others") {
  std::vector<WeightedTask> tasks{scaled(256, 1), scaled(512, 1)};
  tasks[0].sketches = {{"split", [](Schedule& sch, const Target&, int) {
                          const auto f = sch.sample_categorical({2, 4}, {}, "f");
                          sch.sample_categorical({0}, {}, "u");
                          sch.split_factor(sch.get_loops(sch.get_block("C"))[0], f);
                        }}};
  TuneOptions options;
  options.max_trials = 100;
  const TasksResult result = tune_tasks(tasks, options, {}, devices({1, 1}));
  CHECK(result.stop == StopReason::kExhausted);
  CHECK(result.tasks[0].result->trials == 2);
  CHECK(result.tasks[1].result->trials > 10);
}

TEST_CASE("a task that cannot be measured is reported and the others go on") {
  class Broken final : public MeasureDevice {
   public:
    Baseline prepare(const MeasureTask&, const Stop&) override {
      fail("measure.reference", "no reference today");
    }
    int depth() const override { return 1; }
    void submit(MeasureRequest) override {}
    int pending() const override { return 0; }
    void drop_waiting() override {}
    std::optional<MeasureResult> next(const Stop&) override { return std::nullopt; }
    void set_best(double) override {}
    void keep(const std::vector<int64_t>&) override {}
    std::vector<std::vector<double>> compare(const std::vector<int64_t>&, int,
                                             const Stop&) override {
      return {};
    }
  };
  const std::vector<WeightedTask> tasks{scaled(256, 1), scaled(512, 1)};
  TuneOptions options;
  options.max_trials = 12;
  const DeviceFactory good = devices({1, 1});
  const TasksResult result =
      tune_tasks(tasks, options, {}, [&](size_t task) -> std::unique_ptr<MeasureDevice> {
        if (task == 0) return std::make_unique<Broken>();
        return good(task);
      });
  CHECK_FALSE(result.tasks[0].result);
  CHECK_THAT(result.tasks[0].error, Catch::Contains("no reference today"));
  REQUIRE(result.tasks[1].result);
  CHECK(result.tasks[1].result->trials == 12);
}

TEST_CASE("cancelling several tasks keeps what is measured") {
  const std::vector<WeightedTask> tasks{scaled(256, 1), scaled(512, 1)};
  TuneOptions options;
  options.max_trials = 64;
  bool cancel = false;
  options.cancel = [&] { return cancel; };
  const TasksResult result = tune_tasks(
      tasks, options, [&](size_t, const Progress& p) { cancel = p.trials >= 10; }, devices({1, 1}));
  CHECK(result.stop == StopReason::kCancelled);
  CHECK(result.trials == 10);
  CHECK(result.tasks[1].result->best);
}

TEST_CASE("no trials: a schedule of each task is recorded") {
  const LogFile log;
  TuneOptions options;
  options.max_trials = 0;
  options.log_path = log.path();
  const TasksResult result =
      tune_tasks({scaled(256, 1), scaled(512, 1)}, options, {}, devices({1, 1}));
  CHECK(result.trials == 0);
  CHECK(result.tasks[1].result->untried);
  CHECK(record::read_log(log.path()).records.size() == 2);
}

}  // namespace
}  // namespace tilewright::tuner
