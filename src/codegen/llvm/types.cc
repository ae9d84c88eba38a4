#include "codegen/llvm/types.h"

#include <llvm/IR/Value.h>

#include "tilewright/support/error.h"

namespace tilewright::codegen {
namespace {

llvm::Type* element_type(llvm::LLVMContext& context, DType dtype, unsigned bool_bits) {
  if (dtype.is_bool()) return llvm::Type::getIntNTy(context, bool_bits);
  if (dtype.is_integer() || is_half(dtype)) return llvm::Type::getIntNTy(context, dtype.bits);
  if (dtype.is_float()) {
    return dtype.bits == 64 ? llvm::Type::getDoubleTy(context) : llvm::Type::getFloatTy(context);
  }
  internal_check(dtype.is_handle(), "no LLVM type for dtype {}", to_string(dtype));
  return llvm::PointerType::getUnqual(context);
}

llvm::Type* vector_type(llvm::Type* element, DType dtype) {
  return dtype.lanes == 1 ? element : llvm::FixedVectorType::get(element, dtype.lanes);
}

}  // namespace

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype) {
  return vector_type(element_type(context, dtype, 1), dtype);
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype) {
  return vector_type(element_type(context, dtype, 8), dtype);
}

llvm::Type* arithmetic_type(llvm::LLVMContext& context, DType dtype) {
  if (is_half(dtype)) return vector_type(llvm::Type::getFloatTy(context), dtype);
  return register_type(context, dtype);
}

llvm::Type* with_lanes_of(llvm::Type* type, const llvm::Value* like) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? llvm::FixedVectorType::get(type->getScalarType(), vector->getNumElements())
                : type->getScalarType();
}

}  // namespace tilewright::codegen
