#include "tilewright/support/cpu_features.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "support/cpu_feature_table.h"

namespace tilewright {

std::vector<std::string> host_cpu_features() {
  std::vector<std::string> names;
  for (const CpuFeatureBit& feature : kCpuFeatureTable) {
    if (cpu_has(feature)) names.emplace_back(feature.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> known_cpu_features() {
  std::vector<std::string> names;
  for (const CpuFeatureBit& feature : kCpuFeatureTable) names.emplace_back(feature.name);
  return names;
}

int available_cpu_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);  // more CPUs than cpu_set_t can hold
  return online > 0 ? static_cast<int>(online) : 1;
}

}  // namespace tilewright
