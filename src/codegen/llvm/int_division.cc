#include <llvm/IR/Constants.h>

#include <bit>

#include "codegen/llvm/function_emitter.h"
#include "tilewright/support/fault.h"

/// \file
/// Division and modulo of integers. A divisor of 0 gives 0 and MIN / -1 wraps, without ever executing a
/// trapping instruction; constant divisors get the short sequences.

namespace tilewright::codegen {

using ir::BinaryOp;

namespace {

bool is_floor(BinaryOp op) { return op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod; }
bool is_mod(BinaryOp op) { return op == BinaryOp::kFloorMod || op == BinaryOp::kTruncMod; }

const llvm::ConstantInt* as_constant(llvm::Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::Constant>(value);
      constant && value->getType()->isVectorTy()) {
    return llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getSplatValue());
  }
  return llvm::dyn_cast<llvm::ConstantInt>(value);
}

}  // namespace

llvm::Value* FunctionEmitter::divide(BinaryOp op, DType dtype, Value* x, Value* y) {
  if (const llvm::ConstantInt* divisor = as_constant(y)) {
    return divide_by_constant(op, dtype, x, divisor->getSExtValue());
  }
  return divide_by_value(op, dtype, x, y);
}

llvm::Value* FunctionEmitter::divide_by_constant(BinaryOp op, DType dtype, Value* x,
                                                 int64_t divisor) {
  llvm::Type* type = x->getType();
  Value* zero = llvm::Constant::getNullValue(type);
  const auto number = [&](int64_t value) {
    return llvm::ConstantInt::get(type, static_cast<uint64_t>(value), true);
  };
  if (divisor == 0) return zero;
  if (!dtype.is_int()) {
    return is_mod(op) ? b_.CreateURem(x, number(divisor)) : b_.CreateUDiv(x, number(divisor));
  }
  if (divisor == 1) return is_mod(op) ? zero : x;
  if (divisor == -1) return is_mod(op) ? zero : b_.CreateNeg(x);
  if (!is_floor(op) || has_fault(Fault::floor_division_truncates)) {
    return is_mod(op) ? b_.CreateSRem(x, number(divisor)) : b_.CreateSDiv(x, number(divisor));
  }
  if (divisor > 0 && std::has_single_bit(static_cast<uint64_t>(divisor))) {
    if (is_mod(op)) return b_.CreateAnd(x, number(divisor - 1));
    return b_.CreateAShr(x, number(std::countr_zero(static_cast<uint64_t>(divisor))));
  }
  Value* quotient = b_.CreateSDiv(x, number(divisor));
  Value* remainder = b_.CreateSub(x, b_.CreateMul(quotient, number(divisor)));
  // The remainder has the sign of x; one step down where that is not the divisor's.
  Value* step = divisor > 0 ? b_.CreateICmpSLT(remainder, zero) : b_.CreateICmpSGT(remainder, zero);
  if (is_mod(op)) return select(step, b_.CreateAdd(remainder, number(divisor)), remainder);
  return b_.CreateSub(quotient, b_.CreateZExt(step, type));
}

llvm::Value* FunctionEmitter::divide_by_value(BinaryOp op, DType dtype, Value* x, Value* y) {
  llvm::Type* type = x->getType();
  Value* zero = llvm::Constant::getNullValue(type);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* by_zero = b_.CreateICmpEQ(y, zero);
  if (!dtype.is_int()) {
    Value* divisor = select(by_zero, one, y);
    if (is_mod(op)) return b_.CreateURem(x, divisor);  // x % 1 = 0
    return select(by_zero, zero, b_.CreateUDiv(x, divisor));
  }
  // x / -1 as x / 1 negated would need one more step; only MIN / -1 traps, and there MIN / 1 is right.
  Value* minimum = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(dtype.bits));
  Value* overflows = b_.CreateAnd(b_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type)),
                                  b_.CreateICmpEQ(x, minimum));
  Value* divisor = select(b_.CreateOr(by_zero, overflows), one, y);
  if (op == BinaryOp::kTruncMod) return b_.CreateSRem(x, divisor);
  Value* quotient = b_.CreateSDiv(x, divisor);
  if (op == BinaryOp::kTruncDiv) return select(by_zero, zero, quotient);
  Value* remainder = b_.CreateSub(x, b_.CreateMul(quotient, divisor));
  Value* signs_differ = b_.CreateICmpSLT(b_.CreateXor(remainder, divisor), zero);
  Value* step = b_.CreateAnd(b_.CreateICmpNE(remainder, zero), signs_differ);
  if (is_mod(op)) return select(step, b_.CreateAdd(remainder, divisor), remainder);
  return select(by_zero, zero, b_.CreateSub(quotient, b_.CreateZExt(step, type)));
}

}  // namespace tilewright::codegen
