#include "lower/cut_tails.h"

#include <algorithm>

#include "tilewright/ir/text.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

Stmt CutTails::mutate_node(const ForNode& node, const Stmt& self) {
  analyzer_.bind_extent(node.var, node.extent);
  const std::vector<const BlockRealizeNode*> blocks = realizes_below(node.body);
  if (has_led(blocks, node, Tail::kShiftInwards)) return descend(shift_inwards(node, blocks));
  if (has_led(blocks, node, Tail::kBalanced)) {
    if (int64_t factor = balanced_factor(blocks, node); factor > 0) {
      return descend_all(balance(node, blocks, factor));
    }
    return descend_all(peel(node, blocks, self));
  }
  if (has_led(blocks, node, Tail::kPeel)) return descend_all(peel(node, blocks, self));
  return descend(self);
}

bool CutTails::leads(const ForNode& loop, const Conjunct& conjunct) const {
  return uses_var(conjunct.cond, loop.var) && !uses_any_var(conjunct.cond, outer_);
}

bool CutTails::has_led(const std::vector<const BlockRealizeNode*>& blocks, const ForNode& loop,
                       Tail tail) const {
  for (const BlockRealizeNode* block : blocks) {
    for (const Conjunct& c : block->guard) {
      if (c.tail == tail && leads(loop, c)) return true;
    }
  }
  return false;
}

Stmt CutTails::descend(const Stmt& stmt) {
  auto* loop = stmt.as<ForNode>();
  analyzer_.bind_extent(loop->var, loop->extent);
  // A loop of one iteration is no variable of a condition any more.
  const bool single = is_const_int(loop->extent, 1);
  if (single) {
    Stmt fixed = substitute(loop->body, {{loop->var, make_int(loop->var.dtype(), 0)}});
    return with_body(loop, mutate(fixed));
  }
  outer_.insert(loop->var);
  Stmt body = mutate(loop->body);
  outer_.erase(loop->var);
  return body.get() == loop->body.get() ? stmt : with_body(loop, body);
}

Stmt CutTails::descend_all(const std::vector<Stmt>& loops) {
  std::vector<Stmt> result;
  for (const Stmt& loop : loops) result.push_back(descend(loop));
  return seq(std::move(result));
}

bool CutTails::uses_loop(const BlockRealizeNode& block, const ForNode& loop) {
  for (const Expr& value : block.iter_values) {
    if (uses_var(value, loop.var)) return true;
  }
  // A loop of a unit axis may occur in conditions only.
  for (const Conjunct& c : block.guard) {
    if (uses_var(c.cond, loop.var)) return true;
  }
  return false;
}

arith::SymbolicInterval CutTails::inner_bounds(const Expr& expr, const Stmt& body) const {
  arith::Analyzer analyzer(analyzer_);
  std::vector<Var> vars;
  walk_stmts(body, [&](const Stmt& s) {
    if (auto* loop = s.as<ForNode>(); loop && uses_var(expr, loop->var)) {
      analyzer.bind_extent(loop->var, loop->extent);
      vars.push_back(loop->var);
    }
  });
  arith::SymbolicInterval bounds = analyzer.bounds_over(expr, vars);
  // Where the extent of one loop depends on another, that one is left over: nothing is known then.
  walk_stmts(body, [&](const Stmt& s) {
    auto* loop = s.as<ForNode>();
    if (!loop) return;
    if (bounds.min.defined() && uses_var(bounds.min, loop->var)) bounds.min = Expr();
    if (bounds.max.defined() && uses_var(bounds.max, loop->var)) bounds.max = Expr();
  });
  return bounds;
}

bool CutTails::is_private(const BlockRealizeNode& block, const ForNode& loop) const {
  std::vector<int64_t> ids = {loop.id};
  walk_stmts(loop.body, [&](const Stmt& s) {
    if (auto* inner = s.as<ForNode>()) ids.push_back(inner->id);
  });
  return std::all_of(block.block->writes.begin(), block.block->writes.end(), [&](const Region& w) {
    const AllocAt& at = w.buffer->alloc_at;
    return at.kind == AllocAt::Kind::kLoop &&
           std::find(ids.begin(), ids.end(), at.loop) != ids.end();
  });
}

Stmt CutTails::demoted(const Stmt& body, const ForNode& loop) const {
  return change_guards(body, [&](const BlockRealizeNode&, const Conjunct& c) {
    return std::optional(leads(loop, c) ? Conjunct{c.cond, c.loop, Tail::kGuard} : c);
  });
}

namespace {

class SetExtents final : public Mutator {
 public:
  using Mutator::mutate;
  explicit SetExtents(const std::function<std::optional<int64_t>(const ForNode&)>& f) : f_(f) {}

 protected:
  using Mutator::mutate_node;
  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    std::optional<int64_t> extent = f_(node);
    if (!extent) return mutate_children(node, self);
    return Stmt(new ForNode(node.id, node.var, make_int(node.extent.dtype(), *extent),
                            node.for_kind, node.thread, node.annotations, mutate(node.body)));
  }

 private:
  const std::function<std::optional<int64_t>(const ForNode&)>& f_;
};

}  // namespace

Stmt CutTails::with_extents(const Stmt& body,
                            const std::function<std::optional<int64_t>(const ForNode&)>& f) {
  return SetExtents(f).mutate(body);
}

}  // namespace tilewright::lower
