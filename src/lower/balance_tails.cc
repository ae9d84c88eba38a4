#include <algorithm>

#include "lower/cut_tails.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

std::optional<CutTails::BalancedForm> CutTails::balanced_form(const Expr& cond,
                                                              const ForNode& outer,
                                                              const Stmt& body) const {
  auto slack = slack_of(analyzer_, cond);
  if (!slack || slack->terms.size() != 2) return std::nullopt;
  BalancedForm form;
  for (const auto& [term, factor] : slack->terms) {
    auto* var = term.as<VarNode>();
    if (!var) return std::nullopt;
    if (var == outer.var.node()) {
      form.factor = -factor;
    } else if (factor == -1) {
      form.inner = Var(var);
    }
  }
  if (!form.inner.defined() || form.factor <= 0) return std::nullopt;
  const ForNode* inner = find_loop(body, form.inner);
  if (!inner || !is_const_int(inner->extent, form.factor)) return std::nullopt;
  form.limit = slack->constant;
  return form;
}

const ForNode* CutTails::find_loop(const Stmt& body, const Var& var) {
  const ForNode* found = nullptr;
  walk_stmts(body, [&](const Stmt& s) {
    auto* loop = s.as<ForNode>();
    if (loop && loop->var.get() == var.get()) found = loop;
  });
  return found;
}

int64_t CutTails::balanced_factor(const std::vector<const BlockRealizeNode*>& blocks,
                                  const ForNode& loop) const {
  int64_t factor = 0;
  for (const BlockRealizeNode* block : blocks) {
    for (const Conjunct& c : block->guard) {
      if (c.tail != Tail::kBalanced || !leads(loop, c)) continue;
      auto form = balanced_form(c.cond, loop, loop.body);
      if (!form) return 0;
      factor = form->factor;
    }
  }
  return factor;
}

std::vector<Stmt> CutTails::balance(const ForNode& loop,
                                    const std::vector<const BlockRealizeNode*>& blocks,
                                    int64_t factor) {
  // The inner loop of each block that covers a tile.
  std::map<const VarNode*, int> blocks_of_inner;
  int64_t limit = -1;
  for (const BlockRealizeNode* block : blocks) {
    if (!uses_loop(*block, loop)) continue;
    bool covered = false;
    for (const Conjunct& c : block->guard) {
      auto form = balanced_form(c.cond, loop, loop.body);
      if (!form || form->factor != factor || (limit >= 0 && form->limit != limit)) continue;
      if (!keeps_tiles(analyzer_, loop, *slack_of(analyzer_, c.cond))) {
        fail("lower.balanced",
             "the tiles of loop {} can't be balanced: what is computed in them needs their start "
             "to be a multiple of {}; use tail guard or peel",
             describe_loop(loop), factor);
      }
      limit = form->limit;
      ++blocks_of_inner[form->inner.node()];
      covered = true;
    }
    if (!covered && !is_private(*block, loop)) refuse_balance(loop, *block);
  }
  for (const auto& [var, count] : blocks_of_inner) {
    const ForNode* inner = find_loop(loop.body, Var(var));
    for (const BlockRealizeNode* below : realizes_below(inner->body)) {
      const bool has =
          std::any_of(below->guard.begin(), below->guard.end(),
                      [&, v = var](const Conjunct& c) { return uses_var(c.cond, Var(v)); });
      if (!has) refuse_balance(loop, *below);
    }
  }
  if (has_fault(Fault::balanced_one_less)) --limit;
  const int64_t* trips = as_const_int(loop.extent);
  internal_check(trips && limit >= 0 && *trips * factor >= limit,
                 "loop {} does not cover its tiles", loop.var.name());
  // Fewer tiles than iterations are fine for blocks that end with the last tile, not for one that runs in
  // every iteration.
  for (const BlockRealizeNode* block : blocks) {
    if (!uses_loop(*block, loop) && *trips != (limit + factor - 1) / factor) {
      refuse_balance(loop, *block);
    }
  }
  return balanced_loops(loop, factor, limit, blocks_of_inner);
}

std::vector<Stmt> CutTails::balanced_loops(const ForNode& loop, int64_t factor, int64_t limit,
                                           const std::map<const VarNode*, int>& inner_vars) {
  std::vector<Stmt> result;
  int64_t offset = 0;
  for (const TileRun& run : balanced_tiles(limit, factor)) {
    // (offset + size * o) is the tile's start; as a multiple of the new loop's variable.
    Expr start = make_int(kInt64, offset) + loop.var * make_int(kInt64, run.size);
    Stmt body = resized(loop, factor, run.size, limit, inner_vars);
    Stmt source = with_body(&loop, body);
    body = move_tile(analyzer_, *source.as<ForNode>(), factor, start, "lower.balanced");
    Stmt nest(new ForNode(loop.id, loop.var, make_int(loop.var.dtype(), run.count), loop.for_kind,
                          loop.thread, loop.annotations, body));
    result.push_back(result.empty() ? nest : copy_nest(nest, state_));
    offset += run.count * run.size;
  }
  return result;
}

Stmt CutTails::resized(const ForNode& loop, int64_t factor, int64_t size, int64_t limit,
                       const std::map<const VarNode*, int>& inner_vars) const {
  Stmt body = change_guards(loop.body, [&](const BlockRealizeNode&, const Conjunct& c) {
    auto form = balanced_form(c.cond, loop, loop.body);
    const bool done = form && form->factor == factor && form->limit == limit;
    return done ? std::nullopt : std::optional(c);
  });
  return with_extents(body, [&](const ForNode& inner) -> std::optional<int64_t> {
    if (inner_vars.count(inner.var.node())) return size;
    return std::nullopt;
  });
}

void CutTails::refuse_balance(const ForNode& loop, const BlockRealizeNode& block) {
  fail("lower.balanced",
       "the tiles of loop {} can't be balanced: block '{}' does not cover a tile by one inner "
       "loop; use tail guard or peel",
       describe_loop(loop), block.block->name);
}

}  // namespace tilewright::lower
