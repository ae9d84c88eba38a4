#include <memory>

#include "runtime/ndarray_state.h"
#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

// DLPack 1.x readers accept every minor version of their major one.
constexpr uint32_t kDlpackMajor = 1;
constexpr uint32_t kDlpackMinor = 0;

template <typename Managed>
Managed* make_managed(const NDArray& array) {
  auto managed = std::make_unique<Managed>();
  managed->dl_tensor = *array.dl_tensor();
  managed->manager_ctx = new NDArray(array);
  managed->deleter = [](Managed* self) {
    delete static_cast<NDArray*>(self->manager_ctx);
    delete self;
  };
  return managed.release();
}

template <typename Managed>
NDArray take_over(Managed* tensor, bool read_only) {
  const tw_dl_tensor& dl = tensor->dl_tensor;
  const DType dtype = from_dl(dl.dtype);
  std::vector<int64_t> shape(dl.shape, dl.shape + dl.ndim);
  std::vector<int64_t> strides;
  if (dl.strides) strides.assign(dl.strides, dl.strides + dl.ndim);
  // Built without an owner first: a failure must leave the tensor with the caller.
  NDArray::from_view(dl.data, shape, strides, dtype);
  std::shared_ptr<void> owner(tensor, [](void* pointer) {
    auto* managed = static_cast<Managed*>(pointer);
    if (managed->deleter) managed->deleter(managed);
  });
  return NDArray::from_view(dl.data, std::move(shape), std::move(strides), dtype, std::move(owner),
                            read_only, dl.byte_offset, dl.device);
}

}  // namespace

tw_dl_data_type to_dl(DType dtype) {
  switch (dtype.code) {
    case TypeCode::kBool: return {TW_DL_BOOL, dtype.bits, dtype.lanes};
    case TypeCode::kInt: return {TW_DL_INT, dtype.bits, dtype.lanes};
    case TypeCode::kUInt: return {TW_DL_UINT, dtype.bits, dtype.lanes};
    case TypeCode::kFloat: return {TW_DL_FLOAT, dtype.bits, dtype.lanes};
    case TypeCode::kBFloat: return {TW_DL_BFLOAT, dtype.bits, dtype.lanes};
    case TypeCode::kHandle: return {TW_DL_HANDLE, dtype.bits, dtype.lanes};
  }
  throw InternalError("TypeCode out of range");
}

DType from_dl(tw_dl_data_type dtype) {
  const int bits = dtype.bits;
  const bool integer_bits = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  const auto make = [&](TypeCode code) { return DType{code, dtype.bits, dtype.lanes}; };
  if (dtype.lanes >= 1) {
    if (dtype.code == TW_DL_BOOL && bits == 8) return make(TypeCode::kBool);
    if (dtype.code == TW_DL_INT && integer_bits) return make(TypeCode::kInt);
    // Producers before DLPack's bool code describe bool as a one-bit unsigned integer.
    if (dtype.code == TW_DL_UINT && bits == 1) return DType{TypeCode::kBool, 8, dtype.lanes};
    if (dtype.code == TW_DL_UINT && integer_bits) return make(TypeCode::kUInt);
    if (dtype.code == TW_DL_FLOAT && integer_bits && bits != 8) return make(TypeCode::kFloat);
    if (dtype.code == TW_DL_BFLOAT && bits == 16) return make(TypeCode::kBFloat);
    if (dtype.code == TW_DL_HANDLE && bits == 64) return make(TypeCode::kHandle);
  }
  fail("ndarray.dtype", "DLPack type code {} with {} bits and {} lanes is not supported",
       static_cast<int>(dtype.code), bits, static_cast<int>(dtype.lanes));
}

tw_dl_managed_tensor* NDArray::to_dlpack() const {
  if (read_only()) {
    fail("ndarray.read_only",
         "a read-only array cannot be exported in DLPack's form without flags; use the versioned "
         "one");
  }
  return make_managed<tw_dl_managed_tensor>(*this);
}

tw_dl_managed_tensor_versioned* NDArray::to_dlpack_versioned() const {
  auto* managed = make_managed<tw_dl_managed_tensor_versioned>(*this);
  managed->version_major = kDlpackMajor;
  managed->version_minor = kDlpackMinor;
  managed->flags = read_only() ? TW_DL_FLAG_READ_ONLY : 0;
  return managed;
}

NDArray NDArray::from_dlpack(tw_dl_managed_tensor* tensor) { return take_over(tensor, false); }

NDArray NDArray::from_dlpack(tw_dl_managed_tensor_versioned* tensor) {
  if (tensor->version_major != kDlpackMajor) {
    fail("ndarray.dlpack_version", "DLPack version {}.{} is not supported; expected {}.x",
         tensor->version_major, tensor->version_minor, kDlpackMajor);
  }
  return take_over(tensor, (tensor->flags & TW_DL_FLAG_READ_ONLY) != 0);
}

}  // namespace tilewright::runtime
