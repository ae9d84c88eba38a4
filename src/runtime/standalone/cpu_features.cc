// The CPU feature test of a deployed library. See README.md for the rules of this folder.

#include <string.h>

#include "support/cpu_feature_table.h"
#include "tilewright/runtime/abi.h"

namespace {

bool supported(const char* name, size_t length) {
  for (const tilewright::CpuFeatureBit& feature : tilewright::kCpuFeatureTable) {
    if (strlen(feature.name) == length && memcmp(feature.name, name, length) == 0) {
      return tilewright::cpu_has(feature);
    }
  }
  return false;
}

}  // namespace

extern "C" int32_t tw_missing_cpu_feature(const char* features) {
  for (int32_t index = 0; *features; ++index) {
    const size_t length = strcspn(features, ",");
    if (!supported(features, length)) return index;
    features += length;
    if (*features == ',') ++features;
  }
  return -1;
}
