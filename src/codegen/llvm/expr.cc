#include <fmt/format.h>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/error.h"
#include "tilewright/support/half.h"

namespace tilewright::codegen {

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, llvm::Function* function,
                                 const ir::PrimFunc& func, ir::Var slots_var)
    : m_(module),
      function_(function),
      func_(func),
      b_(module.context),
      entry_block_(llvm::BasicBlock::Create(module.context, "entry", function)),
      slots_var_(std::move(slots_var)),
      workspace_{ir::make_int(kInt64, 0), ir::make_int(kInt64, 0)} {
  llvm::BasicBlock* start = llvm::BasicBlock::Create(module.context, "start", function);
  // Allocas go to the end of `entry`, everything else starts at `start`.
  b_.SetInsertPoint(entry_block_);
  b_.CreateBr(start);
  b_.SetInsertPoint(start);
}

void FunctionEmitter::bind_var(const ir::Expr& var, llvm::Value* value, bool is_index) {
  vars_[var.as<ir::VarNode>()] = {value, nullptr, depth(), 1, is_index};
}

void FunctionEmitter::bind_buffer(const ir::Buffer& buffer, const BufferBinding& binding) {
  buffers_[buffer.get()] = binding;
}

llvm::Value* FunctionEmitter::emit(const ir::Expr& expr) {
  // Integer arithmetic and conditions without loads move out of the loops they do not depend on; there is
  // no other loop-invariant code motion.
  const bool moves =
      hoist_depth_ < 0 && !loops_.empty() && expr.as<ir::BinaryNode>() && !expr.dtype().is_float();
  if (!moves) return emit_here(expr);
  return at_depth(depth_of(expr), [&] { return emit_here(expr); });
}

llvm::Value* FunctionEmitter::emit_here(const ir::Expr& expr) {
  switch (expr->kind) {
    case ir::NodeKind::kIntImm: return constant(*expr.as<ir::IntImmNode>());
    case ir::NodeKind::kFloatImm: return constant(*expr.as<ir::FloatImmNode>());
    case ir::NodeKind::kStringImm: return m_.text(expr.as<ir::StringImmNode>()->value);
    case ir::NodeKind::kVar: return variable(*expr.as<ir::VarNode>());
    case ir::NodeKind::kCast: {
      const ir::Expr& value = expr.as<ir::CastNode>()->value;
      if (const auto* var = value.as<ir::VarNode>(); var && expr.dtype() == kInt64) {
        const auto it = vars_.find(var);
        if (it != vars_.end() && it->second.wide) return it->second.wide;
      }
      return cast(emit(value), value.dtype(), expr.dtype());
    }
    case ir::NodeKind::kUnary: return unary(*expr.as<ir::UnaryNode>());
    case ir::NodeKind::kBinary: return binary(*expr.as<ir::BinaryNode>());
    case ir::NodeKind::kSelect: return select(*expr.as<ir::SelectNode>());
    case ir::NodeKind::kIfThenElse: return lazy(*expr.as<ir::IfThenElseNode>());
    case ir::NodeKind::kLoad: return load(*expr.as<ir::LoadNode>());
    case ir::NodeKind::kCall: return call(*expr.as<ir::CallNode>());
    case ir::NodeKind::kLet: return let(*expr.as<ir::LetNode>());
    case ir::NodeKind::kRamp: return ramp(*expr.as<ir::RampNode>());
    case ir::NodeKind::kBroadcast: {
      const auto* node = expr.as<ir::BroadcastNode>();
      return splat(emit(node->value), node->dtype.lanes);
    }
    case ir::NodeKind::kExtract: {
      const auto* node = expr.as<ir::ExtractNode>();
      Value* vector = emit(node->vector);
      return vector->getType()->isVectorTy() ? b_.CreateExtractElement(vector, node->lane) : vector;
    }
    default: break;
  }
  throw InternalError("an expression of this kind has no place at level flat");
}

llvm::Value* FunctionEmitter::constant(const ir::IntImmNode& node) {
  llvm::Type* type = register_type(m_.context, node.dtype);
  return llvm::ConstantInt::get(type, static_cast<uint64_t>(node.value), /*isSigned=*/true);
}

llvm::Value* FunctionEmitter::constant(const ir::FloatImmNode& node) {
  llvm::Type* type = register_type(m_.context, node.dtype);
  if (!is_half(node.dtype)) return llvm::ConstantFP::get(type, node.value);
  const uint16_t bits =
      node.dtype.is_bfloat16() ? bfloat16_bits(node.value) : float16_bits(node.value);
  return llvm::ConstantInt::get(type, bits);
}

llvm::Value* FunctionEmitter::variable(const ir::VarNode& node) {
  const auto it = vars_.find(&node);
  internal_check(it != vars_.end(), "{}: variable '{}' is not bound", func_->name, node.name);
  return it->second.value;
}

llvm::Value* FunctionEmitter::splat(Value* scalar, int lanes) {
  if (lanes == 1 || scalar->getType()->isVectorTy()) return scalar;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
}

llvm::Value* FunctionEmitter::unary(const ir::UnaryNode& node) {
  Value* value = emit(node.a);
  if (node.op != ir::UnaryOp::kNeg) return b_.CreateNot(value);
  if (is_half(node.dtype)) {
    return b_.CreateXor(value, llvm::ConstantInt::get(value->getType(), 0x8000));
  }
  return node.dtype.is_float() ? b_.CreateFNeg(value) : b_.CreateNeg(value);
}

llvm::Value* FunctionEmitter::binary(const ir::BinaryNode& node) {
  if (Value* bound = below_bound(node)) return bound;
  Value* x = emit(node.a);
  Value* y = emit(node.b);
  return binary(node.op, node.a.dtype(), splat(x, node.dtype.lanes), splat(y, node.dtype.lanes));
}

llvm::Value* FunctionEmitter::select(Value* condition, Value* true_value, Value* false_value) {
  return b_.CreateSelect(condition, true_value, false_value);
}

llvm::Value* FunctionEmitter::select(const ir::SelectNode& node) {
  Value* condition = emit(node.condition);
  Value* true_value = splat(emit(node.true_value), node.dtype.lanes);
  Value* false_value = splat(emit(node.false_value), node.dtype.lanes);
  return select(condition, true_value, false_value);
}

llvm::Value* FunctionEmitter::ramp(const ir::RampNode& node) {
  const DType type = node.dtype;
  std::vector<llvm::Constant*> lanes;
  auto* element = llvm::cast<llvm::IntegerType>(register_type(m_.context, type.element()));
  for (int i = 0; i < type.lanes; ++i) {
    lanes.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i)));
  }
  Value* steps = llvm::ConstantVector::get(lanes);
  Value* stride = emit(node.stride);
  if (!ir::is_const_int(node.stride, 1)) steps = b_.CreateMul(steps, splat(stride, type.lanes));
  return b_.CreateAdd(splat(emit(node.base), type.lanes), steps);
}

llvm::Value* FunctionEmitter::let(const ir::LetNode& node) {
  Value* value = emit(node.value);
  bind_var(node.var, value);
  return emit(node.body);
}

}  // namespace tilewright::codegen
