#pragma once

#include <cstdint>
#include <string>

#include "tilewright/runtime/abi.h"

namespace tilewright::runtime {

/// Memory of one device. Implementations are thread-safe and outlive every array made on them.
class Device {
 public:
  virtual ~Device() = default;

  virtual tw_dl_device id() const = 0;
  /// "cpu", "cuda:0".
  virtual std::string name() const = 0;
  /// True when the host may read and write the memory through its pointer.
  virtual bool host_accessible() const = 0;

  /// `size_bytes` bytes aligned to at least 64, all zero if `zeroed`; never null, also for size 0.
  /// Throws Error device.out_of_memory.
  virtual void* allocate(int64_t size_bytes, bool zeroed) const = 0;
  /// Gives back what `allocate` returned for the same size and `zeroed`.
  virtual void release(void* pointer, int64_t size_bytes, bool zeroed) const = 0;

  virtual void copy_from_host(void* to, const void* from, int64_t size_bytes) const = 0;
  virtual void copy_to_host(void* to, const void* from, int64_t size_bytes) const = 0;
  /// Returns after all work queued on the device has ended.
  virtual void synchronize() const = 0;
};

/// The host's memory. Large zeroed blocks come from the kernel untouched: pages cost memory only
/// once they are used.
const Device& cpu_device();

/// "cpu", "cuda:0", "opencl:1", or "device type 9:0" for a type without a name here.
std::string device_name(tw_dl_device device);

}  // namespace tilewright::runtime
