#pragma once

#include <cstddef>

#include "tilewright/runtime/abi.h"

/// \file
/// Offsets of the fields that generated code reads (see abi.h).

namespace tilewright::codegen {

namespace call_field {
inline constexpr size_t kStructSize = offsetof(tw_call, struct_size);
inline constexpr size_t kAbiVersion = offsetof(tw_call, abi_version);
inline constexpr size_t kNumArgs = offsetof(tw_call, num_args);
inline constexpr size_t kNumThreads = offsetof(tw_call, num_threads);
inline constexpr size_t kArgs = offsetof(tw_call, args);
inline constexpr size_t kWorkspace = offsetof(tw_call, workspace);
inline constexpr size_t kWorkspaceSize = offsetof(tw_call, workspace_size);
inline constexpr size_t kParallelFor = offsetof(tw_call, parallel_for);
inline constexpr size_t kParallelUser = offsetof(tw_call, parallel_user);
inline constexpr size_t kAlloc = offsetof(tw_call, alloc);
inline constexpr size_t kFree = offsetof(tw_call, free);
inline constexpr size_t kAllocUser = offsetof(tw_call, alloc_user);
inline constexpr size_t kPrint = offsetof(tw_call, print);
inline constexpr size_t kPrintUser = offsetof(tw_call, print_user);
inline constexpr size_t kErrorText = offsetof(tw_call, error_text);
inline constexpr size_t kErrorTextSize = offsetof(tw_call, error_text_size);
}  // namespace call_field

namespace tensor_field {
inline constexpr size_t kData = offsetof(tw_dl_tensor, data);
inline constexpr size_t kDeviceType = offsetof(tw_dl_tensor, device);
inline constexpr size_t kNdim = offsetof(tw_dl_tensor, ndim);
inline constexpr size_t kDtype = offsetof(tw_dl_tensor, dtype);
inline constexpr size_t kShape = offsetof(tw_dl_tensor, shape);
inline constexpr size_t kStrides = offsetof(tw_dl_tensor, strides);
inline constexpr size_t kByteOffset = offsetof(tw_dl_tensor, byte_offset);
}  // namespace tensor_field

}  // namespace tilewright::codegen
