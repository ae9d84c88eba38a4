#include "ir/interp/compiler.h"

namespace tilewright::ir::interp {
namespace {

bool is_concurrent(const ForNode& loop) {
  switch (loop.for_kind) {
    case ForKind::kParallel:
    case ForKind::kVectorized: return true;
    // The iterations of a virtual thread run interleaved in one thread.
    case ForKind::kThread: return loop.thread != ThreadAxis::kVThread;
    default: return false;
  }
}

}  // namespace

void Compiler::stmt(const Stmt& s) {
  internal_check(s.defined(), "null statement in '{}'", program_.name);
  const Temporaries scope(*this);
  switch (s->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return stmt(static_cast<const Name##Node&>(*s));
    TILEWRIGHT_STMT_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
    default: throw InternalError("not a statement node");
  }
}

void Compiler::stmt(const StoreNode& node) {
  const DType type = node.value.dtype();
  if (type.element() != node.buffer->dtype) {
    malformed(fmt::format("a store of dtype {} to buffer '{}' of dtype {}", to_string(type),
                          node.buffer->name, to_string(node.buffer->dtype)));
  }
  Access access = make_access(node.buffer, node.indices, type.lanes);
  set_predicate(access, node.predicate, type.lanes, /*masked=*/false);
  emit_store(access, expr(node.value), type);
}

void Compiler::stmt(const UpdateNode& node) {
  const ReducerNode& reducer = *node.reducer;
  const size_t arity = reducer.arity();
  if (node.buffers.size() != arity || node.values.size() != arity ||
      reducer.results.size() != arity || reducer.rhs.size() != arity) {
    malformed(fmt::format("an update of {} buffers by {} values with reducer '{}' of {} values",
                          node.buffers.size(), node.values.size(), reducer.name, arity));
  }
  std::vector<Access> accesses;
  for (size_t j = 0; j < arity; ++j) {
    accesses.push_back(make_access(node.buffers[j], node.indices, 1));
    accesses.back().is_update = true;
  }
  std::vector<Reg> values;
  for (const Expr& value : node.values) values.push_back(expr(value));
  for (size_t j = 0; j < arity; ++j) {
    bind(reducer.lhs[j], emit_load(accesses[j], node.buffers[j]->dtype));
    bind(reducer.rhs[j], values[j]);
  }
  std::vector<Reg> results;
  for (const Expr& result : reducer.results) results.push_back(expr(result));
  for (size_t j = 0; j < arity; ++j) emit_store(accesses[j], results[j], node.buffers[j]->dtype);
  for (size_t j = 0; j < arity; ++j) {
    unbind(reducer.lhs[j]);
    unbind(reducer.rhs[j]);
  }
}

void Compiler::inits_before(const Node* node) {
  const auto found = inits_.find(node);
  if (found == inits_.end()) return;
  for (const Stmt& init : found->second) stmt(init);
}

void Compiler::stmt(const ForNode& node) {
  inits_before(&node);
  const bool forks = options_.check_races && is_concurrent(node);
  const Reg extent = expr(node.extent);
  const Reg var = allocate(1);
  bind(node.var, var);
  if (forks) {
    program_.loops.push_back({node.var.name(), node.for_kind});
    emit(Op::kForkEnter, 1, 0, 0, 0, static_cast<uint32_t>(program_.loops.size() - 1));
  }
  const uint32_t enter = emit(Op::kLoopEnter, 1, var, extent);
  const int32_t outer_scope = scope_;
  scope_ = push_scope(node.var.name(), var);
  const uint32_t top = here();
  if (forks) emit(Op::kForkIter, 1, 0, var);
  const auto allocs = loop_allocs_.find(node.id);
  if (allocs != loop_allocs_.end()) {
    for (const Buffer& buffer : allocs->second) emit_alloc(buffer);
  }
  stmt(node.body);
  if (allocs != loop_allocs_.end()) {
    for (const Buffer& buffer : allocs->second) live_buffers_.erase(buffer.get());
  }
  emit(Op::kLoopNext, 1, var, extent, 0, top);
  land(enter);
  if (forks) emit(Op::kForkLeave, 1, 0);
  scope_ = outer_scope;
  unbind(node.var);
}

void Compiler::stmt(const SeqNode& node) {
  for (const Stmt& s : node.stmts) stmt(s);
}

void Compiler::stmt(const IfNode& node) {
  const uint32_t to_else = emit(Op::kJumpIfZero, 1, 0, expr(node.condition));
  stmt(node.then_body);
  if (!node.else_body) return land(to_else);
  const uint32_t to_end = emit(Op::kJump, 1, 0);
  land(to_else);
  stmt(node.else_body);
  land(to_end);
}

void Compiler::stmt(const LetStmtNode& node) {
  bind(node.var, expr(node.value));
  stmt(node.body);
  unbind(node.var);
}

void Compiler::stmt(const AllocNode& node) {
  emit_alloc(node.buffer);
  stmt(node.body);
  live_buffers_.erase(node.buffer.get());
}

void Compiler::stmt(const EvaluateNode& node) { expr(node.value); }

void Compiler::stmt(const AssertNode& node) {
  const Reg condition = expr(node.condition);
  const uint32_t to_end = emit(Op::kJumpIfZero, 1, 0, emit_value(Op::kNot, 1, condition));
  std::vector<ValueReg> values;
  for (const Expr& value : node.values) values.push_back({expr(value), value.dtype()});
  emit(Op::kAssert, 1, 0, condition, 0, add_message("interp.assert", node.message, values));
  land(to_end);
}

void Compiler::stmt(const BarrierNode& node) {
  emit(Op::kBarrier, 1, 0, 0, 0, static_cast<uint32_t>(node.scope));
}

void Compiler::stmt(const BlockRealizeNode& node) {
  inits_before(&node);
  const int32_t outer_scope = scope_;
  scope_ = push_scope(node.block->name, kNoReg);
  block_instance(node);
  scope_ = outer_scope;
}

// The init is not here: it runs before the outermost loop that feeds a reduce variable.
void Compiler::block_instance(const BlockRealizeNode& node) {
  const BlockNode& block = *node.block;
  if (!block.body) {
    fail("interp.unsupported", "block '{}' has no body to interpret (extern)", block.name);
  }
  if (node.iter_values.size() != block.iter_vars.size()) {
    malformed(fmt::format("block '{}' has {} iteration variables and {} values", block.name,
                          block.iter_vars.size(), node.iter_values.size()));
  }
  std::vector<uint32_t> skips;
  for (const Conjunct& conjunct : node.guard) {
    skips.push_back(emit(Op::kJumpIfZero, 1, 0, expr(conjunct.cond)));
  }
  std::vector<Reg> values;
  for (const Expr& value : node.iter_values) values.push_back(expr(value));
  for (size_t i = 0; i < values.size(); ++i) bind(block.iter_vars[i].var, values[i]);
  if (block.where.defined()) skips.push_back(emit(Op::kJumpIfZero, 1, 0, expr(block.where)));
  stmt(block.body);
  for (const IterVar& iter : block.iter_vars) unbind(iter.var);
  for (uint32_t skip : skips) land(skip);
}

}  // namespace tilewright::ir::interp
