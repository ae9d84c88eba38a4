#include "tilewright/tuner/tune.h"

#include "tilewright/record/best.h"
#include "tilewright/support/error.h"
#include "tuner/tuning.h"

namespace tilewright::tuner {

TuneResult tune(const TuneTask& task, Search& search, MeasureDevice& device,
                const TuneOptions& options) {
  Tuning tuning(task, search, device, options);
  if (options.resume && !options.log_path.empty()) {
    tuning.take_over(record::read_log(options.log_path));
  }
  if (options.max_trials == 0) {
    tuning.record_unmeasured();
  } else {
    tuning.prepare();
    tuning.run_trials(options.max_trials, deadline_after(options.budget_secs));
  }
  return tuning.finish();
}

TuneResult tune(const TuneTask& task, std::vector<Sketch> sketches, const TuneOptions& options,
                const WorkerOptions& workers) {
  const MachineSpeeds speeds = options.speeds.value_or(MachineSpeeds{});
  const std::unique_ptr<Search> search = make_search(
      options.search,
      Space(task.measure.func, task.measure.target, task.measure.exec.threads, std::move(sketches)),
      options.model, {options.seed, options.max_trials, speeds});
  const std::unique_ptr<MeasureDevice> device = make_worker_device(workers);
  return tune(task, *search, *device, options);
}

std::string none_valid_text(const TuneResult& result) {
  return record::none_valid_text(result.reasons);
}

schedule::Schedule best_schedule(const TuneTask& task, const TuneResult& result) {
  const ir::PrimFunc& func = task.measure.func;
  if (result.best) return record::apply(func, *result.best).schedule;
  if (result.untried) return schedule::Schedule::replay(func, *result.untried);
  fail("tune.none_valid", "no trial of {} gave a schedule: {}", func->name,
       none_valid_text(result));
}

}  // namespace tilewright::tuner
