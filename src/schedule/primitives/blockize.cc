#include "schedule/block_nest.h"
#include "schedule/block_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

// The block as it stands in the nest: a new id and name, conditions over the nest alone.
Stmt inner_realize(Invocation& in, const BlockNest& nest) {
  const Block& b = nest.realize->block;
  std::vector<Conjunct> guard;
  for (const Conjunct& c : nest.inside) guard.push_back({c.cond, c.loop, Tail::kGuard});
  Block inner(new BlockNode(in.fresh_id(), unique_block_name(in.tree, b->name + "_inner"),
                            b->block_kind, b->iter_vars, b->where, b->reads, b->writes, b->reducer,
                            b->init, b->body, b->annotations, b->origin));
  return Stmt(new BlockRealizeNode(nest.realize->iter_values, std::move(guard), inner));
}

}  // namespace

/// blockize(loop): the nest from `loop` on, which holds one block, becomes one block. The loops around it are the
/// axes of the new block; the nest and the old block, now "<name>_inner", are its body.
///
///   before                           after blockize(i1)
///   for i0: for j: for i1:           for i0: for j: block C:
///     block C: C[i0 * 4 + i1, j]…      for i1: block C_inner: C[i0 * 4 + i1, j]…
///
/// The new block has the name and the handle of the old one and is moved, split, made parallel and so on as a
/// whole; the loops inside have no handles any more, so vectorize and unroll them before. A reduction must be
/// decomposed or wholly inside. Conditions over the nest's loops become plain guards inside. Errors:
/// schedule.blockize.several_blocks, .parallel_loop, .conditional, .open_reduction, .mixed_kinds,
/// .dependent_extent, .scattered, .opaque_block.
Outputs run_blockize(Invocation& in) {
  in.moves_blocks = true;
  const ForNode& loop = in.loop(0);
  BlockNest nest = require_block_nest(in, loop);
  const Block& old = nest.realize->block;
  Stmt body = replace_stmt(Stmt(&loop), nest.realize, inner_realize(in, nest));
  Block block(new BlockNode(old->id, old->name, BlockKind::kCompute, nest.iters, Expr(), {}, {},
                            old->reducer, Stmt(), substitute(body, nest.to_iters), {}, "blockize"));
  Stmt realize(new BlockRealizeNode(nest.values, nest.outside, arith::with_derived_regions(block)));
  in.finish(replace_stmt(in.func->body, &loop, realize));
  return {BlockRef{old->id}};
}

}  // namespace tilewright::schedule
