#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/measure/runner_data.h"

namespace tilewright::tuner {

/// Runs kernels of one task: what the runner executable does, one request at a time.
///
/// How a kernel is measured: the first call runs on poisoned outputs, is compared with the reference and
/// serves as warm-up; a call that is short, or short enough to become the best, is repeated at once. If the
/// faster one took more than 3 times the best so far, that is all. Else up to 3 samples, and none more if the
/// fastest is above 1.25 times the best; else until 20 ms have been measured, or 12 samples, or they agree to
/// 1 %. A sample is the mean of as many calls as take about 0.2 ms; what other programs had of the core meanwhile
/// does not count for a kernel of one thread (`CallClock`). At last one call on outputs poisoned differently is
/// compared again.
class Runner {
 public:
  explicit Runner(RunnerTask task) : task_(std::move(task)) {}

  /// Runs the reference, writes its outputs to a file and times it: one sample when it takes more than
  /// 0.2 s, else up to 5.
  RunOutcome reference(const std::string& library, const std::string& output);
  /// Measures a candidate. `best_secs` 0: there is none yet. `fault`: what is made to go wrong in its first call, see
  /// measure/device.h; empty: nothing.
  RunOutcome run(const std::string& library, const std::string& reference, double best_secs,
                 const std::string& fault = {});
  /// Times libraries in turn, one sample each a round. A row a library.
  std::vector<std::vector<double>> compare(const std::vector<std::string>& libraries, int rounds);

 private:
  ArgumentSet& arguments(const runtime::FunctionInfo& info);
  double anchor_secs();
  const std::vector<char>& reference_bytes(const std::string& path);

  RunnerTask task_;
  std::unique_ptr<ArgumentSet> arguments_;
  std::string reference_path_;
  std::vector<char> reference_;
  std::vector<float> anchor_data_;
};

/// The runner executable: serves requests on `fd`.
void serve_runner(int fd);

}  // namespace tilewright::tuner
