#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <set>

#include "tilewright/tuner/measure/device.h"
#include "tuner/measure/check_plan.h"
#include "tuner/measure/scratch_folder.h"
#include "tuner/measure/worker.h"

namespace tilewright::tuner {

using Clock = std::chrono::steady_clock;

/// One event loop over both workers, run inside `next`: nothing happens between its calls but what the workers
/// do by themselves.
class WorkerDevice final : public MeasureDevice {
 public:
  explicit WorkerDevice(WorkerOptions options);

  Baseline prepare(const MeasureTask& task, const Stop& stop) override;
  int depth() const override { return overlap_ ? 3 : 1; }
  void submit(MeasureRequest request) override;
  int pending() const override;
  void drop_waiting() override;
  std::optional<MeasureResult> next(const Stop& stop) override;
  void set_best(double best_secs) override { best_secs_ = best_secs; }
  void keep(const std::vector<int64_t>& ids) override;
  std::vector<std::vector<double>> compare(const std::vector<int64_t>& ids, int rounds,
                                           const Stop& stop) override;

 private:
  struct Trial {
    MeasureRequest request;
    std::string library;
    BuildOutcome built;
    Clock::time_point started;
    bool repeated = false;
  };
  /// How one exchange with a worker ended.
  struct Exchange {
    enum class End : uint8_t { kAnswer, kGone, kTimeout, kMemory, kStopped } end = End::kAnswer;
    std::string text;  ///< the answer, or how the worker ended
  };

  std::string program(const std::string& name) const;
  std::string library_path(int64_t id) const;
  Json builder_task(const ir::PrimFunc& func) const;
  Json runner_message() const;
  Json start(Worker& worker, const Json& task, const std::string& what);
  void start_builder();
  void start_runner();
  /// Sends and waits for the answer.
  Exchange exchange(Worker& worker, const Json& message, double timeout_secs, const Stop& stop);
  /// The same; anything but an answer without "error" is Error "measure.<what>".
  Json ask(Worker& worker, const Json& message, double timeout_secs, const Stop& stop,
           const std::string& what);
  /// Looks whether a worker has answered, died or run out of its limits; nullopt: not yet.
  std::optional<Exchange> look(Worker& worker, Clock::time_point deadline, bool watch_memory);
  void wait_for_workers(double secs) const;

  schedule::Trace build_reference(const ir::PrimFunc& func, const std::string& library,
                                  const Stop& stop);
  bool prove(const MeasureTask& task, const Stop& stop);
  Baseline make_reference(const MeasureTask& task, const Stop& stop);

  void dispatch();
  void on_builder(const Exchange& exchange);
  void on_runner(const Exchange& exchange);
  void finish(Trial trial, record::Measurement measurement);
  /// True when the worker was killed by somebody else and the trial has not been repeated for that yet: a kernel
  /// that eats all memory is caught again, a healthy one is not blamed.
  bool deserves_repeat(const Exchange& exchange, const Worker& worker, Trial& trial) const;

  WorkerOptions options_;
  ScratchFolder folder_;
  Worker builder_, runner_;
  MeasureTask task_;
  RunnerTask runner_task_;
  std::string reference_path_;
  std::string check_reference_, llvm_version_;
  bool overlap_ = false;
  double best_secs_ = 0, baseline_secs_ = 0, first_anchor_secs_ = 0;
  std::deque<Trial> to_build_, to_run_;
  std::optional<Trial> building_, running_;
  Clock::time_point build_deadline_, run_deadline_;
  std::deque<MeasureResult> done_;
  std::set<int64_t> measured_;
};

}  // namespace tilewright::tuner
