#include <algorithm>

#include "lower/cut_tails.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

namespace {

constexpr int kMaxBodies = 4;

}  // namespace

std::vector<Stmt> CutTails::peel(const ForNode& loop,
                                 const std::vector<const BlockRealizeNode*>& blocks,
                                 const Stmt& self) {
  Expr whole = whole_iterations(loop, blocks);
  const bool fixed_extent =
      loop.for_kind == ForKind::kVectorized || loop.for_kind == ForKind::kUnrolled;
  if (!whole.defined() || (fixed_extent && !as_const_int(whole))) {
    return {with_body(&loop, demoted(loop.body, loop))};
  }
  Expr rest = analyzer_.simplify(loop.extent - whole);
  const bool no_main = is_const_int(whole, 0), no_rest = is_const_int(rest, 0);
  if (!no_main && !no_rest && !count_bodies(blocks)) {
    return {with_body(&loop, demoted(loop.body, loop))};
  }
  std::vector<Stmt> result;
  if (!no_main) {
    Stmt body = change_guards(loop.body, [&](const BlockRealizeNode&, const Conjunct& c) {
      return holds_in_main(loop, c, whole) ? std::nullopt : std::optional(c);
    });
    result.push_back(Stmt(
        new ForNode(loop.id, loop.var, whole, loop.for_kind, loop.thread, loop.annotations, body)));
  }
  if (!no_rest) {
    Stmt tail = no_main ? self : copy_nest(self, state_);
    result.push_back(tail_loop(*tail.as<ForNode>(), whole, rest));
  }
  return result;
}

bool CutTails::is_peeled(const ForNode& loop, const Conjunct& c) const {
  return (c.tail == Tail::kPeel || c.tail == Tail::kBalanced) && leads(loop, c);
}

bool CutTails::holds_in_main(const ForNode& loop, const Conjunct& c, const Expr& whole) const {
  if (is_peeled(loop, c)) return true;
  if (!leads(loop, c)) return false;
  Expr count = iterations_held(loop, c.cond);
  return count.defined() && (structural_equal(count, whole) || analyzer_.can_prove(count >= whole));
}

Expr CutTails::whole_iterations(const ForNode& loop,
                                const std::vector<const BlockRealizeNode*>& blocks) const {
  Expr whole;
  for (const BlockRealizeNode* block : blocks) {
    for (const Conjunct& c : block->guard) {
      if (!is_peeled(loop, c)) continue;
      Expr count = iterations_held(loop, c.cond);
      if (!count.defined()) return {};
      whole = whole.defined() ? min(whole, count) : count;
    }
  }
  return whole.defined() ? analyzer_.simplify(whole) : Expr();
}

Expr CutTails::iterations_held(const ForNode& loop, const Expr& condition) const {
  auto slack = slack_of(analyzer_, condition);
  auto step = slack ? coefficient_of(*slack, loop.var) : std::nullopt;
  if (!step || *step >= 0) return {};
  std::erase_if(slack->terms, [&](const auto& t) { return t.first.get() == loop.var.get(); });
  Expr least = inner_bounds(arith::from_linear_form(*slack), loop.body).min;
  if (!least.defined() || uses_var(least, loop.var)) return {};
  // least - step * o > 0. The quotient is a floor, so a negative numerator gives no iteration too many.
  Expr count = ceil_div(least, make_int(kInt64, -*step));
  if (has_fault(Fault::peel_one_more)) count = count + 1;
  return analyzer_.simplify(max(min(count, loop.extent), make_int(kInt64, 0)));
}

Stmt CutTails::tail_loop(const ForNode& loop, const Expr& whole, const Expr& rest) {
  const bool single = is_const_int(rest, 1);
  Expr position = single ? whole : whole + loop.var;
  Stmt body = substitute(loop.body, {{loop.var, position}});
  arith::Analyzer facts(analyzer_);
  facts.bind_extent(loop.var, rest);
  body = change_guards(body, [&](const BlockRealizeNode&, const Conjunct& c) {
    Expr cond = facts.simplify(c.cond);
    return is_true(cond) ? std::nullopt : std::optional(Conjunct{cond, c.loop, c.tail});
  });
  body = shrink_loops(body);
  const ForKind kind =
      single && loop.for_kind == ForKind::kParallel ? ForKind::kSerial : loop.for_kind;
  return Stmt(new ForNode(loop.id, loop.var, rest, kind, loop.thread, loop.annotations, body));
}

Stmt CutTails::shrink_loops(const Stmt& body) const {
  std::map<const VarNode*, int64_t> limits;
  auto limit_of = [&](const Conjunct& c) -> std::optional<std::pair<const VarNode*, int64_t>> {
    auto slack = slack_of(analyzer_, c.cond);
    if (!slack || slack->terms.size() != 1 || slack->terms[0].second != -1) return std::nullopt;
    auto* var = slack->terms[0].first.as<VarNode>();
    if (!var) return std::nullopt;
    return std::pair(var, slack->constant);
  };
  walk_stmts(body, [&](const Stmt& s) {
    auto* loop = s.as<ForNode>();
    if (!loop || !as_const_int(loop->extent)) return;
    std::optional<int64_t> common;
    for (const BlockRealizeNode* block : realizes_below(loop->body)) {
      std::optional<int64_t> own;
      for (const Conjunct& c : block->guard) {
        auto limit = limit_of(c);
        if (limit && limit->first == loop->var.node()) {
          own = std::min(own.value_or(limit->second), limit->second);
        }
      }
      if (!own || (common && *common != *own)) return;
      common = own;
    }
    if (common && *common < *as_const_int(loop->extent)) {
      limits[loop->var.node()] = std::max<int64_t>(*common, 0);
    }
  });
  Stmt cut = change_guards(body, [&](const BlockRealizeNode&, const Conjunct& c) {
    auto limit = limit_of(c);
    return limit && limits.count(limit->first) ? std::nullopt : std::optional(c);
  });
  return with_extents(cut, [&](const ForNode& loop) -> std::optional<int64_t> {
    auto it = limits.find(loop.var.node());
    return it == limits.end() ? std::nullopt : std::optional(it->second);
  });
}

bool CutTails::count_bodies(const std::vector<const BlockRealizeNode*>& blocks) {
  for (const BlockRealizeNode* b : blocks) {
    auto it = bodies_.emplace(b->block->name, 1).first;
    if (it->second >= kMaxBodies) return false;
  }
  for (const BlockRealizeNode* b : blocks) ++bodies_[b->block->name];
  return true;
}

}  // namespace tilewright::lower
