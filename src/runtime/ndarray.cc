#include "tilewright/runtime/ndarray.h"

#include <algorithm>
#include <cstring>

#include "runtime/ndarray_state.h"
#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

int64_t element_bytes(DType dtype) { return int64_t{dtype.bytes()} * dtype.lanes; }

// Lowest and highest byte an array touches, relative to its first element; high is exclusive.
std::pair<int64_t, int64_t> byte_range(const std::vector<int64_t>& shape,
                                       const std::vector<int64_t>& strides, DType dtype) {
  int64_t low = 0, high = element_bytes(dtype);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) return {0, 0};
    int64_t span = 0;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &span) ||
        __builtin_mul_overflow(span, element_bytes(dtype), &span) ||
        __builtin_add_overflow(span < 0 ? low : high, span, span < 0 ? &low : &high)) {
      fail("ndarray.shape", "shape {} with strides {} spans more than 2^63 bytes",
           shape_text(shape), shape_text(strides));
    }
  }
  return {low, high};
}

bool compact(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  int64_t step = 1;
  for (int64_t extent : shape) {
    if (extent == 0) return true;
  }
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

// Copies element by element in row-major order; runs of the last dimension at once where possible.
void copy_strided(char* to, const std::vector<int64_t>& to_strides, const char* from,
                  const std::vector<int64_t>& from_strides, const std::vector<int64_t>& shape,
                  size_t dim, int64_t element) {
  if (dim == shape.size()) {
    std::memcpy(to, from, static_cast<size_t>(element));
    return;
  }
  if (dim + 1 == shape.size() && to_strides[dim] == 1 && from_strides[dim] == 1) {
    std::memcpy(to, from, static_cast<size_t>(element * shape[dim]));
    return;
  }
  for (int64_t i = 0; i < shape[dim]; ++i) {
    copy_strided(to + i * to_strides[dim] * element, to_strides,
                 from + i * from_strides[dim] * element, from_strides, shape, dim + 1, element);
  }
}

bool on_host(tw_dl_device device) {
  return device.device_type == TW_DL_CPU || device.device_type == TW_DL_CUDA_HOST;
}

}  // namespace

std::string shape_text(std::span<const int64_t> extents) {
  std::string text = "(";
  for (size_t i = 0; i < extents.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(extents[i]);
  }
  return text + (extents.size() == 1 ? ",)" : ")");
}

int64_t checked_num_elements(const std::vector<int64_t>& shape, DType dtype) {
  for (int64_t extent : shape) {
    if (extent < 0) fail("ndarray.shape", "shape {} has a negative extent", shape_text(shape));
  }
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (int64_t extent : shape) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(count, extent, &count) ||
        __builtin_mul_overflow(count, element_bytes(dtype), &bytes)) {
      fail("ndarray.shape", "shape {} of {} has more than 2^63 bytes", shape_text(shape),
           to_string(dtype));
    }
  }
  return count;
}

std::vector<int64_t> compact_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    // Only an array without elements can overflow here; its strides mean nothing.
    if (__builtin_mul_overflow(step, std::max<int64_t>(shape[i], 1), &step)) step = 1;
  }
  return strides;
}

const NDArray::State& NDArray::state() const {
  if (!state_) fail("ndarray.undefined", "the array is undefined");
  return *state_;
}

NDArray NDArray::allocate(std::vector<int64_t> shape, DType dtype, const Device& device,
                          bool zeroed) {
  const int64_t size_bytes = checked_num_elements(shape, dtype) * element_bytes(dtype);
  void* base = device.allocate(size_bytes, zeroed);
  std::shared_ptr<void> owner(base, [&device, size_bytes, zeroed](void* pointer) {
    device.release(pointer, size_bytes, zeroed);
  });
  std::vector<int64_t> strides = compact_strides(shape);
  return NDArray(
      std::shared_ptr<const State>(new State(base, size_bytes, std::move(shape), std::move(strides),
                                             dtype, device.id(), 0, std::move(owner), false)));
}

NDArray NDArray::empty(std::vector<int64_t> shape, DType dtype, const Device& device) {
  return allocate(std::move(shape), dtype, device, false);
}

NDArray NDArray::zeros(std::vector<int64_t> shape, DType dtype, const Device& device) {
  return allocate(std::move(shape), dtype, device, true);
}

NDArray NDArray::from_bytes(std::vector<int64_t> shape, DType dtype, const void* bytes,
                            int64_t size_bytes) {
  NDArray array = empty(std::move(shape), dtype);
  if (array.size_bytes() != size_bytes) {
    fail("ndarray.shape", "{} has {} bytes, but {} bytes of values were given", array.describe(),
         array.size_bytes(), size_bytes);
  }
  cpu_device().copy_from_host(array.data(), bytes, size_bytes);
  return array;
}

NDArray NDArray::from_view(void* data, std::vector<int64_t> shape, std::vector<int64_t> strides,
                           DType dtype, std::shared_ptr<void> keep_alive, bool read_only,
                           uint64_t byte_offset, tw_dl_device device) {
  checked_num_elements(shape, dtype);
  if (strides.empty()) strides = compact_strides(shape);
  if (strides.size() != shape.size()) {
    fail("ndarray.shape", "shape {} has rank {}, but {} strides were given", shape_text(shape),
         shape.size(), strides.size());
  }
  byte_range(shape, strides, dtype);
  return NDArray(std::shared_ptr<const State>(
      new State(data, -1, std::move(shape), std::move(strides), dtype, device, byte_offset,
                std::move(keep_alive), read_only)));
}

const std::vector<int64_t>& NDArray::shape() const { return state().shape; }
const std::vector<int64_t>& NDArray::strides() const { return state().strides; }
DType NDArray::dtype() const { return state().dtype; }
tw_dl_device NDArray::device() const { return state().tensor.device; }
bool NDArray::read_only() const { return state().read_only; }
const tw_dl_tensor* NDArray::dl_tensor() const { return &state().tensor; }

int64_t NDArray::num_elements() const { return checked_num_elements(shape(), dtype()); }

bool NDArray::is_compact() const { return compact(shape(), strides()); }

void* NDArray::data() const {
  return static_cast<char*>(state().tensor.data) + state().tensor.byte_offset;
}

NDArray NDArray::view(std::vector<int64_t> shape, std::vector<int64_t> strides,
                      int64_t offset_bytes, DType dtype) const {
  const State& whole = state();
  if (dtype.bits == 0) dtype = whole.dtype;
  const int64_t count = checked_num_elements(shape, dtype);
  if (strides.empty()) strides = compact_strides(shape);
  if (strides.size() != shape.size()) {
    fail("ndarray.view", "a view of shape {} needs {} strides, {} were given", shape_text(shape),
         shape.size(), strides.size());
  }
  const auto [low, high] = byte_range(shape, strides, dtype);
  const int64_t start = static_cast<int64_t>(whole.tensor.byte_offset) + offset_bytes;
  const bool outside =
      start < 0 || (count > 0 && (start + low < 0 ||
                                  (whole.size_bytes >= 0 && high > whole.size_bytes - start)));
  if (outside) {
    fail("ndarray.view",
         "a view of shape {}, strides {} at byte {} leaves the {} bytes of the array",
         shape_text(shape), shape_text(strides), offset_bytes, whole.size_bytes);
  }
  return NDArray(std::shared_ptr<const State>(
      new State(whole.tensor.data, whole.size_bytes, std::move(shape), std::move(strides), dtype,
                whole.tensor.device, static_cast<uint64_t>(start), whole.owner, whole.read_only)));
}

NDArray NDArray::as_read_only() const {
  const State& s = state();
  return NDArray(std::shared_ptr<const State>(new State(s.tensor.data, s.size_bytes, s.shape,
                                                        s.strides, s.dtype, s.tensor.device,
                                                        s.tensor.byte_offset, s.owner, true)));
}

void NDArray::copy_from(const NDArray& source) const {
  if (read_only()) fail("ndarray.copy", "cannot copy into a read-only array");
  if (source.shape() != shape() || source.dtype() != dtype()) {
    fail("ndarray.copy", "cannot copy {} into {}", source.describe(), describe());
  }
  if (!on_host(device()) || !on_host(source.device())) {
    fail("ndarray.copy", "cannot copy from {} to {}: no device of that kind in this build",
         device_name(source.device()), device_name(device()));
  }
  if (num_elements() == 0) return;
  if (is_compact() && source.is_compact()) {
    std::memmove(data(), source.data(), static_cast<size_t>(size_bytes()));
    return;
  }
  copy_strided(data_as<char>(), strides(), source.data_as<char>(), source.strides(), shape(), 0,
               element_bytes(dtype()));
}

NDArray NDArray::to_host() const {
  NDArray copy = empty(shape(), dtype());
  copy.copy_from(*this);
  return copy;
}

std::string NDArray::describe() const {
  std::string text = to_string(dtype()) + " " + shape_text(shape());
  if (!is_compact()) text += " strides " + shape_text(strides());
  if (!on_host(device())) text += " on " + device_name(device());
  return text;
}

}  // namespace tilewright::runtime
