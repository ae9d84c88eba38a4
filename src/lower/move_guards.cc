#include "lower/move_guards.h"

#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

const IfNode* movable_if(const Stmt& stmt) {
  auto* branch = stmt.as<IfNode>();
  return branch && is_pure_index(branch->condition) ? branch : nullptr;
}

class MoveGuards final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit MoveGuards(const PrimFunc& func) : BoundMutator(func) {}

 protected:
  using BoundMutator::mutate_node;
  Expr mutate(const Expr& expr) override { return expr; }

  Stmt mutate_node(const SeqNode& node, const Stmt& self) override {
    std::vector<Stmt> stmts;
    bool changed = false;
    for (const Stmt& stmt : node.stmts) {
      Stmt next = mutate(stmt);
      changed |= next.get() != stmt.get();
      if (!stmts.empty()) {
        if (Stmt merged = merge_guarded(stmts.back(), next)) {
          stmts.back() = mutate(merged);
          changed = true;
          continue;
        }
      }
      stmts.push_back(std::move(next));
    }
    return changed ? seq(std::move(stmts)) : self;
  }

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    Stmt result = BoundMutator::mutate_node(node, self);
    auto* loop = result.as<ForNode>();
    auto* branch = movable_if(loop->body);
    if (!branch) return result;
    if (branch->else_body) {
      if (uses_var(branch->condition, loop->var)) return result;
      return if_then(branch->condition, with_body(loop, branch->then_body),
                     with_body(loop, branch->else_body));
    }
    std::vector<Expr> outside, inside;
    Expr extent = loop->extent;
    for (const Expr& part : split_conjunction(branch->condition)) {
      if (!uses_var(part, loop->var)) {
        outside.push_back(part);
      } else if (Expr bound = upper_bound(*loop, part); bound.defined()) {
        extent = tightened(extent, bound);
      } else {
        inside.push_back(part);
      }
    }
    if (outside.empty() && extent.get() == loop->extent.get()) return result;
    Stmt body = branch->then_body;
    if (!inside.empty()) body = if_then(join_conjunction(inside), body);
    Stmt moved(new ForNode(loop->id, loop->var, extent, loop->for_kind, loop->thread,
                           loop->annotations, body));
    return outside.empty() ? moved : if_then(join_conjunction(outside), moved);
  }

  Stmt mutate_node(const LetStmtNode& node, const Stmt& self) override {
    Stmt result = BoundMutator::mutate_node(node, self);
    auto* let = result.as<LetStmtNode>();
    auto* branch = movable_if(let->body);
    if (!branch || branch->else_body || uses_var(branch->condition, let->var)) return result;
    return if_then(branch->condition, let_stmt(let->var, let->value, branch->then_body));
  }

  Stmt mutate_node(const AllocNode& node, const Stmt& self) override {
    Stmt result = mutate_children(node, self);
    auto* alloc = result.as<AllocNode>();
    auto* branch = movable_if(alloc->body);
    if (!branch || branch->else_body) return result;
    return if_then(branch->condition, Stmt(new AllocNode(alloc->buffer, branch->then_body)));
  }

 private:
  /// e such that `condition` is `var < e`, e free of var; null when it has another form.
  Expr upper_bound(const ForNode& loop, const Expr& condition) const {
    if (loop.for_kind != ForKind::kSerial) return {};
    auto* cmp = condition.as<BinaryNode>();
    if (!cmp || !is_index(cmp->a)) return {};
    // slack > 0 or slack >= 0
    Expr slack;
    switch (cmp->op) {
      case BinaryOp::kLt: slack = cmp->b - cmp->a; break;
      case BinaryOp::kLe: slack = cmp->b - cmp->a + 1; break;
      case BinaryOp::kGt: slack = cmp->a - cmp->b; break;
      case BinaryOp::kGe: slack = cmp->a - cmp->b + 1; break;
      default: return {};
    }
    arith::LinearForm form = analyzer_.linear_form(slack);
    int64_t step = 0;
    for (auto it = form.terms.begin(); it != form.terms.end();) {
      if (it->first.get() == loop.var.get()) {
        step = -it->second;
        it = form.terms.erase(it);
      } else if (uses_var(it->first, loop.var)) {
        return {};
      } else {
        ++it;
      }
    }
    if (step <= 0) return {};
    Expr bound = arith::from_linear_form(form);
    return step == 1 ? bound : ceil_div(bound, make_int(kInt64, step));
  }

  Expr tightened(const Expr& extent, const Expr& bound) const {
    const Expr zero = make_int(kInt64, 0);
    Expr smaller = min(cast(kInt64, extent), bound);
    return analyzer_.simplify(analyzer_.can_prove(bound >= zero) ? smaller : max(smaller, zero));
  }
};

}  // namespace

Stmt merge_guarded(const Stmt& first, const Stmt& second) {
  auto* a = movable_if(first);
  auto* b = movable_if(second);
  if (!a || !b || !structural_equal(a->condition, b->condition)) return {};
  std::vector<Stmt> otherwise;
  if (a->else_body) otherwise.push_back(a->else_body);
  if (b->else_body) otherwise.push_back(b->else_body);
  return if_then(a->condition, seq({a->then_body, b->then_body}),
                 otherwise.empty() ? Stmt() : seq(std::move(otherwise)));
}

Stmt move_guards(const PrimFunc& func, const Stmt& body) { return MoveGuards(func).mutate(body); }

}  // namespace tilewright::lower
