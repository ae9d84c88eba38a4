#pragma once

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::lower {

/// A rewrite that knows, at each place, the ranges of the loops around it and the conditions that hold
/// there. `analyzer_` is right while the children of a node are rewritten.
class BoundMutator : public ir::Mutator {
 public:
  using ir::Mutator::mutate;

 protected:
  using ir::Mutator::mutate_node;
  explicit BoundMutator(const ir::PrimFunc& func) { arith::bind_function_facts(analyzer_, func); }

  ir::Stmt mutate_node(const ir::ForNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::IfNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::LetStmtNode& node, const ir::Stmt& self) override;
  ir::Expr mutate_node(const ir::IfThenElseNode& node, const ir::Expr& self) override;

  /// Rewrites with `condition` (or its opposite) assumed.
  template <typename Handle>
  Handle mutate_under(const ir::Expr& condition, const Handle& child) {
    arith::Analyzer saved(analyzer_);
    analyzer_.assume(condition);
    Handle result = mutate(child);
    analyzer_ = std::move(saved);
    return result;
  }

  /// Notes `var == value` when the value is an integer expression without loads or calls.
  void bind_let(const ir::Var& var, const ir::Expr& value);

  arith::Analyzer analyzer_;
};

/// Of a type that loops and indices have: arithmetic on it counts as exact. Narrower integers are data, which wraps.
inline bool is_index(const ir::Expr& expr) {
  return expr.dtype() == kInt64 || expr.dtype() == kInt32;
}

/// No load, call, let or vector inside: an expression whose value depends on its variables alone and which
/// may be moved or copied freely.
bool is_pure_index(const ir::Expr& expr);

/// The operands of a conjunction, `likely` removed.
std::vector<ir::Expr> split_conjunction(const ir::Expr& condition);
/// The conjunction of the conditions; true when there is none.
ir::Expr join_conjunction(const std::vector<ir::Expr>& conditions);

/// "i (extent 6)", for messages.
std::string describe_loop(const ir::ForNode& loop);

}  // namespace tilewright::lower
