#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Names (LLVM's, such as "avx2", "sse4.2", "avx512vl") of the features this CPU and its operating
/// system support, found by CPUID and XGETBV, sorted. Empty on a machine that is not x86-64.
std::vector<std::string> host_cpu_features();

/// Every feature name known for x86-64, in the order of the table.
std::vector<std::string> known_cpu_features();

/// CPUs this process may run on, by its affinity mask; at least 1.
int available_cpu_count();

}  // namespace tilewright
