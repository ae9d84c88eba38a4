#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/tuner/tune.h"

/// \file
/// What a run says to people, in words: the same in the command and in Python.

namespace tilewright::tuner {

/// "3.912 ms", "41.2 us", "1.5 s".
std::string secs_text(double secs);
/// "68.6 GFLOP/s"; empty when the number of operations is unknown.
std::string rate_text(double operations, double secs);
/// "73 % of roofline", the least possible time as a share of `secs`; empty when it is unknown.
std::string roofline_text(double roofline_secs, double secs);
/// "3 crash, 1 hang".
std::string counts_text(const std::map<std::string, int64_t>& counts);
/// "trials", "budget", "exhausted" or "interrupted": for programs.
const char* stop_word(StopReason stop);
/// "all trials made", "the time is used up", ...
std::string stop_text(StopReason stop);

/// Where a run stands, in one line without a newline: "trial 12/64: best 3.912 ms, 68.6 GFLOP/s, 73 % of roofline, 11
/// valid, 1 failed, 18 s left"; what is done before and after the trials otherwise.
std::string progress_text(const Progress& progress);
/// The same with a bar, in exactly one line of at most `columns` characters.
std::string progress_bar(const Progress& progress, size_t columns);

/// Decides what of a run is worth a line of a growing text: each phase, each new best, every tenth of the trials.
class ProgressLines {
 public:
  /// The line, at most `columns` characters; empty: nothing to say.
  std::string next(const Progress& progress, size_t columns);

 private:
  bool baseline_shown_ = false;
  int tenths_ = 0;
};

/// The closing table: a title (empty: one more line of the row before) and a text each.
using ReportRows = std::vector<std::pair<std::string, std::string>>;
ReportRows result_rows(const TuneTask& task, const TuneOptions& options, const TuneResult& result);

}  // namespace tilewright::tuner
