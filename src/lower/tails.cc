#include "lower/tails.h"

#include <algorithm>

#include "tilewright/ir/text.h"
#include "tilewright/lower/tail_check.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

std::optional<arith::LinearForm> slack_of(const arith::Analyzer& analyzer, const Expr& condition) {
  auto* cmp = condition.as<BinaryNode>();
  if (!cmp || !is_index(cmp->a)) return std::nullopt;
  if (!is_pure_index(condition)) return std::nullopt;
  switch (cmp->op) {
    case BinaryOp::kLt: return analyzer.linear_form(cmp->b - cmp->a);
    case BinaryOp::kLe: return analyzer.linear_form(cmp->b - cmp->a + 1);
    case BinaryOp::kGt: return analyzer.linear_form(cmp->a - cmp->b);
    case BinaryOp::kGe: return analyzer.linear_form(cmp->a - cmp->b + 1);
    default: return std::nullopt;
  }
}

std::optional<int64_t> coefficient_of(const arith::LinearForm& form, const Var& var) {
  int64_t coefficient = 0;
  for (const auto& [term, factor] : form.terms) {
    if (term.get() == var.get()) {
      coefficient = factor;
    } else if (uses_var(term, var)) {
      return std::nullopt;
    }
  }
  return coefficient;
}

bool is_guarded_by(const BlockRealizeNode& realize, const Expr& condition, bool or_padded) {
  return std::any_of(realize.guard.begin(), realize.guard.end(), [&](const Conjunct& c) {
    return (or_padded || c.tail != Tail::kPad) && structural_equal(c.cond, condition);
  });
}

std::vector<const BlockRealizeNode*> realizes_below(const Stmt& stmt) {
  std::vector<const BlockRealizeNode*> result;
  walk_stmts(stmt, [&](const Stmt& s) {
    if (auto* realize = s.as<BlockRealizeNode>()) result.push_back(realize);
  });
  return result;
}

namespace {

class ChangeGuards final : public Mutator {
 public:
  using Mutator::mutate;
  explicit ChangeGuards(const ChangeConjunct& change) : change_(change) {}

 protected:
  using Mutator::mutate_node;
  Stmt mutate_node(const BlockRealizeNode& node, const Stmt& self) override {
    std::vector<Conjunct> guard;
    bool changed = false;
    for (const Conjunct& old : node.guard) {
      std::optional<Conjunct> now = change_(node, old);
      changed |= !now || now->cond.get() != old.cond.get() || now->tail != old.tail ||
                 now->loop != old.loop;
      if (now) guard.push_back(std::move(*now));
    }
    if (!changed) return self;
    return Stmt(new BlockRealizeNode(node.iter_values, std::move(guard), node.block));
  }

 private:
  const ChangeConjunct& change_;
};

std::vector<int64_t> loop_ids(const Stmt& stmt) {
  std::vector<int64_t> ids;
  walk_stmts(stmt, [&](const Stmt& s) {
    if (auto* loop = s.as<ForNode>()) ids.push_back(loop->id);
  });
  return ids;
}

bool is_linear_node(const Expr& expr) {
  if (!is_index(expr)) return false;
  if (expr.as<VarNode>()) return true;
  auto* b = expr.as<BinaryNode>();
  return b && (b->op == BinaryOp::kAdd || b->op == BinaryOp::kSub || b->op == BinaryOp::kMul);
}

// Looks for a sum in which an inner variable stands in another proportion to the outer one than in the tile.
class KeepsTiles final : public Visitor {
 public:
  using Visitor::visit;
  KeepsTiles(const arith::Analyzer& analyzer, const Var& outer, int64_t factor,
             std::vector<std::pair<Expr, int64_t>> inner)
      : analyzer_(analyzer), outer_(outer), factor_(factor), inner_(std::move(inner)) {}
  bool kept = true;

  void visit(const Expr& expr) override {
    if (!kept) return;
    if (!is_linear_node(expr)) return Visitor::visit(expr);
    const arith::LinearForm form = analyzer_.linear_form(expr);
    int64_t start = 0;
    for (const auto& [term, factor] : form.terms) {
      if (term.get() == outer_.get()) start = factor;
    }
    for (const auto& [term, factor] : form.terms) {
      for (const auto& [var, step] : inner_) {
        if (term.get() == var.get()) kept &= start * step == factor * factor_;
      }
    }
    visit_opaque(expr);
  }

 private:
  // The operands of what is no sum itself are sums again.
  void visit_opaque(const Expr& expr) {
    if (!is_linear_node(expr)) return Visitor::visit(expr);
    const auto* b = expr.as<BinaryNode>();
    if (!b) return;
    visit_opaque(b->a);
    visit_opaque(b->b);
  }

  const arith::Analyzer& analyzer_;
  const Var& outer_;
  const int64_t factor_;
  const std::vector<std::pair<Expr, int64_t>> inner_;  // with their steps in the tile
};

// May the expression follow the tiles? Sums, minima and maxima of a tile's start hold for any start; a quotient, a
// remainder or a choice may have been simplified with what holds for multiples of the tile size alone.
bool holds_for_any_start(const Expr& expr, const Var& outer) {
  if (!uses_var(expr, outer) || expr.as<VarNode>()) return true;
  const auto* b = expr.as<BinaryNode>();
  if (!b || !(is_linear_node(expr) || b->op == BinaryOp::kMin || b->op == BinaryOp::kMax)) {
    return false;
  }
  return holds_for_any_start(b->a, outer) && holds_for_any_start(b->b, outer);
}

class MoveTile final : public Mutator {
 public:
  using Mutator::mutate;
  MoveTile(const arith::Analyzer& analyzer, const ForNode& outer, int64_t factor, const Expr& start,
           const std::string& code)
      : analyzer_(analyzer), outer_(outer), factor_(factor), start_(start), code_(code) {}

  Expr mutate(const Expr& expr) override {
    if (!uses_var(expr, outer_.var)) return expr;
    if (!is_linear_node(expr)) return Mutator::mutate(expr);
    arith::LinearForm form = analyzer_.linear_form(expr);
    Expr moved = make_int(kInt64, 0);
    for (auto it = form.terms.begin(); it != form.terms.end();) {
      if (it->first.get() == outer_.var.get()) {
        if (it->second % factor_ != 0) refuse(expr);
        moved = start_ * make_int(kInt64, it->second / factor_);
        it = form.terms.erase(it);
      } else {
        if (it->first.get() == expr.get()) return Mutator::mutate(expr);  // one opaque term
        it->first = mutate(it->first);
        ++it;
      }
    }
    return analyzer_.simplify(arith::from_linear_form(form) + moved);
  }

 private:
  [[noreturn]] void refuse(const Expr& expr) const {
    fail(code_,
         "the tiles of loop {} can't be moved: '{}' needs their start to be a multiple of {}; use "
         "tail guard or peel",
         describe_loop(outer_), to_pretty(expr), factor_);
  }

  const arith::Analyzer& analyzer_;
  const ForNode& outer_;
  const int64_t factor_;
  const Expr& start_;
  const std::string& code_;
};

}  // namespace

Stmt change_guards(const Stmt& stmt, const ChangeConjunct& change) {
  return ChangeGuards(change).mutate(stmt);
}

Stmt copy_nest(const Stmt& stmt, TailState& state) {
  Stmt copy = refresh_bindings(stmt, state.id_source());
  const std::vector<int64_t> old_ids = loop_ids(stmt), new_ids = loop_ids(copy);
  std::unordered_map<int64_t, int64_t> ids;
  for (size_t i = 0; i < old_ids.size(); ++i) ids[old_ids[i]] = new_ids[i];
  copy = change_guards(copy, [&](const BlockRealizeNode&, const Conjunct& c) {
    auto it = ids.find(c.loop);
    return std::optional(Conjunct{c.cond, it == ids.end() ? c.loop : it->second, c.tail});
  });
  BufferMap buffers;
  const size_t count = state.allocs.size();
  for (size_t i = 0; i < count; ++i) {
    const Buffer old = state.allocs[i];
    auto it = ids.find(old->alloc_at.loop);
    if (old->alloc_at.kind != AllocAt::Kind::kLoop || it == ids.end()) continue;
    Buffer fresh(new BufferNode(old->name, old->dtype, old->shape, old->scope, old->layout,
                                old->pad, old->align, {AllocAt::Kind::kLoop, it->second}));
    state.allocs.push_back(fresh);
    buffers[old] = fresh;
  }
  return replace_buffers(copy, buffers);
}

Stmt move_tile(const arith::Analyzer& analyzer, const ForNode& outer, int64_t factor,
               const Expr& start, const std::string& code) {
  return MoveTile(analyzer, outer, factor, start, code).mutate(outer.body);
}

bool keeps_tiles(const arith::Analyzer& analyzer, const ForNode& outer,
                 const arith::LinearForm& slack) {
  VarSet inside;
  bool extents_hold = true;
  walk_stmts(outer.body, [&](const Stmt& s) {
    const auto* loop = s.as<ForNode>();
    if (!loop) return;
    inside.insert(loop->var);
    extents_hold &= holds_for_any_start(loop->extent, outer.var);
  });
  if (!extents_hold) return false;
  std::vector<std::pair<Expr, int64_t>> inner;
  for (const auto& [term, factor] : slack.terms) {
    if (inside.count(term)) inner.emplace_back(term, -factor);
  }
  const int64_t factor = -coefficient_of(slack, outer.var).value_or(0);
  KeepsTiles visitor(analyzer, outer.var, factor, std::move(inner));
  walk_stmts(outer.body, [&](const Stmt& s) {
    if (const auto* loop = s.as<ForNode>()) visitor.visit(loop->extent);
    if (const auto* realize = s.as<BlockRealizeNode>()) {
      for (const Expr& value : realize->iter_values) visitor.visit(value);
    }
  });
  return visitor.kept;
}

std::vector<TileRun> balanced_tiles(int64_t extent, int64_t factor) {
  if (extent <= 0) return {};
  const int64_t tiles = (extent + factor - 1) / factor;
  const int64_t missing = tiles * factor - extent;
  // Full tiles first; what is missing is spread over as few tiles as a third of a tile each allows,
  // since much smaller tiles run far below the speed of a full one.
  const int64_t most = factor / 3;
  std::vector<TileRun> runs;
  auto add = [&](int64_t count, int64_t size) {
    if (count > 0) runs.push_back({count, size});
  };
  const int64_t small = most > 0 ? missing / most : 0;
  const int64_t odd = most > 0 ? missing % most : missing;
  if (missing == 0) {
    add(tiles, factor);
  } else if (most > 0 && small + (odd > 0) <= tiles) {
    add(tiles - small - (odd > 0), factor);
    add(odd > 0, factor - odd);
    add(small, factor - most);
  } else {
    add(extent % tiles, extent / tiles + 1);
    add(tiles - extent % tiles, extent / tiles);
  }
  return runs;
}

}  // namespace tilewright::lower
