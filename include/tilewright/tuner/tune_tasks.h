#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/tuner/tune.h"

namespace tilewright::tuner {

/// One of several tasks tuned in one run.
struct WeightedTask {
  TuneTask task;
  std::vector<Sketch> sketches;
  double weight = 1;  ///< how often it is called, as a share of the time that is to become small
  std::string
      kind;  ///< tasks of the same kind can be expected to reach similar rates: the operator's name
};

struct TaskResult {
  std::optional<TuneResult> result;  ///< none: it could not be measured
  std::string error;                 ///< why
};

struct TasksResult {
  std::vector<TaskResult> tasks;  ///< as given
  StopReason stop = StopReason::kTrials;
  int64_t trials = 0, valid = 0, failed = 0, resumed = 0;  ///< of all tasks
  double wall_secs = 0;
};

/// Sum of weight times best time, of the tasks that have one; `baseline`: of the default schedules.
double weighted_secs(const std::vector<WeightedTask>& tasks, const TasksResult& result,
                     bool baseline);

/// Called as `TuneOptions::on_progress`, with the index of the task; trials, valid and failed are of all tasks.
using TasksProgress = std::function<void(size_t task, const Progress&)>;
/// Makes what a task is measured with.
using DeviceFactory = std::function<std::unique_ptr<MeasureDevice>(size_t task)>;

/// Tunes several tasks with one budget, one log and one cost model: rounds of a few trials go to the task for which the
/// weighted sum of times is expected to fall fastest (Ansor's gradients, see tuner/task_scheduler.h). `options` are as
/// for `tune`: `max_trials` and `budget_secs` are those of all tasks together; `on_progress` is not called. A task
/// that cannot be measured is reported and left out; the others go on. Each task holds its worker processes until the
/// end, when its best schedules are compared.
///
/// Throws Error "log.unwritable", "log.write", "search.unknown", "cost_model.unknown".
TasksResult tune_tasks(const std::vector<WeightedTask>& tasks, const TuneOptions& options,
                       const TasksProgress& on_progress, const DeviceFactory& make_device);

}  // namespace tilewright::tuner
