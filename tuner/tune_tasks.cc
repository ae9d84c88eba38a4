#include "tilewright/tuner/tune_tasks.h"

#include <algorithm>

#include "tilewright/support/error.h"
#include "tuner/task_scheduler.h"
#include "tuner/tuning.h"

namespace tilewright::tuner {
namespace {

// Trials between two decisions of the scheduler.
constexpr int64_t kRound = 8;

class TasksTuning {
 public:
  TasksTuning(const std::vector<WeightedTask>& tasks, const TuneOptions& options,
              const TasksProgress& on_progress, const DeviceFactory& make_device)
      : tasks_(tasks),
        options_(options),
        on_progress_(on_progress),
        make_device_(make_device),
        scheduler_(infos(tasks), options.seed),
        begin_(Tuning::Clock::now()),
        deadline_(deadline_after(options.budget_secs)) {
    const std::shared_ptr<CostModel> model = make_cost_model(options.model, options.seed);
    runs_.resize(tasks.size());
    result_.tasks.resize(tasks.size());
    for (size_t i = 0; i < tasks.size(); ++i) open(i, model);
  }

  TasksResult run() {
    if (options_.resume && !options_.log_path.empty()) {
      const record::LogContents log = record::read_log(options_.log_path);
      for (Run& run : runs_) run.tuning->take_over(log);
    }
    if (options_.max_trials == 0) {
      for (Run& run : runs_) run.tuning->record_unmeasured();
    } else {
      rounds();
    }
    for (size_t i = 0; i < runs_.size(); ++i) finish(i);
    result_.wall_secs = std::chrono::duration<double>(Tuning::Clock::now() - begin_).count();
    return std::move(result_);
  }

 private:
  struct Run {
    std::unique_ptr<Search> search;
    std::unique_ptr<MeasureDevice> device;
    TuneOptions options;
    std::unique_ptr<Tuning> tuning;
    bool prepared = false;
  };

  static std::vector<TaskScheduler::TaskInfo> infos(const std::vector<WeightedTask>& tasks) {
    std::vector<TaskScheduler::TaskInfo> result;
    for (const WeightedTask& t : tasks) {
      result.push_back({t.weight, t.task.operation_count, t.kind});
    }
    return result;
  }

  // What a task can expect of the trials, for searches that plan ahead.
  int64_t expected_trials() const {
    const auto n = static_cast<int64_t>(tasks_.size());
    if (options_.max_trials == std::numeric_limits<int64_t>::max()) return 0;
    return std::max<int64_t>(1, options_.max_trials / n);
  }

  void open(size_t i, const std::shared_ptr<CostModel>& model) {
    const MeasureTask& measure = tasks_[i].task.measure;
    Space space(measure.func, measure.target, measure.exec.threads, tasks_[i].sketches);
    const EvolutionOptions evolution{options_.seed + i, expected_trials(),
                                     options_.speeds.value_or(MachineSpeeds{})};
    Run& run = runs_[i];
    run.search = options_.search == "evolutionary"
                     ? make_evolutionary_search(std::move(space), model, evolution)
                     : make_search(options_.search, std::move(space), options_.model, evolution);
    run.device = make_device_(i);
    run.options = options_;
    run.options.on_progress = [this, i](const Progress& progress) { report(i, progress); };
    run.tuning = std::make_unique<Tuning>(tasks_[i].task, *run.search, *run.device, run.options);
  }

  int64_t made() const {
    int64_t made = 0;
    for (const Run& run : runs_) made += run.tuning->made();
    return made;
  }

  void report(size_t task, Progress progress) const {
    if (!on_progress_) return;
    progress.trials = progress.valid = progress.failed = progress.resumed = 0;
    for (const Run& run : runs_) {
      const Progress one = run.tuning->counts();
      progress.trials += one.trials;
      progress.valid += one.valid;
      progress.failed += one.failed;
      progress.resumed += one.resumed;
    }
    progress.elapsed_secs = std::chrono::duration<double>(Tuning::Clock::now() - begin_).count();
    progress.left_secs = left_secs(progress);
    on_progress_(task, progress);
  }

  // Of all tasks together, as a task alone tells it of its own.
  std::optional<double> left_secs(const Progress& all) const {
    std::optional<double> left;
    if (options_.budget_secs < std::numeric_limits<double>::infinity()) {
      left = std::max(0.0, options_.budget_secs - all.elapsed_secs);
    }
    if (all.trials > 0 && options_.max_trials < std::numeric_limits<int64_t>::max()) {
      const auto missing =
          static_cast<double>(std::max<int64_t>(0, options_.max_trials - all.resumed - all.trials));
      const double secs = missing * all.elapsed_secs / static_cast<double>(all.trials);
      left = left ? std::min(*left, secs) : secs;
    }
    return left;
  }

  bool cancelled() const { return options_.cancel && options_.cancel(); }

  void rounds() {
    const auto round = std::clamp<int64_t>(expected_trials(), 1, kRound);
    while (const std::optional<size_t> task = scheduler_.next()) {
      if (cancelled()) {
        result_.stop = StopReason::kCancelled;
        return;
      }
      if (made() >= options_.max_trials) {
        result_.stop = StopReason::kTrials;
        return;
      }
      // Every task is measured at least once, so that none is left without a valid schedule.
      const bool first = !runs_[*task].prepared;
      if (!first && Tuning::Clock::now() >= deadline_) {
        result_.stop = StopReason::kBudget;
        return;
      }
      give_round(*task, round);
    }
    result_.stop = StopReason::kExhausted;
  }

  void give_round(size_t task, int64_t round) {
    Run& run = runs_[task];
    if (!run.prepared && !prepare(task)) return;
    const int64_t left = options_.max_trials - made();
    const StopReason stop =
        run.tuning->run_trials(run.tuning->made() + std::min(round, left), deadline_);
    scheduler_.tell(task, run.tuning->best_secs());
    if (stop == StopReason::kExhausted) scheduler_.close(task);
  }

  bool prepare(size_t task) {
    try {
      runs_[task].tuning->prepare();
    } catch (const Error& error) {
      if (error.code() == "measure.stopped") {
        result_.stop = StopReason::kCancelled;
      } else {
        result_.tasks[task].error = error.what();
      }
      scheduler_.close(task);
      return false;
    }
    runs_[task].prepared = true;
    return true;
  }

  void finish(size_t i) {
    if (!result_.tasks[i].error.empty()) return;
    TuneResult result = runs_[i].tuning->finish();
    result_.trials += result.trials;
    result_.valid += result.valid;
    result_.failed += result.failed;
    result_.resumed += result.resumed;
    result_.tasks[i].result = std::move(result);
    runs_[i].device.reset();
  }

  const std::vector<WeightedTask>& tasks_;
  const TuneOptions& options_;
  const TasksProgress& on_progress_;
  const DeviceFactory& make_device_;
  TaskScheduler scheduler_;
  Tuning::Clock::time_point begin_, deadline_;
  std::vector<Run> runs_;
  TasksResult result_;
};

}  // namespace

double weighted_secs(const std::vector<WeightedTask>& tasks, const TasksResult& result,
                     bool baseline) {
  double sum = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const std::optional<TuneResult>& one = result.tasks[i].result;
    if (one && one->best) sum += tasks[i].weight * (baseline ? one->baseline_secs : one->best_secs);
  }
  return sum;
}

TasksResult tune_tasks(const std::vector<WeightedTask>& tasks, const TuneOptions& options,
                       const TasksProgress& on_progress, const DeviceFactory& make_device) {
  return TasksTuning(tasks, options, on_progress, make_device).run();
}

}  // namespace tilewright::tuner
