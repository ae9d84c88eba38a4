#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// A store of `inside` where `condition` holds and of `pad` elsewhere.
struct PaddedStore {
  const StoreNode* store = nullptr;
  Expr condition, inside, pad;
};

// Is `value` the same wherever the block runs?
bool is_fixed(const Expr& value, const Block& block) {
  bool fixed = true;
  walk_exprs(value, [&](const Expr& e) {
    fixed &= e->kind != NodeKind::kLoad && e->kind != NodeKind::kCall;
    for (const IterVar& iter : block->iter_vars) fixed &= !iter.var.same_as(e);
  });
  return fixed;
}

PaddedStore require_padding(const Invocation& in, const BlockRealizeNode& realize) {
  const Block& block = realize.block;
  PaddedStore result;
  result.store = block->reducer ? nullptr : sole_store(block);
  Expr if_true, if_false;
  if (result.store) {
    if (const auto* lazy = result.store->value.as<IfThenElseNode>()) {
      result.condition = lazy->condition, if_true = lazy->true_value, if_false = lazy->false_value;
    } else if (const auto* eager = result.store->value.as<SelectNode>()) {
      result.condition = eager->condition;
      if_true = eager->true_value, if_false = eager->false_value;
    }
  }
  if (if_false.defined() && is_fixed(if_false, block)) {
    result.inside = if_true, result.pad = if_false;
  } else if (if_true.defined() && is_fixed(if_true, block)) {
    result.condition = !result.condition;
    result.inside = if_false, result.pad = if_true;
  } else {
    in.refuse("not_a_padding", block->id,
              fmt::format("{} does not store one of two values, one of them constant, by a "
                          "condition",
                          quoted(realize)),
              "the block must be of the form B[…] = if_then_else(inside, A[…], pad)");
  }
  const Layout& layout = result.store->buffer->layout;
  if (layout && !layout->fold_moduli.empty()) {
    in.refuse("folded", block->id,
              fmt::format("'{}' holds only a part of its elements at a time, and all would be "
                          "filled at once",
                          result.store->buffer->name),
              "decompose_padding before rolling_buffer");
  }
  if (block->where.defined()) {
    in.refuse("masked", block->id,
              fmt::format("{} writes only where {}, so not all of its points are to be filled",
                          quoted(realize), to_pretty(block->where)),
              "use this on a block that stores each point of its axes");
  }
  return result;
}

std::vector<const ForNode*> require_path(const Invocation& in, const BlockRealizeNode& realize,
                                         const ForNode& loop) {
  std::vector<const ForNode*> path = in.tree.loops_around(realize.block->id);
  auto place = std::find(path.begin(), path.end(), &loop);
  if (place == path.end()) {
    std::vector<std::string> names;
    for (const ForNode* node : path) names.push_back(node->var.name());
    in.refuse("not_around", loop.id,
              fmt::format("{} is not around {}", quoted(loop), quoted(realize)), {}, names);
  }
  require_unconditional(in, loop.body, realize);
  return {place, path.end()};
}

// The block that stores the pad value, under fresh copies of the loops.
Stmt make_fill(Invocation& in, const BlockRealizeNode& realize, const PaddedStore& padded,
               const std::vector<const ForNode*>& path, int64_t& fill_id) {
  const Block& block = realize.block;
  VarMap loop_map, iter_map;
  std::map<int64_t, int64_t> ids;
  std::vector<NestLoop> loops;
  for (const ForNode* node : path) {
    Var copy(node->var.name(), node->var.dtype());
    loops.push_back({copy, substitute(node->extent, loop_map), node->for_kind, in.fresh_id()});
    loop_map[node->var] = copy;
    ids[node->id] = loops.back().id;
  }
  std::vector<IterVar> iters;
  std::vector<Expr> values, indices;
  for (size_t i = 0; i < block->iter_vars.size(); ++i) {
    const IterVar& iter = block->iter_vars[i];
    Var copy(iter.var.name(), iter.var.dtype());
    iter_map[iter.var] = copy;
    iters.push_back({copy, iter.dom, iter.kind});
    values.push_back(substitute(realize.iter_values[i], loop_map));
  }
  std::vector<Conjunct> guard;
  for (const Conjunct& conjunct : realize.guard) {
    auto id = ids.find(conjunct.loop);
    guard.push_back({substitute(conjunct.cond, loop_map),
                     id == ids.end() ? conjunct.loop : id->second, conjunct.tail});
  }
  for (const Expr& index : padded.store->indices) indices.push_back(substitute(index, iter_map));
  fill_id = in.fresh_id();
  Block fill(new BlockNode(fill_id, unique_block_name(in.tree, block->name + "_pad"),
                           BlockKind::kCompute, iters, Expr(), {}, {}, Reducer(), Stmt(),
                           ir::store(padded.store->buffer, indices, padded.pad), {},
                           "decompose_padding"));
  return nest(loops, Stmt(new BlockRealizeNode(values, guard, arith::with_derived_regions(fill))));
}

}  // namespace

/// decompose_padding(block, loop): the pad value is stored by a nest of its own, just before `loop`; the block
/// copies what lies inside.
///
///   before                                           after decompose_padding(P, i)
///   for i:                                           for i: P[i] = 0
///     P[i] = if_then_else(1 <= i < 9, A[i - 1], 0)   for i: where 1 <= i < 9: P[i] = A[i - 1]
///
/// The condition becomes the block's mask. Gives the block that fills. Errors:
/// schedule.decompose_padding.not_a_padding, .not_around, .masked, .folded, .conditional, .several_writers, .ordered_loop,
/// .overlapping_writes, .opaque_block. (As TVM's decompose_padding.)
Outputs run_decompose_padding(Invocation& in) {
  in.moves_blocks = true;
  const BlockRealizeNode& realize = in.block(0);
  const ForNode& loop = in.loop(1);
  require_compute_block(in, realize);
  require_sole_writer(in, realize);
  PaddedStore padded = require_padding(in, realize);
  std::vector<const ForNode*> path = require_path(in, realize, loop);
  for (const ForNode* node : path) {
    Feeds fed = feeds(node->var, realize);
    if (!fed.ordered && !fed.opaque && node->for_kind != ForKind::kOrdered) continue;
    in.refuse("ordered_loop", node->id,
              fmt::format("{} runs {} in order", quoted(*node), quoted(realize)),
              "choose a loop inside it");
  }
  int64_t fill_id = -1;
  Stmt fill = make_fill(in, realize, padded, path, fill_id);
  const Block& b = realize.block;
  Block inside = arith::with_derived_regions(Block(new BlockNode(
      b->id, b->name, b->block_kind, b->iter_vars, padded.condition, {}, {}, b->reducer, Stmt(),
      ir::store(padded.store->buffer, padded.store->indices, padded.inside), b->annotations,
      b->origin)));
  Stmt copy = replace_stmt(Stmt(&loop), &realize, with_block(realize, inside));
  in.finish(replace_stmt(in.func->body, &loop, ir::seq({fill, copy})));
  return {BlockRef{fill_id}};
}

}  // namespace tilewright::schedule
