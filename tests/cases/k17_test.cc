#include <map>

#include "tilewright/record/best.h"
#include "tilewright/schedule/replay.h"
#include "tilewright/tuner/api/report.h"
#include "tilewright/tuner/tune_tasks.h"
#include "tuning_support.h"

namespace tilewright::testing {
namespace {

using tuner::StopReason;

constexpr int64_t kTrials = 64;

void six(Schedule& sch, const Target&, int) {
  const auto rows = sch.sample_categorical({2, 4, 8}, {}, "rows");
  const auto cols = sch.sample_categorical({4, 8}, {}, "cols");
  const std::vector<Loop> loops = sch.get_loops(sch.get_block("C"));
  sch.split_factor(loops[0], rows);
  sch.split_factor(loops[1], cols);
}

// What is drawn second is not used: two points, one program.
void one(Schedule& sch, const Target&, int) {
  const auto rows = sch.sample_categorical({4}, {}, "rows");
  sch.sample_categorical({1, 2}, {}, "unused");
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], rows);
}

void none(Schedule& sch, const Target&, int) {
  sch.split_factor(sch.get_loops(sch.get_block("C"))[1], 8);
}

struct Tiny {
  int64_t n;
  tuner::SketchFunction sketch;
  int64_t most;
};

std::vector<Tiny> tiny_tasks() { return {{12, six, 6}, {16, one, 1}, {20, none, 1}}; }

tuner::WeightedTask weighted(const Tiny& tiny) {
  return {tuner::te_task(matmul_args(tiny.n), Target::host(), 1), {{"tiny", tiny.sketch}}, 1, ""};
}

tuner::TuneOptions options_for(const LogFolder& folder, const std::string& search) {
  tuner::TuneOptions options;
  options.max_trials = kTrials;
  options.seed = 5;
  options.search = search;
  options.log_path = folder.log();
  return options;
}

// At most so many measurements of each task, no program twice, and a best one that can be applied.
void check_log(const LogFolder& folder, const std::vector<Tiny>& tasks) {
  const record::LogContents log = record::read_log(folder.log());
  std::map<std::string, std::set<std::string>> programs;
  for (const record::TuningRecord& r : log.records) {
    CHECK(programs[r.task_key].insert(r.trace.hash).second);
  }
  for (const Tiny& tiny : tasks) {
    const tuner::TuneTask task = weighted(tiny).task;
    CHECK(static_cast<int64_t>(programs[task.key.key()].size()) == tiny.most);
    const record::BestResult best = record::apply_best(
        task.measure.func, log, {task.key.key(), task.measure.target, task.measure.exec});
    REQUIRE(best.applied);
    CHECK(best.applied->measured);
  }
}

void check_result(const tuner::TuneResult& result, int64_t most) {
  CHECK(result.trials == most);
  CHECK(result.valid == most);
  CHECK(result.stop == StopReason::kExhausted);
  CHECK_THAT(tuner::stop_text(result.stop), Catch::StartsWith("space exhausted"));
  CHECK(result.best);
}

std::unique_ptr<tuner::MeasureDevice> null_device() {
  return tuner::make_null_device([](const schedule::Trace&) { return took(1e-4); }, 1);
}

}  // namespace

TEST_CASE("K17_more_trials_than_configurations", "[cases]") {
  const LogFolder folder;
  const std::vector<Tiny> tasks = tiny_tasks();
  for (const char* search : {"evolutionary", "random", "grid"}) {
    DYNAMIC_SECTION("one after the other, " << search) {
      for (const Tiny& tiny : tasks) {
        const tuner::WeightedTask work = weighted(tiny);
        const auto& m = work.task.measure;
        const auto how = tuner::make_search(search, {m.func, m.target, 1, work.sketches}, "xgb",
                                            {5, kTrials, {}});
        const auto device = null_device();
        check_result(tuner::tune(work.task, *how, *device, options_for(folder, search)), tiny.most);
      }
      check_log(folder, tasks);
    }
    DYNAMIC_SECTION("in one session, " << search) {
      std::vector<tuner::WeightedTask> work;
      for (const Tiny& tiny : tasks) work.push_back(weighted(tiny));
      tuner::TuneOptions options = options_for(folder, search);
      options.max_trials = kTrials * static_cast<int64_t>(work.size());
      const tuner::TasksResult result =
          tuner::tune_tasks(work, options, {}, [](size_t) { return null_device(); });
      CHECK(result.stop == StopReason::kExhausted);
      CHECK(result.trials == 8);
      for (size_t i = 0; i < tasks.size(); ++i) {
        REQUIRE(result.tasks[i].result);
        check_result(*result.tasks[i].result, tasks[i].most);
      }
      check_log(folder, tasks);
    }
    DYNAMIC_SECTION("measured by workers, " << search) {
      for (const Tiny& tiny : tasks) {
        const tuner::WeightedTask work = weighted(tiny);
        const tuner::TuneResult result =
            tuner::tune(work.task, work.sketches, options_for(folder, search), workers());
        CHECK(result.stop == StopReason::kExhausted);
        REQUIRE(result.best);
        // The default schedule is recorded as well where none of them is faster.
        const bool with_default = result.best->search.origin == "default";
        CHECK(result.trials == tiny.most + (with_default ? 1 : 0));
      }
    }
  }
  SECTION("the only configuration is the default schedule itself") {
    // Noise makes the reference look faster than the same program as a candidate.
    const tuner::TuneTask task = tuner::te_task(matmul_args(12), Target::host(), 1);
    const auto as_default = [](Schedule& sch, const Target&, int) {
      const Schedule made = schedule::default_schedule(sch.func());
      schedule::replay_steps(sch, made.trace());
    };
    const auto& m = task.measure;
    const auto search = tuner::make_search("random", {m.func, m.target, 1, {{"same", as_default}}},
                                           "xgb", {5, kTrials, {}});
    const auto device =
        tuner::make_null_device([](const schedule::Trace&) { return took(1.2); }, 1);
    check_result(tuner::tune(task, *search, *device, options_for(folder, "random")), 1);
  }
}

}  // namespace tilewright::testing
