#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tilewright/runtime/ndarray.h"

namespace tilewright::runtime {

// Memory that arrays share: the last array to go releases `owner`. `size_bytes` counts from `base`;
// -1 where the memory belongs to somebody else and its size is unknown.
struct NDArray::State {
  State(void* base, int64_t size, std::vector<int64_t> extents, std::vector<int64_t> steps,
        DType element, tw_dl_device where, uint64_t offset, std::shared_ptr<void> keep_alive,
        bool no_writes)
      : shape(std::move(extents)),
        strides(std::move(steps)),
        dtype(element),
        size_bytes(size),
        owner(std::move(keep_alive)),
        read_only(no_writes) {
    tensor.data = base;
    tensor.device = where;
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = to_dl(dtype);
    tensor.shape = shape.data();
    tensor.strides = strides.data();
    tensor.byte_offset = offset;
  }

  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  DType dtype;
  int64_t size_bytes;
  std::shared_ptr<void> owner;
  bool read_only;
  tw_dl_tensor tensor{};
};

/// Number of elements; throws Error ndarray.shape for a negative extent or a count (or byte size)
/// that does not fit int64.
int64_t checked_num_elements(const std::vector<int64_t>& shape, DType dtype);

/// Row-major strides in elements.
std::vector<int64_t> compact_strides(const std::vector<int64_t>& shape);

}  // namespace tilewright::runtime
