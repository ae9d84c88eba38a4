#pragma once

#include <cstdint>
#include <string>

namespace tilewright::target {

struct CacheSizes {
  int64_t l1d_bytes = 0;  // 0: unknown
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;
  int line_bytes = 64;
};

/// Name of the arch this program was compiled for: "x86_64", "aarch64" or "unknown".
std::string host_arch();

/// By CPUID leaf 4 or 0x8000001D, what is still unknown from sysfs.
CacheSizes host_caches();

/// By the sysfs folder `directory` (one that holds index0, index1, ...).
CacheSizes sysfs_caches(const std::string& directory);

}  // namespace tilewright::target
