#include "target/features.h"

#include <algorithm>

#include "tilewright/support/cpu_features.h"

namespace tilewright::target {
namespace {

struct Implication {
  const char* feature;
  const char* implied;
};

// As in the processor manuals: using the first needs the second.
constexpr Implication kImplications[] = {
    {"sse3", "sse2"},
    {"ssse3", "sse3"},
    {"sse4.1", "ssse3"},
    {"sse4.2", "sse4.1"},
    {"avx", "sse4.2"},
    {"f16c", "avx"},
    {"fma", "avx"},
    {"avx2", "avx"},
    {"vaes", "avx2"},
    {"vaes", "aes"},
    {"vpclmulqdq", "avx"},
    {"vpclmulqdq", "pclmul"},
    {"avxvnni", "avx2"},
    {"avxifma", "avx2"},
    {"avxvnniint8", "avx2"},
    {"avxneconvert", "avx2"},
    {"avx512f", "avx2"},
    {"avx512f", "fma"},
    {"avx512f", "f16c"},
    {"avx512dq", "avx512f"},
    {"avx512ifma", "avx512f"},
    {"avx512cd", "avx512f"},
    {"avx512bw", "avx512f"},
    {"avx512vl", "avx512f"},
    {"avx512vbmi", "avx512bw"},
    {"avx512vbmi2", "avx512bw"},
    {"avx512vnni", "avx512f"},
    {"avx512bitalg", "avx512bw"},
    {"avx512vpopcntdq", "avx512f"},
    {"avx512bf16", "avx512bw"},
    {"avx512fp16", "avx512bw"},
    {"avx512fp16", "avx512vl"},
    {"avx512fp16", "avx512dq"},
    {"amx-int8", "amx-tile"},
    {"amx-bf16", "amx-tile"},
};

bool contains(const std::vector<std::string>& features, std::string_view name) {
  return std::find(features.begin(), features.end(), name) != features.end();
}

}  // namespace

std::vector<std::string> close_features(std::vector<std::string> features) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Implication& rule : kImplications) {
      if (contains(features, rule.feature) && !contains(features, rule.implied)) {
        features.emplace_back(rule.implied);
        changed = true;
      }
    }
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

std::vector<std::string> remove_feature(const std::vector<std::string>& features,
                                        std::string_view name) {
  std::vector<std::string> kept;
  for (const std::string& feature : features) {
    if (!contains(close_features({feature}), name)) kept.push_back(feature);
  }
  return kept;
}

std::vector<std::string> known_features(std::string_view arch) {
  if (arch == "x86_64") return known_cpu_features();
  return {};
}

int widest_vector_bits(std::string_view arch, const std::vector<std::string>& features) {
  if (arch != "x86_64") return 128;
  if (contains(features, "avx512f")) return 512;
  return contains(features, "avx") ? 256 : 128;
}

int vector_register_count(std::string_view arch, const std::vector<std::string>& features) {
  if (arch != "x86_64") return 32;
  return contains(features, "avx512f") ? 32 : 16;
}

}  // namespace tilewright::target
