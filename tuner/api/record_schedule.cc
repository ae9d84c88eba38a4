#include "tilewright/tuner/api/record_schedule.h"

#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"
#include "tilewright/tuner/api/probe.h"
#include "tuner/tuning.h"

namespace tilewright::tuner {
namespace {

/// A search with one candidate.
class OneSchedule final : public Search {
 public:
  explicit OneSchedule(schedule::Trace trace) : candidate_({std::move(trace), "manual", {}}) {}
  std::string name() const override { return "manual"; }
  std::optional<Candidate> ask() override { return std::exchange(candidate_, std::nullopt); }
  void tell(const Candidate&, const record::Measurement&) override {}
  bool restore(const record::TuningRecord&) override { return false; }
  const std::map<std::string, int64_t>& rejected() const override { return rejected_; }

 private:
  std::optional<Candidate> candidate_;
  std::map<std::string, int64_t> rejected_;
};

// Functions made from the same tensors may have any name.
bool same_program(const ir::PrimFunc& a, const ir::PrimFunc& b) {
  const ir::PrimFunc renamed(new ir::PrimFuncNode(b->name, a->params, a->assumptions, a->allocs,
                                                  a->body, a->level, a->attrs));
  return ir::structural_equal(renamed, b);
}

}  // namespace

record::TuningRecord record_schedule(const TuneTask& task, const schedule::Schedule& sch,
                                     const std::string& log_path, const Stop& cancel,
                                     const WorkerOptions& workers) {
  const ir::PrimFunc& func = task.measure.func;
  if (!same_program(sch.original(), func)) {
    fail("record.program", "the schedule is of another program than '{}', which it is recorded for",
         func->name);
  }
  TuneOptions options;
  options.max_trials = 1;
  options.log_path = log_path;
  options.speeds = host_speeds().speeds;
  options.cancel = cancel;
  std::optional<record::TuningRecord> record;
  options.on_progress = [&record](const Progress& progress) {
    if (progress.latest) record = *progress.latest;
  };
  OneSchedule search(schedule::Schedule::replay(func, sch.trace()).sealed_trace());
  const std::unique_ptr<MeasureDevice> device = make_worker_device(workers);
  Tuning tuning(task, search, *device, options);
  tuning.prepare();
  tuning.run_trials(1, Tuning::kNever);
  if (!record) fail("measure.stopped", "stopped");
  return *record;
}

}  // namespace tilewright::tuner
