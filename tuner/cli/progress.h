#pragma once

#include <string>

#include "tilewright/tuner/tune.h"
#include "tuner/cli/options.h"

namespace tilewright::tuner {

/// "3.912 ms", "41.2 us", "1.5 s".
std::string secs_text(double secs);
/// "68.6 GFLOP/s"; empty when the number of operations is unknown.
std::string rate_text(double operations, double secs);

/// Shows on standard error how a run goes: a bar that redraws itself on a terminal, else a line for every new best
/// and every tenth of the trials. No line is wider than 80 columns.
class ProgressView {
 public:
  explicit ProgressView(const CommandOptions& options);
  void show(const Progress& progress);
  /// Ends the bar's line.
  void close();

 private:
  void bar(const Progress& progress);
  void lines(const Progress& progress);
  std::string trial_count(const Progress& progress) const;
  double share_done(const Progress& progress) const;

  const CommandOptions& options_;
  bool terminal_ = false;
  bool drawn_ = false;
  bool baseline_shown_ = false;
  int tenths_ = 0;
};

}  // namespace tilewright::tuner
