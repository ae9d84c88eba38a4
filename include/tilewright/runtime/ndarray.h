#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilewright/runtime/abi.h"
#include "tilewright/runtime/device.h"
#include "tilewright/support/dtype.h"

namespace tilewright::runtime {

/// DLPack's code for a dtype. Handles and vectors keep their lanes.
tw_dl_data_type to_dl(DType dtype);
/// Inverse of `to_dl`. Throws Error ndarray.dtype for a type without a counterpart (complex, float8).
DType from_dl(tw_dl_data_type dtype);

/// A handle to an n-dimensional array on a device: reference-counted, cheap to copy, elements shared
/// between the copies. Shape, strides (in elements), dtype and offset never change.
class NDArray {
 public:
  /// The undefined array; only `defined()` may be called on it.
  NDArray() = default;

  /// A compact row-major array aligned to 64 bytes with undefined contents.
  /// Throws Error ndarray.shape (negative or overflowing), device.out_of_memory.
  static NDArray empty(std::vector<int64_t> shape, DType dtype,
                       const Device& device = cpu_device());
  /// The same, all bytes zero. Large arrays on the CPU cost memory only where they are touched.
  static NDArray zeros(std::vector<int64_t> shape, DType dtype,
                       const Device& device = cpu_device());
  /// A compact CPU array with a copy of `values`, whose size must be the number of elements.
  template <typename T>
  static NDArray copy_of(std::vector<int64_t> shape, DType dtype, std::span<const T> values);

  /// An array over memory owned by somebody else. `data` is the first byte of the memory, the array's
  /// first element lies `byte_offset` bytes behind it; empty `strides` mean compact. `keep_alive` is
  /// released with the last handle.
  static NDArray from_view(void* data, std::vector<int64_t> shape, std::vector<int64_t> strides,
                           DType dtype, std::shared_ptr<void> keep_alive = nullptr,
                           bool read_only = false, uint64_t byte_offset = 0,
                           tw_dl_device device = {TW_DL_CPU, 0});

  bool defined() const { return state_ != nullptr; }
  const std::vector<int64_t>& shape() const;
  /// In elements; always given, one per dimension.
  const std::vector<int64_t>& strides() const;
  int rank() const { return static_cast<int>(shape().size()); }
  DType dtype() const;
  tw_dl_device device() const;
  bool read_only() const;
  int64_t num_elements() const;
  /// Bytes of the elements alone, without gaps.
  int64_t size_bytes() const { return num_elements() * dtype().bytes() * dtype().lanes; }
  /// True when the elements lie in row-major order without gaps (strides of extents 0 and 1 ignored).
  bool is_compact() const;

  /// Address of the first element.
  void* data() const;
  template <typename T>
  T* data_as() const {
    return static_cast<T*>(data());
  }
  /// The DLPack description; valid as long as a handle lives.
  const tw_dl_tensor* dl_tensor() const;

  /// Another shape, strides and offset over the same elements (offset in bytes from this array's
  /// first element). Throws Error ndarray.view when an element would lie outside the owned memory.
  NDArray view(std::vector<int64_t> shape, std::vector<int64_t> strides, int64_t offset_bytes = 0,
               DType dtype = {TypeCode::kHandle, 0, 0}) const;
  /// The same elements, refused as an output.
  NDArray as_read_only() const;
  /// Copies the elements of an array of the same shape and dtype; both may be strided.
  /// Throws Error ndarray.copy (mismatch, read-only, a device memory that needs a compact array).
  void copy_from(const NDArray& source) const;
  /// A new compact array on the CPU with the same elements.
  NDArray to_host() const;

  /// "float32 (4, 6)" or "float32 (4, 6) strides (1, 4)".
  std::string describe() const;

  /// Moves ownership to a DLPack consumer, which calls the deleter. Legacy form without flags: a
  /// read-only array throws Error ndarray.read_only.
  tw_dl_managed_tensor* to_dlpack() const;
  tw_dl_managed_tensor_versioned* to_dlpack_versioned() const;
  /// Takes over a producer's tensor; its deleter runs with the last handle. Throws Error
  /// ndarray.dtype or ndarray.dlpack_version; the tensor then still belongs to the caller.
  static NDArray from_dlpack(tw_dl_managed_tensor* tensor);
  static NDArray from_dlpack(tw_dl_managed_tensor_versioned* tensor);

 private:
  struct State;
  explicit NDArray(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  static NDArray allocate(std::vector<int64_t> shape, DType dtype, const Device& device,
                          bool zeroed);
  static NDArray from_bytes(std::vector<int64_t> shape, DType dtype, const void* bytes,
                            int64_t size_bytes);
  const State& state() const;

  std::shared_ptr<const State> state_;
};

/// "(4, 6)", "(4,)", "()".
std::string shape_text(std::span<const int64_t> extents);

template <typename T>
NDArray NDArray::copy_of(std::vector<int64_t> shape, DType dtype, std::span<const T> values) {
  return from_bytes(std::move(shape), dtype, values.data(),
                    static_cast<int64_t>(values.size_bytes()));
}

}  // namespace tilewright::runtime
