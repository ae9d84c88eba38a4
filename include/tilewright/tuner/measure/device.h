#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/record/tuning_record.h"
#include "tilewright/schedule/trace.h"
#include "tilewright/target/target.h"

namespace tilewright::tuner {

/// What is to be measured: one function on one target, called in one way.
struct MeasureTask {
  ir::PrimFunc func;  ///< level scheduled, as te defines it
  Target target;
  record::ExecMode exec;
  /// The same operator with small extents, for proving the reference; may be null.
  ir::PrimFunc shrunken;
  std::map<std::string, int64_t> sizes;  ///< values of symbolic sizes
};

/// The default schedule, compiled and timed: reference of every check and baseline of every speed-up.
struct Baseline {
  std::vector<double> samples_secs;
  double median_secs = 0;
  record::CheckInfo check;
  schedule::Trace trace;
  std::map<std::string, std::string> versions;  ///< of what compiled it
};

/// What can be made to go wrong with a candidate, to test that it costs one trial and is named: "crash" (a
/// segmentation fault), "hang", "oom" (takes memory without end), "wrong" (one wrong output element),
/// "early-return" (nothing is computed).
const std::vector<std::string>& fault_kinds();
/// The status that a trial with this fault ends in.
record::Status status_of_fault(const std::string& kind);

struct MeasureRequest {
  int64_t id = 0;
  schedule::Trace trace;
  std::string fault = {};  ///< injected into its run; empty: none
};

struct MeasureResult {
  int64_t id = 0;
  record::Measurement measurement;
};

/// True when waiting is to end.
using Stop = std::function<bool()>;

/// Builds and runs candidates. The tuner sees nothing else of compilers and machines.
///
/// `prepare` once, then any number of `submit` and `next`; results come in any order, each once. A device
/// that has failed in `prepare` is not used any further.
class MeasureDevice {
 public:
  virtual ~MeasureDevice() = default;

  /// Makes the reference. Throws Error "measure.*" when it cannot be built, run or proved, and
  /// "measure.stopped" when `stop` became true.
  virtual Baseline prepare(const MeasureTask& task, const Stop& stop) = 0;
  /// Candidates it can work on at the same time without waiting.
  virtual int depth() const = 0;
  virtual void submit(MeasureRequest request) = 0;
  /// Submitted and not yet returned by `next`.
  virtual int pending() const = 0;
  /// Forgets what was submitted and has not been started.
  virtual void drop_waiting() = 0;
  /// The next result; nullopt when nothing is pending or `stop` became true.
  virtual std::optional<MeasureResult> next(const Stop& stop) = 0;
  /// From now on results are judged against this time: slower candidates are measured less.
  virtual void set_best(double best_secs) = 0;
  /// Keeps what `compare` needs of the given measured candidates and drops that of all others.
  virtual void keep(const std::vector<int64_t>& ids) = 0;
  /// Times kept candidates in turn; a row of `rounds` seconds each. Empty when it could not be done.
  virtual std::vector<std::vector<double>> compare(const std::vector<int64_t>& ids, int rounds,
                                                   const Stop& stop) = 0;
};

struct WorkerOptions {
  /// Folder of tilewright-builder and tilewright-runner; empty: that of the running program.
  std::string program_folder;
  double build_timeout_secs = 20;
  /// A candidate may take this long plus 5 times the baseline.
  double run_timeout_secs = 4;
  double reference_timeout_secs = 600;
  /// A runner may use this much beyond 4 times the arguments.
  int64_t memory_bytes = int64_t{1} << 30;
  uint64_t data_seed = 1;
};

/// Measures in worker processes: a builder, which compiles, and a runner, which only runs kernels. Builds overlap
/// runs when the kernel leaves a core free. A worker that crashes, hangs or grows too large costs its
/// candidate and is started anew.
std::unique_ptr<MeasureDevice> make_worker_device(WorkerOptions options = {});

/// Measures nothing: answers by a function. For tests of everything above.
using NullModel = std::function<record::Measurement(const schedule::Trace&)>;
std::unique_ptr<MeasureDevice> make_null_device(NullModel model, double baseline_secs = 1);

}  // namespace tilewright::tuner
