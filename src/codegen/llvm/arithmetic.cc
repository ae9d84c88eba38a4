#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::codegen {

using ir::BinaryOp;

llvm::Value* FunctionEmitter::binary(BinaryOp op, DType dtype, Value* x, Value* y) {
  if (ir::is_comparison(op)) {
    if (is_half(dtype)) return compare(op, dtype, half_to_float(x, dtype), half_to_float(y, dtype));
    return compare(op, dtype, x, y);
  }
  if (is_half(dtype)) {
    // Rounded after each operation, so nothing may be contracted.
    Value* result =
        float_binary(op, half_to_float(x, dtype), half_to_float(y, dtype), /*contract=*/false);
    return float_to_half(result, dtype);
  }
  if (dtype.is_float()) return float_binary(op, x, y, m_.options.contract_fma);
  return int_binary(op, dtype, x, y);
}

llvm::Value* FunctionEmitter::float_binary(BinaryOp op, Value* x, Value* y, bool contract) {
  Value* result = nullptr;
  switch (op) {
    case BinaryOp::kAdd: result = b_.CreateFAdd(x, y); break;
    case BinaryOp::kSub: result = b_.CreateFSub(x, y); break;
    case BinaryOp::kMul: result = b_.CreateFMul(x, y); break;
    case BinaryOp::kDiv: return b_.CreateFDiv(x, y);
    // The inner pair is one minps/maxps, which gives y where either is NaN; the outer repairs x = NaN.
    case BinaryOp::kMin:
      return select(b_.CreateFCmpUNO(x, x), x, select(b_.CreateFCmpOLT(x, y), x, y));
    case BinaryOp::kMax:
      return select(has_fault(Fault::max_ignores_nan) ? b_.getFalse() : b_.CreateFCmpUNO(x, x), x,
                    select(b_.CreateFCmpOGT(x, y), x, y));
    case BinaryOp::kFMin:
      return select(b_.CreateFCmpUNO(y, y), x, select(b_.CreateFCmpOLT(x, y), x, y));
    case BinaryOp::kFMax:
      return select(b_.CreateFCmpUNO(y, y), x, select(b_.CreateFCmpOGT(x, y), x, y));
    default: throw InternalError("an integer operation on floats");
  }
  if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(result); instruction && contract) {
    instruction->setHasAllowContract(true);
  }
  return result;
}

llvm::Value* FunctionEmitter::int_binary(BinaryOp op, DType dtype, Value* x, Value* y) {
  const bool is_signed = dtype.is_int();
  switch (op) {
    case BinaryOp::kAdd: return b_.CreateAdd(x, y);
    case BinaryOp::kSub:
      return b_.CreateSub(x, y, "", !is_signed && has_fault(Fault::unsigned_never_wraps));
    case BinaryOp::kMul:
      if (has_fault(Fault::products_of_32_bits) && dtype.bits == 64) {
        return b_.CreateAShr(b_.CreateShl(b_.CreateMul(x, y), 32), 32);
      }
      return b_.CreateMul(x, y);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod: return divide(op, dtype, x, y);
    case BinaryOp::kMin: return select(compare(BinaryOp::kLt, dtype, x, y), x, y);
    case BinaryOp::kMax: return select(compare(BinaryOp::kGt, dtype, x, y), x, y);
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd: return b_.CreateAnd(x, y);
    case BinaryOp::kOr:
    case BinaryOp::kBitOr: return b_.CreateOr(x, y);
    case BinaryOp::kBitXor: return b_.CreateXor(x, y);
    default: break;
  }
  Value* count = b_.CreateAnd(y, llvm::ConstantInt::get(y->getType(), dtype.bits - 1u));
  if (op == BinaryOp::kShl) return b_.CreateShl(x, count);
  internal_check(op == BinaryOp::kShr, "a float operation on {}", to_string(dtype));
  return is_signed ? b_.CreateAShr(x, count) : b_.CreateLShr(x, count);
}

llvm::Value* FunctionEmitter::compare(BinaryOp op, DType dtype, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  const bool is_float = dtype.is_float(), is_signed = dtype.is_int();
  const auto pick = [&](P for_float, P for_signed, P for_unsigned) {
    if (is_float) return for_float;
    return is_signed ? for_signed : for_unsigned;
  };
  P predicate = P::FCMP_FALSE;
  switch (op) {
    case BinaryOp::kEq: predicate = pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ); break;
    case BinaryOp::kNe: predicate = pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE); break;
    case BinaryOp::kLt: predicate = pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT); break;
    case BinaryOp::kLe: predicate = pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE); break;
    case BinaryOp::kGt: predicate = pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT); break;
    case BinaryOp::kGe: predicate = pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE); break;
    default: throw InternalError("not a comparison");
  }
  return b_.CreateCmp(predicate, x, y);
}

}  // namespace tilewright::codegen
