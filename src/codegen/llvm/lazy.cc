#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"

namespace tilewright::codegen {

namespace {

// Evaluating it on the side not taken is harmless and cheap.
bool is_eager(const ir::Expr& expr) {
  bool eager = true;
  ir::walk_exprs(expr, [&](const ir::Expr& part) {
    eager = eager && !part.as<ir::LoadNode>() && !part.as<ir::CallNode>();
  });
  return eager;
}

}  // namespace

llvm::Value* FunctionEmitter::lazy(const ir::IfThenElseNode& node) {
  Value* condition = emit(node.condition);
  if (is_eager(node.true_value) && is_eager(node.false_value)) {
    Value* true_value = splat(emit(node.true_value), node.dtype.lanes);
    return select(condition, true_value, splat(emit(node.false_value), node.dtype.lanes));
  }
  if (condition->getType()->isVectorTy()) return lazy_masked(node, condition);
  return lazy_branch(node, condition);
}

llvm::Value* FunctionEmitter::lazy_branch(const ir::IfThenElseNode& node, Value* condition) {
  llvm::BasicBlock* on_true = new_block("lazy.true");
  llvm::BasicBlock* on_false = new_block("lazy.false");
  llvm::BasicBlock* join = new_block("lazy.end");
  b_.CreateCondBr(condition, on_true, on_false);
  b_.SetInsertPoint(on_true);
  Value* true_value = splat(emit(node.true_value), node.dtype.lanes);
  llvm::BasicBlock* true_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(on_false);
  Value* false_value = splat(emit(node.false_value), node.dtype.lanes);
  llvm::BasicBlock* false_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(true_value->getType(), 2);
  phi->addIncoming(true_value, true_end);
  phi->addIncoming(false_value, false_end);
  return phi;
}

// Both sides are evaluated, each with its loads masked by the lanes that take it.
llvm::Value* FunctionEmitter::lazy_masked(const ir::IfThenElseNode& node, Value* condition) {
  Value* outer = lane_mask_;
  const auto within = [&](Value* lanes) { return outer ? b_.CreateAnd(outer, lanes) : lanes; };
  lane_mask_ = within(condition);
  Value* true_value = splat(emit(node.true_value), node.dtype.lanes);
  lane_mask_ = within(b_.CreateNot(condition));
  Value* false_value = splat(emit(node.false_value), node.dtype.lanes);
  lane_mask_ = outer;
  return select(condition, true_value, false_value);
}

llvm::Value* FunctionEmitter::value_if(Value* condition, llvm::Type* type,
                                       const std::function<Value*()>& value) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* taken = new_block("if.value");
  llvm::BasicBlock* join = new_block("if.join");
  b_.CreateCondBr(condition, taken, join);
  b_.SetInsertPoint(taken);
  Value* result = value();
  llvm::BasicBlock* taken_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(type, 2);
  phi->addIncoming(llvm::Constant::getNullValue(type), before);
  phi->addIncoming(result, taken_end);
  return phi;
}

void FunctionEmitter::run_if(Value* condition, const std::function<void()>& body) {
  llvm::BasicBlock* taken = new_block("if.then");
  llvm::BasicBlock* join = new_block("if.end");
  b_.CreateCondBr(condition, taken, join);
  b_.SetInsertPoint(taken);
  body();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

}  // namespace tilewright::codegen
