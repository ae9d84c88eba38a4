#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"

namespace tilewright::codegen {

using ir::BinaryOp;

llvm::Value* FunctionEmitter::mask(const ir::Expr& predicate) {
  return predicate ? emit(predicate) : nullptr;
}

llvm::Value* FunctionEmitter::any_lane(Value* lanes) {
  if (!lanes->getType()->isVectorTy()) return lanes;
  return b_.CreateOrReduce(lanes);
}

llvm::Value* FunctionEmitter::all_lanes(int lanes) {
  return llvm::ConstantInt::getTrue(
      llvm::FixedVectorType::get(m_.i1(), static_cast<unsigned>(lanes)));
}

std::optional<RampForm> FunctionEmitter::as_ramp(const ir::Expr& index) const {
  const ir::Expr zero = ir::make_int(index.dtype().element(), 0);
  if (const auto* node = index.as<ir::RampNode>()) return RampForm{node->base, node->stride};
  if (const auto* node = index.as<ir::BroadcastNode>()) return RampForm{node->value, zero};
  // Widening a ramp is a ramp only where the narrow one does not wrap, which nothing here proves.
  const auto* node = index.as<ir::BinaryNode>();
  if (!node || !index.dtype().is_integer()) return std::nullopt;
  const bool sum = node->op == BinaryOp::kAdd || node->op == BinaryOp::kSub;
  if (!sum && node->op != BinaryOp::kMul) return std::nullopt;
  const auto a = as_ramp(node->a), b = as_ramp(node->b);
  if (!a || !b) return std::nullopt;
  if (sum) {
    return RampForm{ir::binary(node->op, a->base, b->base),
                    ir::binary(node->op, a->stride, b->stride)};
  }
  if (ir::is_const_int(b->stride, 0)) {
    return RampForm{a->base * b->base, a->stride * b->base};
  }
  if (ir::is_const_int(a->stride, 0)) {
    return RampForm{a->base * b->base, a->base * b->stride};
  }
  return std::nullopt;
}

namespace {

// A sum and products of loop and size variables with constants: an index, whose magnitude is far from
// the limits of int64.
bool is_index_sum(const ir::Expr& expr, const std::function<bool(const ir::VarNode*)>& is_index) {
  const auto is_small = [](int64_t value, int bits) {
    return value > -(int64_t{1} << bits) && value < int64_t{1} << bits;
  };
  if (const int64_t* value = ir::as_const_int(expr)) return is_small(*value, 48);
  if (const auto* var = expr.as<ir::VarNode>()) return is_index(var);
  if (const auto* node = expr.as<ir::CastNode>()) {
    return node->value.as<ir::VarNode>() && is_index(node->value.as<ir::VarNode>());
  }
  const auto* node = expr.as<ir::BinaryNode>();
  if (!node) return false;
  const bool known = node->op == BinaryOp::kAdd || node->op == BinaryOp::kSub ||
                     node->op == BinaryOp::kMin || node->op == BinaryOp::kMax;
  if (node->op == BinaryOp::kMul) {
    const int64_t* factor = ir::as_const_int(node->b);
    return factor && is_small(*factor, 31) && node->a.as<ir::VarNode>() &&
           is_index(node->a.as<ir::VarNode>());
  }
  return known && is_index_sum(node->a, is_index) && is_index_sum(node->b, is_index);
}

}  // namespace

// The mask of a vector tail, [base, base + 1, ...] < bound in int64, as a compare of lane numbers with
// bound - base in int32: half the vector width, and the difference is one scalar. Null when `node` is
// nothing of the kind.
llvm::Value* FunctionEmitter::below_bound(const ir::BinaryNode& node) {
  if (node.op != BinaryOp::kLt && node.op != BinaryOp::kLe) return nullptr;
  const auto* ramp = node.a.as<ir::RampNode>();
  const auto* bound = node.b.as<ir::BroadcastNode>();
  if (!ramp || !bound || ramp->dtype.element() != kInt64) return nullptr;
  if (!ir::is_const_int(ramp->stride, 1)) return nullptr;
  const auto is_index = [&](const ir::VarNode* var) {
    const auto it = vars_.find(var);
    return it != vars_.end() && it->second.is_index;
  };
  if (!is_index_sum(ramp->base, is_index) || !is_index_sum(bound->value, is_index)) return nullptr;
  const int lanes = node.dtype.lanes;
  Value* left = b_.CreateSub(emit(bound->value), emit(ramp->base));
  if (node.op == BinaryOp::kLe) left = b_.CreateAdd(left, b_.getInt64(1));
  Value* most = b_.getInt64(static_cast<uint64_t>(lanes));
  left = select(b_.CreateICmpSLT(left, most), left, most);
  left = select(b_.CreateICmpSGT(left, b_.getInt64(0)), left, b_.getInt64(0));
  std::vector<uint32_t> numbers;
  for (int i = 0; i < lanes; ++i) numbers.push_back(static_cast<uint32_t>(i));
  Value* lane_numbers = llvm::ConstantDataVector::get(m_.context, numbers);
  return b_.CreateICmpSLT(lane_numbers, splat(b_.CreateTrunc(left, m_.i32()), lanes));
}

}  // namespace tilewright::codegen
