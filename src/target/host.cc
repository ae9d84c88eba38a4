#include "target/host.h"

#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tilewright::target {
namespace {

void set_level(CacheSizes& caches, int level, int64_t size_bytes, int line_bytes) {
  if (size_bytes <= 0) return;
  if (level == 1) caches.l1d_bytes = size_bytes;
  if (level == 2) caches.l2_bytes = size_bytes;
  if (level == 3) caches.l3_bytes = size_bytes;
  if (level == 1 && line_bytes > 0) caches.line_bytes = line_bytes;
}

#if defined(__x86_64__)
// Intel's leaf 4 and AMD's leaf 0x8000001D have the same format: one cache per subleaf.
CacheSizes cpuid_caches(unsigned leaf) {
  CacheSizes caches;
  for (unsigned subleaf = 0; subleaf < 16; ++subleaf) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid_count(leaf, subleaf, &eax, &ebx, &ecx, &edx)) break;
    constexpr unsigned kNone = 0, kInstruction = 2;
    const unsigned type = eax & 0x1f;
    if (type == kNone) break;
    if (type == kInstruction) continue;
    const int64_t line = (ebx & 0xfff) + 1;
    const int64_t partitions = ((ebx >> 12) & 0x3ff) + 1;
    const int64_t ways = (ebx >> 22) + 1;
    const int64_t sets = static_cast<int64_t>(ecx) + 1;
    set_level(caches, (eax >> 5) & 7, line * partitions * ways * sets, static_cast<int>(line));
  }
  return caches;
}
#endif

// "48K", "2048K", "480M" in sysfs.
int64_t parse_sysfs_size(const std::string& text) {
  int64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    value = value * 10 + text[i] - '0';
  if (i < text.size() && text[i] == 'K') value <<= 10;
  if (i < text.size() && text[i] == 'M') value <<= 20;
  return value;
}

std::string read_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

}  // namespace

std::string host_arch() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

CacheSizes sysfs_caches(const std::string& directory) {
  CacheSizes caches;
  for (int index = 0; index < 16; ++index) {
    const std::string folder = directory + "/index" + std::to_string(index);
    const std::string level = read_word(folder + "/level");
    if (level.empty()) break;
    if (read_word(folder + "/type") == "Instruction") continue;
    const int64_t line = parse_sysfs_size(read_word(folder + "/coherency_line_size"));
    set_level(caches, level[0] - '0', parse_sysfs_size(read_word(folder + "/size")),
              static_cast<int>(line));
  }
  return caches;
}

CacheSizes host_caches() {
  CacheSizes caches;
#if defined(__x86_64__)
  caches = cpuid_caches(4);
  if (caches.l1d_bytes == 0) caches = cpuid_caches(0x8000001d);
#endif
  if (caches.l1d_bytes && caches.l2_bytes) return caches;
  const CacheSizes fallback = sysfs_caches("/sys/devices/system/cpu/cpu0/cache");
  if (!caches.l1d_bytes) {
    caches.l1d_bytes = fallback.l1d_bytes;
    caches.line_bytes = fallback.line_bytes;
  }
  if (!caches.l2_bytes) caches.l2_bytes = fallback.l2_bytes;
  if (!caches.l3_bytes) caches.l3_bytes = fallback.l3_bytes;
  return caches;
}

}  // namespace tilewright::target
