#include "schedule/block_nest.h"

#include <algorithm>

#include "schedule/block_rules.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

void require_one_block(const Invocation& in, BlockNest& nest) {
  const ForNode& loop = *nest.loop;
  std::vector<const BlockRealizeNode*> blocks = in.tree.blocks_under(loop.id);
  if (blocks.size() != 1) {
    in.refuse("several_blocks", loop.id,
              fmt::format("{} holds {} blocks; it must hold one", quoted(loop), blocks.size()),
              "choose a loop of one block alone");
  }
  nest.realize = blocks[0];
  require_compute_block(in, *nest.realize);
  std::vector<const ForNode*> path = in.tree.loops_around(nest.realize->block->id);
  nest.inner.assign(std::find(path.begin(), path.end(), &loop), path.end());
  for (const ForNode* node : nest.inner) {
    if (node->for_kind == ForKind::kParallel || node->for_kind == ForKind::kThread) {
      in.refuse("parallel_loop", node->id,
                fmt::format("{} runs on several threads; a block runs on one", quoted(*node)),
                "choose a loop inside it");
    }
    if (node->body.as<ForNode>() || node->body.as<BlockRealizeNode>()) continue;
    const bool decides = node->body.as<IfNode>() != nullptr;
    in.refuse("conditional", node->id,
              fmt::format("{} holds {} {}", quoted(*node),
                          decides ? "a condition around" : "other statements beside",
                          quoted(*nest.realize)),
              decides ? "choose a loop inside the condition" : "choose a loop inside it");
  }
}

IterKind kind_of(const Invocation& in, const ForNode& node, const BlockRealizeNode& realize) {
  const Feeds fed = feeds(node.var, realize);
  if (fed.spatial && (fed.reduce || fed.ordered || fed.opaque)) {
    in.refuse("mixed_kinds", node.id,
              fmt::format("{} feeds a spatial axis of {} and one of another kind", quoted(node),
                          quoted(realize)),
              "do this before fusing spatial and reduction loops");
  }
  if (fed.spatial) return IterKind::kSpatial;
  const Reducer& reducer = realize.block->reducer;
  const bool any_order = reducer && reducer->associative && reducer->commutative;
  return fed.reduce && any_order && !fed.ordered && !fed.opaque ? IterKind::kReduce
                                                                : IterKind::kOrdered;
}

void add_axes(const Invocation& in, BlockNest& nest) {
  const BlockRealizeNode& realize = *nest.realize;
  std::vector<const ForNode*> around = in.tree.loops_around(nest.loop->id);
  const auto is_used = [&](const ForNode* node) {
    const auto uses = [&](const Expr& e) { return uses_var(e, node->var); };
    return std::any_of(realize.iter_values.begin(), realize.iter_values.end(), uses) ||
           std::any_of(realize.guard.begin(), realize.guard.end(),
                       [&](const Conjunct& c) { return uses(c.cond); }) ||
           std::any_of(nest.inner.begin(), nest.inner.end(),
                       [&](const ForNode* inner) { return uses(inner->extent); });
  };
  for (const ForNode* node : around) {
    if (!is_used(node)) continue;
    for (const ForNode* other : around) {
      if (!uses_var(node->extent, other->var)) continue;
      in.refuse("dependent_extent", node->id,
                fmt::format("the extent of {} depends on {}", quoted(*node), quoted(*other)),
                fmt::format("choose {} or a loop around it, so that both are inside the block",
                            quoted(*other)));
    }
    Var iter("v" + node->var.name(), node->var.dtype());
    nest.iters.push_back(
        {iter, {make_int(iter.dtype(), 0), node->extent}, kind_of(in, *node, realize)});
    nest.values.push_back(node->var);
    nest.to_iters[node->var] = iter;
    if (realize.block->init && feeds(node->var, realize).reduce) {
      in.refuse("open_reduction", node->id,
                fmt::format("{} around the nest carries on the reduction of {}, whose init would "
                            "be in the nest",
                            quoted(*node), quoted(realize)),
                "decompose_reduction first, or choose a loop around the whole reduction");
    }
  }
}

void split_guard(BlockNest& nest) {
  for (const Conjunct& conjunct : nest.realize->guard) {
    const bool inside = std::any_of(nest.inner.begin(), nest.inner.end(), [&](const ForNode* node) {
      return uses_var(conjunct.cond, node->var);
    });
    (inside ? nest.inside : nest.outside).push_back(conjunct);
  }
}

// Points of the loops around must stand for different points of the block.
void require_apart(const Invocation& in, const BlockNest& nest) {
  const BlockRealizeNode& realize = *nest.realize;
  const std::vector<const ForNode*> path = in.tree.loops_around(realize.block->id);
  arith::Analyzer facts = in.facts(path);
  std::vector<Expr> values;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    if (realize.block->iter_vars[i].kind == IterKind::kSpatial) {
      values.push_back(realize.iter_values[i]);
    }
  }
  std::vector<std::pair<Var, Expr>> domain;
  bool any_outer = false;
  for (const ForNode* node : path) {
    if (!feeds(node->var, realize).spatial) continue;
    domain.emplace_back(node->var, node->extent);
    any_outer |= nest.to_iters.count(node->var) > 0;
  }
  Expr guard = make_bool(true);
  for (const Conjunct& conjunct : realize.guard) guard = guard && conjunct.cond;
  if (!any_outer ||
      arith::analyze_map(facts, domain, values, {}, guard).injective.value_or(false)) {
    return;
  }
  in.refuse("scattered", nest.loop->id,
            fmt::format("it is not proved that different iterations of the loops around {} run {} "
                        "on different points",
                        quoted(*nest.loop), quoted(realize)),
            "choose a loop further out, so that the iterations that meet are inside the block");
}

}  // namespace

BlockNest require_block_nest(const Invocation& in, const ForNode& loop) {
  BlockNest nest;
  nest.loop = &loop;
  require_one_block(in, nest);
  add_axes(in, nest);
  split_guard(nest);
  require_apart(in, nest);
  return nest;
}

}  // namespace tilewright::schedule
