#include "tilewright/ir/text.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/support/error.h"
#include "tuner/measure/median.h"
#include "tuner/measure/prove_reference.h"
#include "tuner/measure/worker_device.h"

namespace tilewright::tuner {
namespace {

// Starting a worker and handing it the task.
constexpr double kStartSecs = 60;

int64_t argument_bytes(const ir::PrimFunc& func) {
  int64_t bytes = 0;
  for (const ir::Param& param : func->params) {
    if (!param.buffer) continue;
    int64_t count = param.buffer->dtype.bytes();
    for (const ir::Expr& extent : param.buffer->shape) {
      const auto* value = ir::node_cast<ir::IntImmNode>(extent.get());
      count *= value ? value->value : 1;
    }
    bytes += count;
  }
  return bytes;
}

const Stop kNeverStop = [] { return false; };

}  // namespace

Baseline WorkerDevice::prepare(const MeasureTask& task, const Stop& stop) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    try {
      return make_reference(task, stop);
    } catch (const Error&) {
      // Somebody may have killed a worker; any other failure would only repeat itself.
      const bool killed = builder_.killed_from_outside() || runner_.killed_from_outside();
      if (!killed || attempt == kAttempts) throw;
      builder_.kill();
      runner_.kill();
    }
  }
}

Baseline WorkerDevice::make_reference(const MeasureTask& task, const Stop& stop) {
  task_ = task;
  overlap_ = task.exec.threads < Target::host().cores;
  const CheckPlan plan = plan_check(task.func, options_.data_seed);
  const int64_t memory = options_.memory_bytes + 4 * argument_bytes(task.func) +
                         (int64_t{128} << 20) * task.exec.threads;
  runner_task_ = {plan.data, plan.check, task.sizes, task.exec.threads, memory};
  const bool proved = prove(task, stop);
  check_reference_ = proved ? "proved" : "unproved";

  const std::string library = folder_.file("reference.so");
  reference_path_ = folder_.file("reference.bin");
  start_builder();
  schedule::Trace trace = build_reference(task.func, library, stop);
  start_runner();
  const RunOutcome outcome = run_outcome_from(
      ask(runner_, {{"cmd", "reference"}, {"lib", library}, {"output", reference_path_}},
          options_.reference_timeout_secs, stop, "reference"));
  baseline_secs_ = median(outcome.samples_secs);
  first_anchor_secs_ = outcome.anchor_secs;
  return {outcome.samples_secs,
          baseline_secs_,
          {plan.check.exact ? "exact" : "tolerance", outcome.elements, check_reference_},
          std::move(trace),
          {{"llvm", llvm_version_}}};
}

void WorkerDevice::start_builder() {
  if (builder_.running()) return;
  llvm_version_ = start(builder_, builder_task(task_.func), "builder").at("llvm");
}

void WorkerDevice::start_runner() {
  if (!runner_.running()) start(runner_, runner_message(), "runner");
}

// Starts a worker and hands it its task; again when it is killed meanwhile.
Json WorkerDevice::start(Worker& worker, const Json& task, const std::string& what) {
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    worker.start();
    try {
      return ask(worker, task, kStartSecs, kNeverStop, what);
    } catch (const Error&) {
      if (!worker.killed_from_outside() || attempt == kAttempts) throw;
    }
  }
}

Json WorkerDevice::runner_message() const {
  Json message = {{"cmd", "task"}};
  message.update(to_json(runner_task_));
  return message;
}

Json WorkerDevice::builder_task(const ir::PrimFunc& func) const {
  return {{"cmd", "task"}, {"func", ir::to_text(func)}, {"target", task_.target.to_string()}};
}

schedule::Trace WorkerDevice::build_reference(const ir::PrimFunc& func, const std::string& library,
                                              const Stop& stop) {
  const schedule::Trace trace = schedule::default_schedule(func).sealed_trace();
  const BuildOutcome built = build_outcome_from(
      ask(builder_, {{"cmd", "build"}, {"trace", trace.to_json()}, {"output", library}},
          options_.reference_timeout_secs, stop, "reference"));
  if (built.status != "ok") {
    fail("measure.reference", "the default schedule of {} cannot be built: {}", func->name,
         built.reason);
  }
  return trace;
}

// Compiles and runs the default schedule of the small instance and compares with the interpreter. The
// workers are started with that instance as their task and ended afterwards.
bool WorkerDevice::prove(const MeasureTask& task, const Stop& stop) {
  if (!task.shrunken) return false;
  const std::string library = folder_.file("proof.so"), output = folder_.file("proof.bin");
  const RunnerTask wanted = runner_task_;
  const CheckPlan plan = plan_check(task.shrunken, options_.data_seed);
  runner_task_.data = plan.data;
  runner_task_.check = plan.check;
  task_.func = task.shrunken;
  start_builder();
  build_reference(task.shrunken, library, stop);
  start_runner();
  ask(runner_, {{"cmd", "reference"}, {"lib", library}, {"output", output}},
      options_.reference_timeout_secs, stop, "reference");
  const std::string fault = differs_from_interpreter(task.shrunken, runner_task_, output);
  if (!fault.empty()) {
    fail("measure.reference", "compiled code of {} disagrees with the interpreter: {}",
         task.func->name, fault);
  }
  task_.func = task.func;
  runner_task_ = wanted;
  ask(builder_, builder_task(task_.func), kStartSecs, stop, "builder");
  ask(runner_, runner_message(), kStartSecs, stop, "runner");
  return true;
}

}  // namespace tilewright::tuner
