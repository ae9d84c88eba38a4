#pragma once

#include <string>

#include "tilewright/tuner/api/report.h"

namespace tilewright::tuner {

/// Shows on standard error how a run goes: a bar that redraws itself on a terminal, else a line for every new best
/// and every tenth of the trials. No line is wider than 80 columns.
class ProgressView {
 public:
  ProgressView();
  /// `task`: what is worked on, where there are several ("3/12 conv2d"); else empty.
  void show(const Progress& progress, const std::string& task = "");
  /// Ends the bar's line.
  void close();

 private:
  bool terminal_ = false;
  bool drawn_ = false;
  ProgressLines lines_;
};

}  // namespace tilewright::tuner
