#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <cmath>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"

namespace tilewright::codegen {

llvm::Value* FunctionEmitter::cast(Value* value, DType from, DType to) {
  if (from.element() == to.element()) return value;
  llvm::Type* type = with_lanes_of(register_type(m_.context, to.element()), value);
  if (from.is_handle() || to.is_handle()) return b_.CreateBitOrPointerCast(value, type);
  if (to.is_bool()) {
    if (is_half(from)) value = half_to_float(value, from);
    Value* zero = llvm::Constant::getNullValue(value->getType());
    return from.is_float() ? b_.CreateFCmpUNE(value, zero) : b_.CreateICmpNE(value, zero);
  }
  if (from.is_float() && to.is_float()) {
    if (is_half(from)) {
      value = half_to_float(value, from);
      if (to.bits == 64) return b_.CreateFPExt(value, type);
      return is_half(to) ? float_to_half(value, to) : value;
    }
    if (is_half(to)) return float_to_half(from.bits == 64 ? narrow_to_odd(value) : value, to);
    return to.bits == 64 ? b_.CreateFPExt(value, type) : b_.CreateFPTrunc(value, type);
  }
  if (from.is_float()) return float_to_int(is_half(from) ? half_to_float(value, from) : value, to);
  if (to.is_float()) return int_to_float(value, from, to);
  return from.is_int() ? b_.CreateSExtOrTrunc(value, type) : b_.CreateZExtOrTrunc(value, type);
}

// Truncates, saturates, maps NaN to 0. In-range values go through the plain conversion, so vectors need
// only compares and blends around it (the generic saturating conversion is split into scalars on AVX2).
llvm::Value* FunctionEmitter::float_to_int(Value* value, DType to) {
  llvm::Type* float_type = value->getType();
  const bool is_signed = to.is_int();
  const double above = std::ldexp(1.0, is_signed ? to.bits - 1 : to.bits);
  Value* least = llvm::ConstantFP::get(float_type, is_signed ? -above : 0.0);
  Value* bound = llvm::ConstantFP::get(float_type, above);
  Value* zero = llvm::Constant::getNullValue(float_type);
  Value* clamped = select(b_.CreateFCmpOLT(value, bound), value, zero);
  clamped = select(b_.CreateFCmpOGT(clamped, least), clamped, least);

  const int bits = to.bits < 32 ? 32 : to.bits;
  llvm::Type* wide = with_lanes_of(b_.getIntNTy(static_cast<unsigned>(bits)), value);
  llvm::Type* type = with_lanes_of(register_type(m_.context, to.element()), value);
  Value* result =
      is_signed || to.bits < 32 ? b_.CreateFPToSI(clamped, wide) : b_.CreateFPToUI(clamped, wide);
  result = b_.CreateTrunc(result, type);
  const llvm::APInt largest =
      is_signed ? llvm::APInt::getSignedMaxValue(to.bits) : llvm::APInt::getMaxValue(to.bits);
  return select(b_.CreateFCmpOGE(value, bound), llvm::ConstantInt::get(type, largest), result);
}

llvm::Value* FunctionEmitter::int_to_float(Value* value, DType from, DType to) {
  const auto convert = [&](Value* from_value, llvm::Type* element) {
    llvm::Type* type = with_lanes_of(element, from_value);
    return from.is_int() ? b_.CreateSIToFP(from_value, type) : b_.CreateUIToFP(from_value, type);
  };
  if (!is_half(to)) return convert(value, arithmetic_type(m_.context, to.element()));
  // Up to 24 bits are exact in float32, and what is rounded there is infinite in float16 anyway.
  if (from.is_bool() || from.bits <= 16 || !to.is_bfloat16()) {
    return float_to_half(convert(value, b_.getFloatTy()), to);
  }
  if (from.bits == 64) {
    // Keep what double cannot hold as one sticky bit, so that the only rounding is the last one.
    llvm::Type* type = value->getType();
    const auto number = [&](uint64_t bits) { return llvm::ConstantInt::get(type, bits); };
    Value* low = b_.CreateAnd(value, number(0xFFF));
    Value* zero = number(0);
    Value* sticky = select(b_.CreateICmpNE(low, zero), number(0x800), zero);
    Value* folded = b_.CreateOr(b_.CreateAnd(value, number(~uint64_t{0xFFF})), sticky);
    Value* shifted = b_.CreateAdd(value, number(from.is_int() ? uint64_t{1} << 52 : 0));
    Value* is_small = b_.CreateICmpULT(shifted, number(uint64_t{1} << 53));
    value = select(is_small, value, folded);
  }
  return float_to_half(narrow_to_odd(convert(value, b_.getDoubleTy())), to);
}

// double -> float, rounded to odd: a second rounding to a shorter type then gives the result of a single
// one (Boldo and Melquiond, "When double rounding is odd").
llvm::Value* FunctionEmitter::narrow_to_odd(Value* value) {
  llvm::Type* float_type = with_lanes_of(b_.getFloatTy(), value);
  llvm::Type* int_type = with_lanes_of(b_.getInt32Ty(), value);
  Value* nearest = b_.CreateFPTrunc(value, float_type);
  Value* back = b_.CreateFPExt(nearest, value->getType());
  Value* bits = b_.CreateBitCast(nearest, int_type);
  const auto magnitude = [&](Value* x) { return intrinsic(llvm::Intrinsic::fabs, {x}); };
  Value* too_far = b_.CreateFCmpOGT(magnitude(back), magnitude(value));
  Value* inexact = b_.CreateFCmpONE(back, value);
  bits = b_.CreateSub(bits, b_.CreateZExt(too_far, int_type));
  bits = b_.CreateOr(bits, b_.CreateZExt(inexact, int_type));
  return b_.CreateBitCast(bits, float_type);
}

}  // namespace tilewright::codegen
