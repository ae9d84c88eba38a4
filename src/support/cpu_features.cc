#include "tilewright/support/cpu_features.h"

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

}  // namespace tilewright
