#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::tuner {

/// When a run ends, whichever comes first.
struct Limits {
  int64_t max_trials = 64;
  double budget_secs = 60;
};

/// Limits by name: "none" (0 trials), "quick" (16 or 10 s), "default" (64 or 60 s), "full" (1000 or 1800 s). Trials or
/// seconds given replace those of the effort, and one alone lifts the other. Throws Error "tune.effort" with the
/// nearest name, and "tune.limit" for a negative number of trials or a budget that is not positive.
Limits limits_of(const std::string& effort, std::optional<int64_t> trials,
                 std::optional<double> budget_secs);

}  // namespace tilewright::tuner
