#pragma once

#include <string>
#include <vector>

namespace tilewright::cli {

// The parts of `tilewright log` that write logs or compare them.
int run_log_add(const std::vector<std::string>& arguments);
int run_log_diff(const std::vector<std::string>& arguments);
int run_log_merge(const std::vector<std::string>& arguments);
int run_log_prune(const std::vector<std::string>& arguments);

}  // namespace tilewright::cli
