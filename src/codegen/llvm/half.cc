#include <llvm/IR/Constants.h>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"

/// \file
/// float16 and bfloat16 are i16 values; these turn them into float32 and back, rounding to nearest even.

namespace tilewright::codegen {

llvm::Value* FunctionEmitter::half_to_float(Value* bits, DType dtype) {
  llvm::Type* float_type = with_lanes_of(b_.getFloatTy(), bits);
  llvm::Type* int_type = with_lanes_of(b_.getInt32Ty(), bits);
  if (dtype.is_bfloat16()) {
    return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(bits, int_type), 16), float_type);
  }
  if (!m_.native_half) return float16_to_float_by_bits(bits);
  return b_.CreateFPExt(b_.CreateBitCast(bits, with_lanes_of(b_.getHalfTy(), bits)), float_type);
}

llvm::Value* FunctionEmitter::float_to_half(Value* value, DType dtype) {
  if (dtype.is_bfloat16()) return float_to_bfloat16(value);
  if (!m_.native_half) return float_to_float16_by_bits(value);
  Value* half = b_.CreateFPTrunc(value, with_lanes_of(b_.getHalfTy(), value));
  return b_.CreateBitCast(half, with_lanes_of(b_.getInt16Ty(), value));
}

llvm::Value* FunctionEmitter::float_to_bfloat16(Value* value) {
  llvm::Type* int_type = with_lanes_of(b_.getInt32Ty(), value);
  llvm::Type* short_type = with_lanes_of(b_.getInt16Ty(), value);
  const auto number = [&](uint32_t bits) { return llvm::ConstantInt::get(int_type, bits); };
  Value* bits = b_.CreateBitCast(value, int_type);
  Value* high = b_.CreateLShr(bits, 16);
  Value* is_odd = b_.CreateAnd(high, number(1));
  Value* rounded = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(bits, number(0x7FFF)), is_odd), 16);
  Value* quiet = b_.CreateOr(high, number(0x40));
  return b_.CreateTrunc(select(b_.CreateFCmpUNO(value, value), quiet, rounded), short_type);
}

llvm::Value* FunctionEmitter::float16_to_float_by_bits(Value* bits) {
  llvm::Type* float_type = with_lanes_of(b_.getFloatTy(), bits);
  llvm::Type* int_type = with_lanes_of(b_.getInt32Ty(), bits);
  const auto number = [&](uint32_t value) { return llvm::ConstantInt::get(int_type, value); };
  Value* wide = b_.CreateZExt(bits, int_type);
  Value* sign = b_.CreateShl(b_.CreateAnd(wide, number(0x8000)), 16);
  Value* shifted = b_.CreateShl(b_.CreateAnd(wide, number(0x7FFF)), 13);
  Value* exponent = b_.CreateAnd(shifted, number(0x7C00u << 13));
  // Normal: rebias by 112. Infinity and NaN: to the largest exponent. Subnormal: (1 + m/1024) * 2^-14
  // less 2^-14, which the float unit normalises.
  Value* normal = b_.CreateAdd(shifted, number(112u << 23));
  Value* special = b_.CreateAdd(shifted, number(224u << 23));
  Value* biased = b_.CreateBitCast(b_.CreateAdd(shifted, number(113u << 23)), float_type);
  Value* offset = b_.CreateBitCast(number(113u << 23), float_type);
  Value* subnormal = b_.CreateBitCast(b_.CreateFSub(biased, offset), int_type);
  Value* result = select(b_.CreateICmpEQ(exponent, number(0x7C00u << 13)), special, normal);
  result = select(b_.CreateICmpEQ(exponent, number(0)), subnormal, result);
  return b_.CreateBitCast(b_.CreateOr(result, sign), float_type);
}

llvm::Value* FunctionEmitter::float_to_float16_by_bits(Value* value) {
  llvm::Type* float_type = value->getType();
  llvm::Type* int_type = with_lanes_of(b_.getInt32Ty(), value);
  const auto number = [&](uint32_t bits) { return llvm::ConstantInt::get(int_type, bits); };
  Value* bits = b_.CreateBitCast(value, int_type);
  Value* sign = b_.CreateAnd(b_.CreateLShr(bits, 16), number(0x8000));
  Value* magnitude = b_.CreateAnd(bits, number(0x7FFFFFFF));
  // Normal: rebias and round the low 13 bits to nearest even; a carry goes into the exponent.
  Value* is_odd = b_.CreateAnd(b_.CreateLShr(magnitude, 13), number(1));
  Value* rebiased = b_.CreateAdd(magnitude, number(0u - (112u << 23) + 0xFFF));
  Value* normal = b_.CreateLShr(b_.CreateAdd(rebiased, is_odd), 13);
  // Subnormal: adding 0.5 puts the float16 unit 2^-24 at the last bit of the sum, which rounds there.
  Value* half = number(126u << 23);
  Value* sum =
      b_.CreateFAdd(b_.CreateBitCast(magnitude, float_type), b_.CreateBitCast(half, float_type));
  Value* subnormal = b_.CreateSub(b_.CreateBitCast(sum, int_type), half);
  Value* is_nan = b_.CreateICmpUGT(magnitude, number(255u << 23));
  Value* special = select(is_nan, number(0x7E00), number(0x7C00));
  Value* result = select(b_.CreateICmpULT(magnitude, number(113u << 23)), subnormal, normal);
  result = select(b_.CreateICmpUGE(magnitude, number(143u << 23)), special, result);
  return b_.CreateTrunc(b_.CreateOr(result, sign), with_lanes_of(b_.getInt16Ty(), value));
}

}  // namespace tilewright::codegen
