#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/record/tuning_record.h"
#include "tilewright/tuner/measure/device.h"
#include "tilewright/tuner/search/search.h"
#include "tilewright/tuner/space/space.h"

namespace tilewright::tuner {

/// What to tune.
struct TuneTask {
  record::TaskKey key;
  MeasureTask measure;
  double operation_count = 0;  ///< arithmetic operations of one call; 0: unknown
};

enum class Phase : uint8_t { kPrepare, kTrials, kFinals };

/// Where a run stands. The pointers are valid during the call only.
struct Progress {
  Phase phase = Phase::kPrepare;
  int64_t trials = 0, valid = 0, failed = 0;
  int64_t resumed = 0;     ///< trials taken over from the log
  int64_t max_trials = 0;  ///< as TuneOptions
  double budget_secs = std::numeric_limits<double>::infinity();
  double elapsed_secs = 0;
  std::optional<double> left_secs;               ///< until a limit, at the pace so far
  double operation_count = 0;                    ///< of the task; 0: unknown
  double roofline_secs = 0;                      ///< the least that one call can take; 0: unknown
  double baseline_secs = 0;                      ///< 0: not known yet
  double best_secs = 0;                          ///< 0: none yet
  const record::TuningRecord* latest = nullptr;  ///< the trial that has just ended
  bool improved = false;                         ///< it is the best so far
};

struct TuneOptions {
  /// Trials to make; 0: none, the first candidate of the search is recorded without a measurement.
  int64_t max_trials = 64;
  /// Seconds for the trials: after that none but the first is begun.
  double budget_secs = std::numeric_limits<double>::infinity();
  uint64_t seed = 0;                    ///< recorded; the search has it already
  std::string search = "evolutionary";  ///< for the form that makes its own: of `search_names()`
  std::string model = "xgb";            ///< of `cost_model_names()`; evolution alone uses one
  /// What the analytic model and the share of the roofline reckon with, see api/probe.h; none: those of
  /// MachineSpeeds, and nothing is said about a roofline.
  std::optional<MachineSpeeds> speeds;
  std::string log_path;  ///< appended to; empty: no log
  /// Goes on with what the log holds of this task, target and mode: `max_trials` is the total, and no schedule is
  /// measured twice.
  bool resume = false;
  /// Kinds of `fault_kinds()` with the share of trials that each is injected into, at most one a trial.
  std::vector<std::pair<std::string, double>> faults;
  /// Asked again and again, from the calling thread; true: end soon, keep what is measured.
  Stop cancel;
  std::function<void(const Progress&)> on_progress;
};

/// Why a run ended.
enum class StopReason : uint8_t { kTrials, kBudget, kExhausted, kCancelled };

struct TuneResult {
  std::optional<record::TuningRecord> best;
  double best_secs = 0;  ///< median of the best; 0: there is none
  StopReason stop = StopReason::kTrials;
  int64_t resumed = 0;                      ///< measurements taken over from the log
  int64_t trials = 0;                       ///< records of measured candidates written by this run
  int64_t valid = 0;                        ///< of these, status ok
  int64_t failed = 0;                       ///< the rest
  int64_t unmeasured = 0;                   ///< records without a measurement
  std::optional<schedule::Trace> untried;   ///< what such a record holds
  std::map<std::string, int64_t> failures;  ///< failed trials by status
  std::map<std::string, int64_t> injected;  ///< trials that a fault was injected into, by its kind
  std::map<std::string, int64_t> reasons;   ///< and by the text of the reason
  std::map<std::string, int64_t> rejected;  ///< points no schedule can be made of, by reason
  double baseline_secs = 0;                 ///< median of the default schedule
  double roofline_secs = 0;                 ///< the least that one call can take; 0: unknown
  record::CheckInfo check;
  double wall_secs = 0;
};

/// Tunes one task: asks the search, measures, records, tells, until a limit is reached; then times the
/// best 5 to 16 (more of short kernels) in turn, in heats, and takes the winner. Every measurement is in the log before the next one ends.
///
/// Throws Error "log.unwritable" before the first trial, "log.write" when the log can no longer be written, and
/// what `MeasureDevice::prepare` throws.
TuneResult tune(const TuneTask& task, Search& search, MeasureDevice& device,
                const TuneOptions& options);

/// The same with the search and the cost model that the options name, over `sketches`, and worker processes.
/// Throws Error "search.unknown" or "cost_model.unknown" with the nearest name.
TuneResult tune(const TuneTask& task, std::vector<Sketch> sketches, const TuneOptions& options,
                const WorkerOptions& workers = {});

/// The schedule that a run ends with: of its best record, or the one recorded without a measurement. Throws Error
/// "tune.none_valid" with the number of failed trials and the most frequent reason; the default schedule
/// (`schedule::default_schedule`) remains usable then.
schedule::Schedule best_schedule(const TuneTask& task, const TuneResult& result);
/// The text of that error: "0 of 40 valid; most often, 27 times: ...".
std::string none_valid_text(const TuneResult& result);

}  // namespace tilewright::tuner
