#include <algorithm>

#include "schedule/block_rules.h"
#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {

using namespace ir;

/// decompose_reduction(block, loop): the init becomes a nest of its own, just before `loop`.
///
///   before                            after decompose_reduction(C, k)
///   for i: for k:                     for i:
///     C[i] = 0 (init), += A[i, k]       C[i] = 0
///                                       for k: C[i] += A[i, k]
///
/// `loop` must be at or outside the outermost loop that feeds the reduction. The init keeps the guard of its
/// spatial axes. Errors: schedule.decompose_reduction.not_a_reduction, .not_around, .too_deep, .repeated_terms,
/// .opaque_block, .init_placement.
Outputs run_decompose_reduction(Invocation& in) {
  const BlockRealizeNode& realize = in.block(0);
  const ForNode& loop = in.loop(1);
  require_compute_block(in, realize);
  if (!realize.block->reducer || !realize.block->init) {
    in.refuse(
        "not_a_reduction", realize.block->id,
        fmt::format("{} {}", quoted(realize),
                    realize.block->reducer ? "has been decomposed already" : "is no reduction"),
        "give the block of a reduction that still has its init");
  }
  std::vector<const ForNode*> path = in.tree.loops_around(realize.block->id);
  auto place = std::find(path.begin(), path.end(), &loop);
  if (place == path.end()) {
    in.refuse("not_around", loop.id,
              fmt::format("{} is not around {}", quoted(loop), quoted(realize)),
              "use one of get_loops(block)");
  }
  size_t outermost = outermost_reduce_loop(path, realize);
  if (static_cast<size_t>(place - path.begin()) > outermost &&
      !has_fault(Fault::init_inside_reduction)) {
    in.refuse("too_deep", loop.id,
              fmt::format(
                  "{} is inside {}, which already feeds the reduction of {}: the init would reset "
                  "the accumulator between its terms",
                  quoted(loop), quoted(*path[outermost]), quoted(realize)),
              fmt::format("use {}", quoted(*path[outermost])));
  }
  for (auto node = place; node < path.begin() + static_cast<int64_t>(outermost); ++node) {
    // Iterations that make some points again would add their terms to what the one before left.
    const bool again =
        feeds((*node)->var, realize).any() && !writes_are_disjoint(in, **node, realize);
    if (!again && !repeats(in, **node, realize)) continue;
    in.refuse(
        "repeated_terms", (*node)->id,
        fmt::format(
            "iterations of {} may repeat the whole reduction of {} for some points, so its init "
            "must run inside it",
            quoted(**node), quoted(realize)),
        outermost < path.size() ? fmt::format("use {}", quoted(*path[outermost])) : "");
  }
  for (const BlockRealizeNode* other : in.tree.blocks_under(loop.id)) {
    if (in.tree.index(other->block->id) >= in.tree.index(realize.block->id)) continue;
    for (const Buffer& buffer : written_buffers(realize.block)) {
      if (!block_reads(other->block, buffer) && !block_writes(other->block, buffer)) continue;
      in.refuse("init_placement", other->block->id,
                fmt::format("{} uses '{}' inside {} before {} sets it", quoted(*other),
                            buffer->name, quoted(loop), quoted(realize)),
                fmt::format("choose a loop that {} is not inside of", quoted(*other)));
    }
  }
  Stmt init;
  try {
    init = make_init_nest({place, path.end()}, realize, in.id_source());
  } catch (const Error& error) {
    in.refuse("init_placement", realize.block->id, error.what(),
              "decompose before fusing or splitting spatial and reduction loops together");
  }
  int64_t init_id = -1;
  walk_stmts(init, [&](const Stmt& stmt) {
    if (const auto* node = stmt.as<BlockRealizeNode>()) init_id = node->block->id;
  });
  Stmt update = with_block(realize, with_body(realize.block, Stmt(), realize.block->body));
  Stmt new_loop = replace_stmt(Stmt(&loop), &realize, update);
  in.finish(replace_stmt(in.func->body, &loop, ir::seq({init, new_loop})));
  return {BlockRef{init_id}};
}

}  // namespace tilewright::schedule
