#pragma once

#include <chrono>
#include <optional>
#include <set>

#include "tilewright/record/log.h"
#include "tilewright/tuner/tune.h"
#include "tuner/finals.h"

namespace tilewright::tuner {

/// One task under tuning: asks the search, measures, records, tells. Everything given to it must outlive it.
///
///     Tuning tuning(task, search, device, options);
///     tuning.prepare();
///     tuning.run_trials(tuning.made() + 8, deadline);    // any number of times
///     TuneResult result = tuning.finish();
class Tuning {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  /// Throws Error "log.unwritable".
  Tuning(const TuneTask& task, Search& search, MeasureDevice& device, const TuneOptions& options);

  /// With `resume`, takes over what `log` holds of this task.
  void take_over(const record::LogContents& log);
  /// Makes the reference. Throws what `MeasureDevice::prepare` throws.
  void prepare();
  /// Records the first candidate of the search without a measurement.
  void record_unmeasured();
  /// Measures until `made()` is `limit`; after `deadline` only what must be for there to be one at all. Gives why it
  /// ended.
  StopReason run_trials(int64_t limit, Clock::time_point deadline);
  /// Trials of this run and those taken over.
  int64_t made() const { return result_.trials + result_.resumed; }
  /// Trials, valid, failed and resumed so far; nothing else is filled in.
  Progress counts() const;
  /// Of the fastest candidate, measured now or taken over, or the default schedule.
  double best_secs() const;
  /// Times the best ones in turn, records the default schedule where it is faster. Once, at the end.
  TuneResult finish();

 private:
  double elapsed() const;
  bool cancelled() const { return options_.cancel && options_.cancel(); }
  void report(Phase phase, const record::TuningRecord* latest = nullptr,
              bool improved = false) const;
  std::optional<double> left_secs() const;
  double finalist_secs() const;
  record::TuningRecord make_record(const Candidate& candidate, int64_t trial) const;
  void append(const record::TuningRecord& record);
  bool no_candidate() const;
  std::string choose_fault(int64_t id) const;
  bool submit_next(int64_t limit);
  void finish_trial(MeasureResult measured);
  void enter_finalists(int64_t id, const record::TuningRecord& record);
  void finals();
  void record_default();

  const TuneTask& task_;
  Search& search_;
  MeasureDevice& device_;
  const TuneOptions& options_;
  Clock::time_point begin_, trials_begin_, deadline_ = kNever;
  std::optional<record::LogWriter> log_;
  record::MachineInfo machine_;
  std::string run_id_;
  std::map<std::string, std::string> versions_;
  std::map<int64_t, std::pair<Candidate, std::string>> under_way_;  // with the fault injected
  std::set<std::string> programs_;  // hashes of those measured, now or in what was taken over
  int64_t next_id_ = 0;
  std::vector<Finalist> finalists_;  // fastest first
  std::optional<record::TuningRecord> resumed_best_;
  Baseline baseline_;
  TuneResult result_;
};

/// The time that is `secs` from now; never, when that is infinite.
Tuning::Clock::time_point deadline_after(double secs);

}  // namespace tilewright::tuner
