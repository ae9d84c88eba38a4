#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "tilewright/runtime/device.h"
#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

constexpr int64_t kAlignment = 64;
// The user half of a 48-bit address space: asking the allocator for more is pointless.
constexpr int64_t kLargestBytes = int64_t{1} << 47;
constexpr int64_t kMapFromBytes = int64_t{1} << 20;

int64_t rounded_size(int64_t size_bytes) {
  const int64_t used = size_bytes > 0 ? size_bytes : 1;
  return (used + kAlignment - 1) / kAlignment * kAlignment;
}

[[noreturn]] void out_of_memory(int64_t size_bytes) {
  fail("device.out_of_memory", "cannot allocate {} bytes on cpu", size_bytes);
}

class CpuDevice final : public Device {
 public:
  tw_dl_device id() const override { return {TW_DL_CPU, 0}; }
  std::string name() const override { return "cpu"; }
  bool host_accessible() const override { return true; }

  void* allocate(int64_t size_bytes, bool zeroed) const override {
    if (size_bytes < 0 || size_bytes > kLargestBytes) out_of_memory(size_bytes);
    const auto size = static_cast<size_t>(rounded_size(size_bytes));
    if (zeroed && size_bytes >= kMapFromBytes) {
      void* pointer = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (pointer == MAP_FAILED) out_of_memory(size_bytes);
      return pointer;
    }
    void* pointer = nullptr;
    if (posix_memalign(&pointer, kAlignment, size) != 0) out_of_memory(size_bytes);
    if (zeroed) std::memset(pointer, 0, size);
    return pointer;
  }

  void release(void* pointer, int64_t size_bytes, bool zeroed) const override {
    if (zeroed && size_bytes >= kMapFromBytes) {
      munmap(pointer, static_cast<size_t>(rounded_size(size_bytes)));
    } else {
      std::free(pointer);
    }
  }

  void copy_from_host(void* to, const void* from, int64_t size_bytes) const override {
    if (size_bytes > 0) std::memcpy(to, from, static_cast<size_t>(size_bytes));
  }
  void copy_to_host(void* to, const void* from, int64_t size_bytes) const override {
    copy_from_host(to, from, size_bytes);
  }
  void synchronize() const override {}
};

}  // namespace

const Device& cpu_device() {
  static const CpuDevice device;
  return device;
}

std::string device_name(tw_dl_device device) {
  switch (device.device_type) {
    case TW_DL_CPU: return "cpu";
    case TW_DL_CUDA: return fmt::format("cuda:{}", device.device_id);
    case TW_DL_CUDA_HOST: return fmt::format("cuda_host:{}", device.device_id);
    case TW_DL_OPENCL: return fmt::format("opencl:{}", device.device_id);
    default: return fmt::format("device type {}:{}", device.device_type, device.device_id);
  }
}

}  // namespace tilewright::runtime
