#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/record/log.h"
#include "tilewright/tuner/measure/device.h"

namespace tilewright::tuner {

struct Finalist {
  int64_t id = 0;  ///< of the measure request
  record::TuningRecord record;
};

struct FinalOutcome {
  size_t winner = 0;       ///< index into the finalists
  double median_secs = 0;  ///< of the winner: as recorded, or in this comparison when that is lower
  /// Set when the winner is not the one with the lowest recorded median.
  std::optional<record::FinalComparison> comparison;
};

/// How many of the fastest candidates of a run are timed again when the best takes `secs`: 5 to 16, the more the shorter
/// that is.
size_t finalist_count(double secs);

/// Times the finalists (fastest recorded one first) in turn, in heats from which the better half goes on until five are
/// left; the first always does. The winner is the one with the lowest median of paired ratios to the first, which keeps
/// its place against a difference below 1 %.
FinalOutcome run_finals(MeasureDevice& device, const std::vector<Finalist>& finalists,
                        const std::string& run_id, const Stop& stop);

}  // namespace tilewright::tuner
