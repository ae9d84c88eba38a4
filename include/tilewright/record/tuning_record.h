#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/record/task_key.h"
#include "tilewright/schedule/trace.h"
#include "tilewright/target/target.h"

namespace tilewright::record {

/// How a trial ended.
enum class Status : uint8_t {
  kOk,
  kInvalid,  ///< the trace does not replay
  kBuildError,
  kBuildTimeout,
  kRunError,  ///< the kernel returned an error
  kRunTimeout,
  kCrash,
  kOutOfMemory,
  kWrongResult,
  kUnmeasured,  ///< a schedule chosen without a measurement
  kInterrupted,
};

/// "ok", "build_error", ...
const char* to_string(Status status);
std::optional<Status> parse_status(std::string_view word);
std::vector<Status> all_statuses();

/// Parts of a target that decide whether its code runs on a machine, and what the schedule was made for.
struct RecordTarget {
  std::string kind = "cpu";
  std::string arch;
  std::vector<std::string> features;
  int vector_bits = 0;
};
RecordTarget describe(const Target& target);
/// The features and arch of `made_for`, enough for Target::why_unusable. Nullopt: a kind unknown here.
std::optional<Target> as_target(const RecordTarget& made_for);

/// The computer a measurement was made on. For people and for models; takes no part in matching.
struct MachineInfo {
  std::string id;    ///< "m-" and a hash of the rest
  std::string name;  ///< of the processor
  int cores = 0;
  int64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;
  std::optional<double> peak_gflops;
};
/// This machine.
MachineInfo host_machine();

/// What the comparison with the reference looked at.
struct CheckInfo {
  std::string mode;       ///< "exact", "tolerance"; empty: not checked
  int64_t elements = 0;   ///< of all outputs
  std::string reference;  ///< "proved": agreed with the interpreter on a small instance; "unproved"
};

struct Measurement {
  Status status = Status::kUnmeasured;
  std::string reason;  ///< why it is not ok; one line
  CheckInfo check;
  std::vector<double> samples_secs;  ///< seconds per call
  std::optional<double> min_secs, median_secs;
  std::optional<double>
      anchor_ratio;  ///< time of a fixed kernel now, relative to the start of the run
  std::optional<double> compile_secs, trial_secs;
};

/// How the search came to the candidate.
struct SearchInfo {
  std::string run;  ///< "u-..." one call of tune
  uint64_t seed = 0;
  int64_t trial = 0;                    ///< counts from 1
  std::string origin;                   ///< "random", "grid", "default"
  std::optional<double> baseline_secs;  ///< median of the default schedule in the same run
  std::string fault = {};               ///< injected on purpose; empty: none
};

/// One line of a log.
struct TuningRecord {
  static constexpr int kSchema = 1;

  std::string id;    ///< "r-..."
  std::string time;  ///< UTC, "2026-01-31T12:00:00Z"
  TaskKey task;
  std::string task_key;  ///< `task.key()` when it was written
  RecordTarget target;
  MachineInfo machine;
  ExecMode exec;
  schedule::Trace trace;
  Measurement result;
  std::map<std::string, double> predicted;  ///< "prior_secs", "model_secs"
  SearchInfo search;
  std::map<std::string, std::string> versions;
  /// The JSON text it was read from; fields unknown to this version are taken from here when it is
  /// written again. Empty for a new record.
  std::string original;

  /// One line of JSON without the newline. Throws Error "record.too_long" above 64 KiB.
  std::string to_line() const;
  /// Throws Error "record.parse" naming the field, "record.schema" for another schema version and
  /// "record.kind" for a line that is no measurement.
  static TuningRecord from_line(std::string_view line);
};

/// "r-" and ten hexadecimal digits from the parts.
std::string make_id(std::string_view prefix, std::string_view parts);
/// Now, as records write it.
std::string utc_now();

}  // namespace tilewright::record
