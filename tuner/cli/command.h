#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace tilewright::tuner {

/// The `tune` command. Returns the exit code: 0 done, 1 failed (no valid schedule, or measuring is impossible),
/// 2 bad use, 130 when `cancel` became true, with everything measured kept.
int run_command(const std::vector<std::string>& arguments, const std::atomic<bool>& cancel);

}  // namespace tilewright::tuner
