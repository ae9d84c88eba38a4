#include "lower/bound_mutator.h"

#include "tilewright/ir/text.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

Stmt BoundMutator::mutate_node(const ForNode& node, const Stmt& self) {
  analyzer_.bind_extent(node.var, node.extent);
  return mutate_children(node, self);
}

Stmt BoundMutator::mutate_node(const IfNode& node, const Stmt& self) {
  Expr condition = mutate(node.condition);
  const bool pure = is_pure_index(condition);
  Stmt then_body = pure ? mutate_under(condition, node.then_body) : mutate(node.then_body);
  Stmt else_body;
  if (node.else_body) {
    else_body = pure ? mutate_under(!condition, node.else_body) : mutate(node.else_body);
  }
  if (condition.get() == node.condition.get() && then_body.get() == node.then_body.get() &&
      else_body.get() == node.else_body.get()) {
    return self;
  }
  return Stmt(new IfNode(condition, then_body, else_body));
}

Stmt BoundMutator::mutate_node(const LetStmtNode& node, const Stmt& self) {
  bind_let(node.var, node.value);
  return mutate_children(node, self);
}

Expr BoundMutator::mutate_node(const IfThenElseNode& node, const Expr& self) {
  Expr condition = mutate(node.condition);
  const bool pure = condition.dtype().is_scalar() && is_pure_index(condition);
  Expr a = pure ? mutate_under(condition, node.true_value) : mutate(node.true_value);
  Expr b = pure ? mutate_under(!condition, node.false_value) : mutate(node.false_value);
  if (condition.get() == node.condition.get() && a.get() == node.true_value.get() &&
      b.get() == node.false_value.get()) {
    return self;
  }
  return Expr(new IfThenElseNode(a.dtype(), condition, a, b));
}

void BoundMutator::bind_let(const Var& var, const Expr& value) {
  if (is_index(value) && is_pure_index(value)) {
    analyzer_.bind_value(var, value);
  }
}

bool is_pure_index(const Expr& expr) {
  bool pure = true;
  walk_exprs(expr, [&](const Expr& e) {
    switch (e->kind) {
      case NodeKind::kLoad:
      case NodeKind::kLet:
      case NodeKind::kReduce:
      case NodeKind::kStringImm: pure = false; break;
      case NodeKind::kCall: pure &= e.as<CallNode>()->intrinsic == Intrinsic::kLikely; break;
      default: pure &= e.dtype().is_scalar();
    }
  });
  return pure;
}

namespace {

void split_into(const Expr& condition, std::vector<Expr>& out) {
  if (auto* both = condition.as<BinaryNode>(); both && both->op == BinaryOp::kAnd) {
    split_into(both->a, out);
    split_into(both->b, out);
  } else if (auto* call = condition.as<CallNode>(); call && call->intrinsic == Intrinsic::kLikely) {
    split_into(call->args[0], out);
  } else if (!is_true(condition)) {
    out.push_back(condition);
  }
}

}  // namespace

std::vector<Expr> split_conjunction(const Expr& condition) {
  std::vector<Expr> result;
  if (condition.defined()) split_into(condition, result);
  return result;
}

Expr join_conjunction(const std::vector<Expr>& conditions) {
  Expr result;
  for (const Expr& c : conditions) result = result.defined() ? result && c : c;
  return result.defined() ? result : make_bool(true);
}

std::string describe_loop(const ForNode& loop) {
  return fmt::format("{} (extent {})", loop.var.name(), to_pretty(loop.extent));
}

}  // namespace tilewright::lower
