#include "tilewright/target/target.h"

#include <algorithm>

#include "target/features.h"
#include "target/host.h"
#include "tilewright/support/cpu_features.h"
#include "tilewright/support/error.h"

namespace tilewright {

std::string to_string(TargetKind kind) {
  switch (kind) {
    case TargetKind::kCpu: return "cpu";
    case TargetKind::kCuda: return "cuda";
    case TargetKind::kOpenCl: return "opencl";
  }
  throw InternalError("TargetKind out of range");
}

bool Target::has_feature(std::string_view name) const {
  return std::find(features.begin(), features.end(), name) != features.end();
}

std::optional<std::string> Target::why_unusable(const Target& made_for) const {
  if (made_for.kind != kind) {
    return fmt::format("it is for {}, not {}", tilewright::to_string(made_for.kind),
                       tilewright::to_string(kind));
  }
  if (made_for.arch != arch) {
    return fmt::format("it is for arch '{}', not '{}'", made_for.arch, arch);
  }
  std::string missing;
  for (const std::string& feature : made_for.features) {
    if (has_feature(feature)) continue;
    if (!missing.empty()) missing += ", ";
    missing += feature;
  }
  if (!missing.empty()) return fmt::format("it needs {}, which this target lacks", missing);
  return std::nullopt;
}

Target Target::host() {
  Target target;
  target.arch = target::host_arch();
  target.features = target::close_features(host_cpu_features());
  target.vector_bits = target::widest_vector_bits(target.arch, target.features);
  target.vector_registers = target::vector_register_count(target.arch, target.features);
  target.cores = available_cpu_count();
  const target::CacheSizes caches = target::host_caches();
  target.l1d_bytes = caches.l1d_bytes;
  target.l2_bytes = caches.l2_bytes;
  target.l3_bytes = caches.l3_bytes;
  target.cache_line_bytes = caches.line_bytes;
  return target;
}

}  // namespace tilewright
