#include <algorithm>
#include <map>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

/// \file
/// From a flat offset to an address. The offset is taken apart into terms; the part that does not depend
/// on a loop is added to the base pointer outside of that loop, and a constant is added last, where the
/// instruction's displacement takes it. Offsets count modulo 2^64, so regrouping is exact and no add
/// claims not to wrap.

namespace tilewright::codegen {

using ir::BinaryOp;

int FunctionEmitter::depth_of(const ir::Expr& expr) const {
  const int here = static_cast<int>(loops_.size());
  switch (expr->kind) {
    case ir::NodeKind::kIntImm:
    case ir::NodeKind::kFloatImm: return 0;
    case ir::NodeKind::kVar: {
      const auto it = vars_.find(expr.as<ir::VarNode>());
      return it == vars_.end() ? here : it->second.depth;
    }
    case ir::NodeKind::kCast: return depth_of(expr.as<ir::CastNode>()->value);
    case ir::NodeKind::kUnary: return depth_of(expr.as<ir::UnaryNode>()->a);
    case ir::NodeKind::kBinary: {
      const auto* node = expr.as<ir::BinaryNode>();
      return std::max(depth_of(node->a), depth_of(node->b));
    }
    case ir::NodeKind::kSelect: {
      const auto* node = expr.as<ir::SelectNode>();
      return std::max(
          {depth_of(node->condition), depth_of(node->true_value), depth_of(node->false_value)});
    }
    case ir::NodeKind::kRamp: {
      const auto* node = expr.as<ir::RampNode>();
      return std::max(depth_of(node->base), depth_of(node->stride));
    }
    case ir::NodeKind::kBroadcast: return depth_of(expr.as<ir::BroadcastNode>()->value);
    default: return here;
  }
}

llvm::Value* FunctionEmitter::at_depth(int depth, const std::function<Value*()>& emit) {
  if (depth >= static_cast<int>(loops_.size()) || depth >= this->depth()) return emit();
  const llvm::IRBuilderBase::InsertPoint saved = b_.saveIP();
  const int saved_depth = hoist_depth_;
  hoist_depth_ = depth;
  b_.SetInsertPoint(loops_[static_cast<size_t>(depth)]->getTerminator());
  Value* value = emit();
  hoist_depth_ = saved_depth;
  b_.restoreIP(saved);
  return value;
}

LinearIndex FunctionEmitter::linearize(const ir::Expr& index) const {
  LinearIndex result;
  linearize(index, 1, result);
  std::erase_if(result.terms, [](const LinearIndex::Term& term) { return term.coefficient == 0; });
  return result;
}

void FunctionEmitter::linearize(const ir::Expr& index, int64_t scale, LinearIndex& result) const {
  const auto times = [](int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  };
  if (const int64_t* value = ir::as_const_int(index)) {
    result.constant = static_cast<int64_t>(static_cast<uint64_t>(result.constant) +
                                           static_cast<uint64_t>(times(*value, scale)));
    return;
  }
  const auto* node = index.as<ir::BinaryNode>();
  // A narrower sum wraps at its own width: it stays one term.
  if (node && index.dtype() == kInt64) {
    if (node->op == BinaryOp::kAdd || node->op == BinaryOp::kSub) {
      linearize(node->a, scale, result);
      linearize(node->b, node->op == BinaryOp::kAdd ? scale : times(scale, -1), result);
      return;
    }
    if (node->op == BinaryOp::kMul) {
      if (const int64_t* factor = ir::as_const_int(node->b)) {
        return linearize(node->a, times(scale, *factor), result);
      }
      if (const int64_t* factor = ir::as_const_int(node->a)) {
        return linearize(node->b, times(scale, *factor), result);
      }
    }
  }
  for (LinearIndex::Term& term : result.terms) {
    if (term.expr.same_as(index)) {
      term.coefficient = static_cast<int64_t>(static_cast<uint64_t>(term.coefficient) +
                                              static_cast<uint64_t>(scale));
      return;
    }
  }
  result.terms.push_back({scale, index});
}

// The largest power of two (at most 2^30) that divides the index, 0 when the index is 0. Wrapping keeps
// powers of two, and no others matter for alignment.
int64_t FunctionEmitter::known_multiple(const LinearIndex& index) const {
  auto bits = static_cast<uint64_t>(index.constant);
  for (const LinearIndex::Term& term : index.terms) {
    int64_t known = 1;
    if (const auto* var = term.expr.as<ir::VarNode>()) {
      const auto it = vars_.find(var);
      if (it != vars_.end()) known = it->second.multiple;
    }
    bits |= static_cast<uint64_t>(term.coefficient) * static_cast<uint64_t>(known);
  }
  return static_cast<int64_t>(std::min<uint64_t>(bits & (~bits + 1), uint64_t{1} << 30));
}

const BufferBinding& FunctionEmitter::binding(const ir::Buffer& buffer) const {
  const auto it = buffers_.find(buffer.get());
  internal_check(it != buffers_.end(), "{}: buffer '{}' has no storage here", func_->name,
                 buffer->name);
  return it->second;
}

int64_t FunctionEmitter::alignment(const ir::Buffer& buffer, const LinearIndex& index) const {
  const int64_t element = buffer->dtype.bytes();
  const int64_t multiple = known_multiple(index);
  const int64_t base = binding(buffer).align_bytes;
  if (multiple == 0) return base;
  return multiple >= base / element ? std::max(base, element) : multiple * element;
}

llvm::Value* FunctionEmitter::index_value(const ir::Expr& index) {
  Value* value = emit(index);
  if (const auto* var = index.as<ir::VarNode>()) {
    const auto it = vars_.find(var);
    if (it != vars_.end() && it->second.wide) return it->second.wide;
  }
  llvm::Type* type = with_lanes_of(m_.i64(), value);
  if (value->getType() == type) return value;
  return index.dtype().is_int() ? b_.CreateSExt(value, type) : b_.CreateZExt(value, type);
}

llvm::Value* FunctionEmitter::address(const ir::Buffer& buffer, const LinearIndex& index) {
  llvm::Type* type = memory_type(m_.context, buffer->dtype.element());
  std::map<int, std::vector<const LinearIndex::Term*>> by_depth;
  for (const LinearIndex::Term& term : index.terms) {
    by_depth[depth_of(term.expr)].push_back(&term);
  }
  Value* pointer = binding(buffer).pointer;
  for (const auto& [depth, terms] : by_depth) {
    pointer = at_depth(depth, [&, &group = terms]() -> Value* {
      Value* sum = nullptr;
      for (const LinearIndex::Term* term : group) {
        Value* part = index_value(term->expr);
        if (term->coefficient != 1) part = b_.CreateMul(part, b_.getInt64(term->coefficient));
        sum = sum ? b_.CreateAdd(sum, part) : part;
      }
      if (has_fault(Fault::offsets_of_32_bits) && sum) {
        sum = b_.CreateAShr(b_.CreateShl(sum, 32), 32);
      }
      return b_.CreateGEP(type, pointer, sum);
    });
  }
  if (index.constant == 0) return pointer;
  return b_.CreateGEP(type, pointer, b_.getInt64(static_cast<uint64_t>(index.constant)));
}

}  // namespace tilewright::codegen
