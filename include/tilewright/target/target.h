#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class TargetKind : uint8_t { kCpu, kCuda, kOpenCl };

/// "cpu", "cuda" or "opencl".
std::string to_string(TargetKind kind);

/// What code is generated for. Kind, arch and features decide whether code or a tuning record can
/// be used at all (`why_unusable`); everything else is a hint for choosing a schedule and takes no
/// part in matching.
struct Target {
  TargetKind kind = TargetKind::kCpu;
  /// CPU: "x86_64" or "aarch64". CUDA: "sm_90". OpenCL: empty.
  std::string arch;
  /// LLVM feature names, sorted, closed under implication (avx512f brings avx2, fma, ...).
  std::vector<std::string> features;
  /// LLVM target triple for cross compilation; empty means this machine's.
  std::string triple;

  // Hints.
  int vector_bits = 128;  ///< preferred vector width
  int vector_registers = 16;
  int cores = 1;
  int64_t l1d_bytes = 0;  ///< cache sizes: 0 is unknown
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;
  int cache_line_bytes = 64;

  bool operator==(const Target&) const = default;

  bool has_feature(std::string_view name) const;
  /// Elements of `bits` bits in one preferred vector, at least 1.
  int vector_lanes(int bits) const { return vector_bits >= bits ? vector_bits / bits : 1; }

  /// Why code or a record made for `made_for` cannot be used on this target, or nullopt when it
  /// can: the kind and arch must be the same and every feature it requires present.
  std::optional<std::string> why_unusable(const Target& made_for) const;
  bool can_use(const Target& made_for) const { return !why_unusable(made_for); }

  /// The machine this process runs on: features and caches by CPUID (sysfs where CPUID does not
  /// say), cores by the affinity mask. Never by the name of the CPU.
  static Target host();

  /// Parses "cpu", "cpu -arch=x86_64 -features=+avx2,+fma -vector-bits=256 -cores=2 -l1=32k
  /// -l2=512k -l3=32m", "cuda -arch=sm_90", "opencl".
  ///
  /// A cpu target takes what is not given from this machine. `-features=` replaces the feature
  /// list; its item `host` stands for this machine's features, `+x` adds and `-x` removes x with
  /// all that need it. With `-features=` or an `-arch=` that is not this machine's, the vector
  /// width and the number of registers follow from the features.
  ///
  /// Throws Error target.unknown_kind, target.unknown_option, target.unknown_feature (each with the
  /// nearest known name), target.bad_value, target.duplicate_option.
  static Target parse(std::string_view text);

  /// The text that `parse` reads back to an equal target.
  std::string to_string() const;
};

}  // namespace tilewright
