#pragma once

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/LLVMContext.h>

#include "tilewright/support/dtype.h"

namespace tilewright::codegen {

/// Type of a value in registers: bool is i1, float16 and bfloat16 are their bits as i16 (so that no
/// conversion is left to library calls), vectors are <lanes x element>.
llvm::Type* register_type(llvm::LLVMContext& context, DType dtype);

/// Type of one element (or vector of elements) in memory: as in registers, but bool is i8.
llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype);

/// Float type in which arithmetic on `dtype` is done: float for 16-bit floats.
llvm::Type* arithmetic_type(llvm::LLVMContext& context, DType dtype);

/// `type` with the lanes of `like` (a scalar stays scalar).
llvm::Type* with_lanes_of(llvm::Type* type, const llvm::Value* like);

/// True for float16 and bfloat16.
inline bool is_half(DType dtype) { return dtype.is_float() && dtype.bits == 16; }

}  // namespace tilewright::codegen
