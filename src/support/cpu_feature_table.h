#pragma once

// The one table of CPU features and its reader. Written without the C++ library, because a deployed
// kernel library links the reader and depends on libc alone.

#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tilewright {

// What the operating system must save for a feature to be usable: bits of XCR0.
constexpr uint32_t kStateNone = 0;
constexpr uint32_t kStateAvx = 0x6;
constexpr uint32_t kStateAvx512 = 0xe6;
constexpr uint32_t kStateAmx = 0x60000;

enum CpuidRegister : uint8_t { kEax, kEbx, kEcx, kEdx };

struct CpuFeatureBit {
  const char* name;  // LLVM's name
  uint32_t leaf;
  uint32_t subleaf;
  CpuidRegister reg;
  uint8_t bit;
  uint32_t state;
};

constexpr CpuFeatureBit kCpuFeatureTable[] = {
    {"sse2", 1, 0, kEdx, 26, kStateNone},
    {"sse3", 1, 0, kEcx, 0, kStateNone},
    {"pclmul", 1, 0, kEcx, 1, kStateNone},
    {"ssse3", 1, 0, kEcx, 9, kStateNone},
    {"cx16", 1, 0, kEcx, 13, kStateNone},
    {"sse4.1", 1, 0, kEcx, 19, kStateNone},
    {"sse4.2", 1, 0, kEcx, 20, kStateNone},
    {"movbe", 1, 0, kEcx, 22, kStateNone},
    {"popcnt", 1, 0, kEcx, 23, kStateNone},
    {"aes", 1, 0, kEcx, 25, kStateNone},
    {"avx", 1, 0, kEcx, 28, kStateAvx},
    {"f16c", 1, 0, kEcx, 29, kStateAvx},
    {"fma", 1, 0, kEcx, 12, kStateAvx},
    {"bmi", 7, 0, kEbx, 3, kStateNone},
    {"avx2", 7, 0, kEbx, 5, kStateAvx},
    {"bmi2", 7, 0, kEbx, 8, kStateNone},
    {"adx", 7, 0, kEbx, 19, kStateNone},
    {"sha", 7, 0, kEbx, 29, kStateNone},
    {"gfni", 7, 0, kEcx, 8, kStateNone},
    {"vaes", 7, 0, kEcx, 9, kStateAvx},
    {"vpclmulqdq", 7, 0, kEcx, 10, kStateAvx},
    {"lzcnt", 0x80000001, 0, kEcx, 5, kStateNone},
    {"prfchw", 0x80000001, 0, kEcx, 8, kStateNone},
    {"avx512f", 7, 0, kEbx, 16, kStateAvx512},
    {"avx512dq", 7, 0, kEbx, 17, kStateAvx512},
    {"avx512ifma", 7, 0, kEbx, 21, kStateAvx512},
    {"avx512cd", 7, 0, kEbx, 28, kStateAvx512},
    {"avx512bw", 7, 0, kEbx, 30, kStateAvx512},
    {"avx512vl", 7, 0, kEbx, 31, kStateAvx512},
    {"avx512vbmi", 7, 0, kEcx, 1, kStateAvx512},
    {"avx512vbmi2", 7, 0, kEcx, 6, kStateAvx512},
    {"avx512vnni", 7, 0, kEcx, 11, kStateAvx512},
    {"avx512bitalg", 7, 0, kEcx, 12, kStateAvx512},
    {"avx512vpopcntdq", 7, 0, kEcx, 14, kStateAvx512},
    {"avx512fp16", 7, 0, kEdx, 23, kStateAvx512},
    {"avx512bf16", 7, 1, kEax, 5, kStateAvx512},
    {"avxvnni", 7, 1, kEax, 4, kStateAvx},
    {"avxifma", 7, 1, kEax, 23, kStateAvx},
    {"avxvnniint8", 7, 1, kEdx, 4, kStateAvx},
    {"avxneconvert", 7, 1, kEdx, 5, kStateAvx},
    {"amx-bf16", 7, 0, kEdx, 22, kStateAmx},
    {"amx-tile", 7, 0, kEdx, 24, kStateAmx},
    {"amx-int8", 7, 0, kEdx, 25, kStateAmx},
};

/// True when the CPU has the feature and the operating system saves the registers it uses.
inline bool cpu_has(const CpuFeatureBit& feature) {
#if defined(__x86_64__)
  uint32_t regs[4] = {0, 0, 0, 0};
  if (!__get_cpuid(1, &regs[0], &regs[1], &regs[2], &regs[3])) return false;
  if (feature.state != kStateNone) {
    constexpr uint32_t kOsxsave = 1u << 27;
    if (!(regs[kEcx] & kOsxsave)) return false;
    uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & feature.state) != feature.state) return false;
  }
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &regs[0], &regs[1], &regs[2], &regs[3])) {
    return false;
  }
  return (regs[feature.reg] >> feature.bit) & 1;
#else
  (void)feature;
  return false;
#endif
}

}  // namespace tilewright
