#include <limits>

#include "lower/move_guards.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

bool is_nop(const Stmt& stmt) {
  auto* list = stmt.as<SeqNode>();
  return list && list->stmts.empty();
}

bool has_effect(const Expr& expr) {
  bool effect = false;
  walk_exprs(expr, [&](const Expr& e) {
    if (auto* call = e.as<CallNode>()) effect |= info(call->intrinsic).effect != Effect::kPure;
  });
  return effect;
}

class Simplify final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit Simplify(const PrimFunc& func) : BoundMutator(func) {}

  /// Every expression of a statement ends here; the analyzer simplifies below it.
  Expr mutate(const Expr& expr) override {
    return analyzer_.simplify(values_.empty() ? expr : substitute(expr, values_));
  }

 protected:
  using BoundMutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    Expr extent = mutate(node.extent);
    const int64_t* constant = as_const_int(extent);
    if (constant && *constant <= 0) return nop();
    if (constant && *constant == 1 && node.for_kind != ForKind::kThread) {
      values_[node.var] = make_int(node.var.dtype(), 0);
      return mutate(node.body);
    }
    analyzer_.bind_extent(node.var, extent);
    Stmt body = mutate(node.body);
    if (is_nop(body)) return nop();
    if (extent.get() == node.extent.get() && body.get() == node.body.get()) return self;
    return Stmt(
        new ForNode(node.id, node.var, extent, node.for_kind, node.thread, node.annotations, body));
  }

  Stmt mutate_node(const IfNode& node, const Stmt& self) override {
    Expr condition = mutate(node.condition);
    if (is_true(condition)) return mutate(node.then_body);
    if (is_false(condition)) return node.else_body ? mutate(node.else_body) : nop();
    const bool pure = is_pure_index(condition);
    Stmt then_body = pure ? mutate_under(condition, node.then_body) : mutate(node.then_body);
    Stmt else_body;
    if (node.else_body) {
      else_body = pure ? mutate_under(!condition, node.else_body) : mutate(node.else_body);
      if (is_nop(else_body)) else_body = Stmt();
    }
    if (is_nop(then_body)) {
      if (!else_body) return nop();
      return if_then(analyzer_.simplify(!condition), else_body);
    }
    // if (a) if (b) s  ->  if (a && b) s: one condition for the passes that look at guards. Both
    // sides of && are evaluated, so b must not read memory that a protects.
    if (!else_body) {
      if (auto* inner = then_body.as<IfNode>();
          inner && !inner->else_body && is_pure_index(inner->condition)) {
        return if_then(condition && inner->condition, inner->then_body);
      }
    }
    if (condition.get() == node.condition.get() && then_body.get() == node.then_body.get() &&
        else_body.get() == node.else_body.get()) {
      return self;
    }
    return if_then(condition, then_body, else_body);
  }

  Stmt mutate_node(const SeqNode& node, const Stmt& self) override {
    bool changed = false;
    std::vector<Stmt> stmts;
    for (const Stmt& stmt : node.stmts) {
      Stmt result = mutate(stmt);
      changed |= result.get() != stmt.get();
      if (is_nop(result)) continue;
      if (Stmt merged = stmts.empty() ? Stmt() : merge_guarded(stmts.back(), result)) {
        stmts.back() = std::move(merged);
      } else {
        stmts.push_back(std::move(result));
      }
    }
    if (!changed && stmts.size() == node.stmts.size()) return self;
    return seq(std::move(stmts));
  }

  Stmt mutate_node(const LetStmtNode& node, const Stmt& self) override {
    Expr value = mutate(node.value);
    if (is_literal(value) || value.as<VarNode>()) {
      values_[node.var] = value;
      return mutate(node.body);
    }
    bind_range(node.var, value);
    Stmt body = mutate(node.body);
    if (is_nop(body)) return nop();
    if (value.get() == node.value.get() && body.get() == node.body.get()) return self;
    return let_stmt(node.var, value, body);
  }

  Stmt mutate_node(const AllocNode& node, const Stmt& self) override {
    Stmt body = mutate(node.body);
    if (is_nop(body)) return nop();
    if (body.get() == node.body.get()) return self;
    return Stmt(new AllocNode(node.buffer, body));
  }

  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    Stmt result = mutate_children(node, self);
    auto* stored = result.as<StoreNode>();
    if (!stored->predicate.defined()) return result;
    if (is_true(stored->predicate) || is_full_mask(stored->predicate)) {
      return Stmt(new StoreNode(stored->buffer, stored->indices, stored->value));
    }
    if (is_false(stored->predicate)) return nop();
    return result;
  }

  Stmt mutate_node(const EvaluateNode& node, const Stmt& self) override {
    if (!has_effect(node.value)) return nop();
    return mutate_children(node, self);
  }

 private:
  static bool is_full_mask(const Expr& mask) {
    auto* b = mask.as<BroadcastNode>();
    return b && is_true(b->value);
  }

  /// A let that stays a let: only its range is noted, so that its uses are not replaced by the value.
  void bind_range(const Var& var, const Expr& value) {
    if (!is_index(value) || !is_pure_index(value)) return;
    const arith::Interval range = analyzer_.const_interval(value);
    // A width that the variable's type does not hold says no more than the type does.
    const int64_t widest = value.dtype() == kInt32 ? std::numeric_limits<int32_t>::max()
                                                   : std::numeric_limits<int64_t>::max();
    int64_t width = 0;
    if (range.bounded() && !__builtin_sub_overflow(range.max, range.min, &width) &&
        width < widest) {
      analyzer_.bind(var, {make_int(var.dtype(), range.min),
                           make_int(var.dtype(), range.max - range.min + 1)});
    }
  }

  VarMap values_;
};

}  // namespace

PrimFunc simplify(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, Simplify(func).mutate(func->body));
}

}  // namespace tilewright::lower
