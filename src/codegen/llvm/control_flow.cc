#include <llvm/IR/Constants.h>

#include "codegen/llvm/function_emitter.h"
#include "codegen/llvm/types.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/error.h"

namespace tilewright::codegen {

llvm::BasicBlock* FunctionEmitter::new_block(const std::string& name) {
  return llvm::BasicBlock::Create(m_.context, name, function_);
}

void FunctionEmitter::emit(const ir::Stmt& stmt) {
  switch (stmt->kind) {
    case ir::NodeKind::kStore: return store(*stmt.as<ir::StoreNode>());
    case ir::NodeKind::kFor: return emit_for(*stmt.as<ir::ForNode>());
    case ir::NodeKind::kSeq:
      for (const ir::Stmt& part : stmt.as<ir::SeqNode>()->stmts) emit(part);
      return;
    case ir::NodeKind::kIf: return emit_if(*stmt.as<ir::IfNode>());
    case ir::NodeKind::kLetStmt: return emit_let(*stmt.as<ir::LetStmtNode>());
    case ir::NodeKind::kAlloc: return emit_alloc(*stmt.as<ir::AllocNode>());
    case ir::NodeKind::kEvaluate: return emit_evaluate(*stmt.as<ir::EvaluateNode>());
    case ir::NodeKind::kAssert: return emit_assert(*stmt.as<ir::AssertNode>());
    case ir::NodeKind::kBarrier:
      fail("codegen.barrier", "{}: a barrier has no meaning on target cpu", func_->name);
    default: break;
  }
  throw InternalError(func_->name + ": a statement of this kind has no place at level flat");
}

void FunctionEmitter::emit_if(const ir::IfNode& node) {
  if (ir::is_true(node.condition)) return emit(node.then_body);
  if (ir::is_false(node.condition)) {
    if (node.else_body) emit(node.else_body);
    return;
  }
  Value* condition = emit(node.condition);
  if (!node.else_body) return run_if(condition, [&] { emit(node.then_body); });
  llvm::BasicBlock* on_true = new_block("if.then");
  llvm::BasicBlock* on_false = new_block("if.else");
  llvm::BasicBlock* join = new_block("if.end");
  b_.CreateCondBr(condition, on_true, on_false);
  b_.SetInsertPoint(on_true);
  emit(node.then_body);
  b_.CreateBr(join);
  b_.SetInsertPoint(on_false);
  emit(node.else_body);
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

void FunctionEmitter::emit_let(const ir::LetStmtNode& node) {
  const DType dtype = node.value.dtype();
  const int home = depth_of(node.value);
  const bool moves = dtype.is_scalar() && !dtype.is_float() && home < depth();
  Value* value = moves ? at_depth(home, [&] { return emit_here(node.value); }) : emit(node.value);
  VarBinding bound{value, nullptr, moves ? home : depth(), 1, false};
  if (dtype == kInt64) {
    bound.multiple = known_multiple(linearize(node.value));
    bound.is_index = true;
    ir::walk_exprs(node.value, [&](const ir::Expr& part) {
      const auto* var = part.as<ir::VarNode>();
      const bool small =
          var ? vars_.contains(var) && vars_.at(var).is_index
              : !part.as<ir::LoadNode>() && !part.as<ir::CallNode>() && !part.as<ir::CastNode>();
      bound.is_index = bound.is_index && small;
    });
  }
  vars_[node.var.node()] = bound;
  bool at_entry = dtype.is_scalar();
  for (const ir::Var& var : ir::free_vars(node.value)) {
    at_entry = at_entry && entry_vars_.contains(var);
  }
  ir::walk_exprs(node.value,
                 [&](const ir::Expr& part) { at_entry = at_entry && !part.as<ir::LoadNode>(); });
  if (at_entry) entry_vars_.emplace(node.var, ir::substitute(node.value, entry_vars_));
  emit(node.body);
}

void FunctionEmitter::bind_index(const ir::ForNode& loop, Value* index) {
  const DType dtype = loop.var.dtype();
  VarBinding bound{index, nullptr, depth(), 1, true};
  if (dtype != kInt64) {
    bound.value = b_.CreateTrunc(index, register_type(m_.context, dtype));
    bound.wide = index;
  }
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index); constant && constant->isZero()) {
    bound.multiple = 0;
  }
  vars_[loop.var.node()] = bound;
}

void FunctionEmitter::emit_for(const ir::ForNode& loop) {
  if (loop.for_kind == ir::ForKind::kThread) {
    fail("codegen.thread_loop", "{}: loop '{}' is bound to threads, which target cpu does not have",
         func_->name, loop.var.name());
  }
  const int64_t* extent = ir::as_const_int(loop.extent);
  if (extent && *extent <= 0) return;
  if (extent && *extent == 1) {
    bind_index(loop, b_.getInt64(0));
    return emit(loop.body);
  }
  // Inside a parallel loop a parallel loop runs serially, in the slot it is met in.
  if (loop.for_kind == ir::ForKind::kParallel && call_.slots) return emit_parallel(loop);
  Value* end = index_value(loop.extent);
  emit_loop(b_.getInt64(0), end, extent != nullptr, loop.var.name(), [&](Value* index) {
    bind_index(loop, index);
    emit(loop.body);
  });
}

void FunctionEmitter::emit_loop(Value* begin, Value* end, bool nonempty, const std::string& name,
                                const std::function<void(Value*)>& body) {
  llvm::BasicBlock* preheader = new_block(name + ".pre");
  llvm::BasicBlock* head = new_block(name + ".loop");
  llvm::BasicBlock* after = new_block(name + ".end");
  if (nonempty) {
    b_.CreateBr(preheader);
  } else {
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), preheader, after);
  }
  b_.SetInsertPoint(preheader);
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* index = b_.CreatePHI(m_.i64(), 2, name);
  index->addIncoming(begin, preheader);
  loops_.push_back(preheader);
  body(index);
  loops_.pop_back();
  // index < end, so the step cannot wrap.
  Value* next = b_.CreateAdd(index, b_.getInt64(1), name + ".next", /*NUW=*/false, /*NSW=*/true);
  index->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), head, after);
  b_.SetInsertPoint(after);
}

}  // namespace tilewright::codegen
