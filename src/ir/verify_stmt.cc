#include "ir/verify.h"

namespace tilewright::ir {

void Verifier::check_body(const Stmt& body, const char* what) {
  if (!body) {
    fault("the body of {} is null", what);
  } else {
    visit(body);
  }
}

void Verifier::check_condition(const Expr& condition, const char* what) {
  if (absent(condition, "a condition")) return;
  if (condition.dtype() != kBool) {
    fault("{} {} has dtype {}", what, to_pretty(condition), to_string(condition.dtype()));
  }
  visit(condition);
}

// `unique`: bound once in the whole function; else only not within its own scope.
void Verifier::bind(const Var& var, bool unique) {
  if (!var.defined()) {
    fault("a bound variable is null");
    return;
  }
  const bool again = unique && !ever_bound_.insert(var.get()).second;
  if (again || in_scope_[var.get()] > 0) fault("variable {} is bound twice", var.name());
  ++in_scope_[var.get()];
}

void Verifier::unbind(const Var& var) {
  if (var.defined()) --in_scope_[var.get()];
}

void Verifier::check_id(int64_t id, const std::string& name) {
  if (!scheduled()) return;  // handles matter while scheduling only
  if (id < 0) fault("{} has no id", name);
  if (!ids_.insert(id).second) fault("{} has id {}, which is taken", name, id);
}

void Verifier::check_stored(const Buffer& buffer) {
  if (!buffer) return;
  if (read_only_.count(buffer.get())) fault("write to {}, which is only read", buffer->name);
  if (buffer->scope == Scope::kConstant) fault("write to {}, which is constant", buffer->name);
}

void Verifier::visit_node(const StoreNode& n) {
  const int lanes = check_access(n.buffer, n.indices, "store");
  check_stored(n.buffer);
  check_predicate(n.predicate, lanes, "store");
  if (absent(n.value, "a stored value") || !n.buffer) return;
  if (n.value.dtype() != n.buffer->dtype.with_lanes(lanes)) {
    fault("store of {} into {} of {} in {} lanes", to_string(n.value.dtype()), n.buffer->name,
          to_string(n.buffer->dtype), lanes);
  }
  visit(n.value);
}

void Verifier::visit_node(const UpdateNode& n) {
  if (!scheduled()) fault("an update at level {}", spelling(func_->level));
  if (!n.reducer) {
    fault("an update without a reducer");
    return;
  }
  const size_t arity = n.reducer->arity();
  if (n.buffers.size() != arity || n.values.size() != arity) {
    fault("update by {} of {} values has {} buffers and {} values", n.reducer->name, arity,
          n.buffers.size(), n.values.size());
    return;
  }
  for (size_t j = 0; j < arity; ++j) {
    if (check_access(n.buffers[j], n.indices, "update") != 1) fault("an update by vectors");
    check_stored(n.buffers[j]);
    if (n.buffers[j] && n.buffers[j]->dtype != n.reducer->lhs[j].dtype()) {
      fault("update of {} of {} by {} over {}", n.buffers[j]->name, to_string(n.buffers[j]->dtype),
            n.reducer->name, to_string(n.reducer->lhs[j].dtype()));
    }
    if (absent(n.values[j], "an update's value")) continue;
    if (n.values[j].dtype() != n.reducer->rhs[j].dtype()) {
      fault("update by {} over {} with a value of {}", n.reducer->name,
            to_string(n.reducer->rhs[j].dtype()), to_string(n.values[j].dtype()));
    }
    visit(n.values[j]);
  }
}

void Verifier::visit_node(const ForNode& n) {
  if (!n.var.defined()) {
    fault("a loop without a variable");
    return;
  }
  present(n.extent, "the extent of a loop");
  context_.push_back("loop " + n.var.name());
  check_id(n.id, "the loop");
  const DType t = n.var.dtype();
  if (!t.is_int() || !t.is_scalar() || (n.extent.defined() && n.extent.dtype() != t)) {
    fault("variable of dtype {}, extent of dtype {}", to_string(t),
          n.extent.defined() ? to_string(n.extent.dtype()) : "null");
  }
  if ((n.for_kind == ForKind::kThread) != (n.thread != ThreadAxis::kNone)) {
    fault("kind {} with thread axis {}", spelling(n.for_kind), spelling(n.thread));
  }
  if (!scheduled() && n.for_kind == ForKind::kVectorized && !as_const_int(n.extent)) {
    fault("vectorized, but its extent {} is not constant", to_pretty(n.extent));
  }
  bind(n.var, scheduled());
  loops_.push_back(&n);
  LoopFacts facts;
  facts.loop = &n;
  for (const ForNode* loop : loops_) facts.vars.push_back(loop->var.get());
  all_loops_.emplace(n.id, std::move(facts));
  check_body(n.body, "the loop");
  loops_.pop_back();
  unbind(n.var);
  context_.pop_back();
}

void Verifier::visit_node(const SeqNode& n) {
  for (const Stmt& stmt : n.stmts) check_body(stmt, "a sequence");
}

void Verifier::visit_node(const IfNode& n) {
  check_condition(n.condition, "condition");
  check_body(n.then_body, "an if");
  if (n.else_body) visit(n.else_body);
}

void Verifier::visit_node(const LetStmtNode& n) {
  present(n.value, "the value of a let");
  if (n.value.defined() && n.var.defined() && n.var.dtype() != n.value.dtype()) {
    fault("let {} of {} is given {}", n.var.name(), to_string(n.var.dtype()),
          to_string(n.value.dtype()));
  }
  bind(n.var, false);
  check_body(n.body, "a let");
  unbind(n.var);
}

void Verifier::visit_node(const AllocNode& n) {
  if (!n.buffer) {
    fault("an allocation of a null buffer");
    return;
  }
  context_.push_back("allocation of " + n.buffer->name);
  if (scheduled()) fault("an Alloc statement at level scheduled; alloc_at says it there");
  check_buffer(*n.buffer);
  for (const Expr& extent : n.buffer->shape) present(extent, "an extent");
  const bool fresh = buffers_.insert(n.buffer.get()).second;
  if (!fresh) fault("the buffer is declared already");
  check_body(n.body, "the allocation");
  if (fresh) buffers_.erase(n.buffer.get());
  context_.pop_back();
}

void Verifier::visit_node(const EvaluateNode& n) {
  if (absent(n.value, "an evaluated call")) return;
  if (!n.value.as<CallNode>()) fault("{} is evaluated but is no call", to_pretty(n.value));
  visit(n.value);
}

void Verifier::visit_node(const AssertNode& n) {
  check_condition(n.condition, "asserted condition");
  if (n.status == 0) fault("an assert with status 0");
  for (const Expr& value : n.values) present(value, "an assert's value");
}

void Verifier::visit_node(const BarrierNode& n) {
  if (scheduled()) fault("a barrier at level scheduled");
  if (n.scope != Scope::kShared && n.scope != Scope::kWarp && n.scope != Scope::kGlobal) {
    fault("a barrier of scope {}", spelling(n.scope));
  }
}

void Verifier::visit_node(const BlockRealizeNode& n) {
  if (!n.block) {
    fault("a realize of a null block");
    return;
  }
  context_.push_back("block " + n.block->name);
  if (!scheduled()) fault("a block at level {}", spelling(func_->level));
  check_realize(n);
  visit(n.block);
  context_.pop_back();
}

}  // namespace tilewright::ir
