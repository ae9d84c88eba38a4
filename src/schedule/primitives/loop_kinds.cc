#include "schedule/loop_rules.h"
#include "schedule/primitive_table.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr int64_t kMaxUnroll = 1024;
constexpr int64_t kMaxLanes = 256;

void require_plain_serial(const Invocation& in, const ForNode& loop) {
  require_serial(in, loop);
  if (loop.for_kind == ForKind::kOrdered) {
    in.refuse("ordered_loop", loop.id, fmt::format("{} must run in order", quoted(loop)),
              "choose a loop over independent points");
  }
}

}  // namespace

/// unroll(loop): the body is repeated for each iteration when the program is lowered. The extent must be
/// constant, at most 1024. Errors: schedule.unroll.loop_kind, .symbolic_extent, .extent_too_large.
Outputs run_unroll(Invocation& in) {
  const ForNode& loop = in.loop(0);
  require_serial(in, loop);
  require_small_extent(in, loop, kMaxUnroll);
  in.finish(replace_stmt(in.func->body, &loop, with_kind(loop, ForKind::kUnrolled)));
  return {};
}

/// vectorize(loop): iterations become the lanes of vectors.
///
///   for j in 0..8 vectorized:      C[j .. j+8] = A[j .. j+8] + B[j .. j+8]
///     C[j] = A[j] + B[j]
///
/// The extent must be constant, at most 256; loops inside stay loops over vectors. Errors:
/// schedule.vectorize.loop_kind, .ordered_loop, .symbolic_extent, .extent_too_large, .reduce_loop,
/// .overlapping_writes, .dependence, .nested, .opaque_block.
Outputs run_vectorize(Invocation& in) {
  const ForNode& loop = in.loop(0);
  require_plain_serial(in, loop);
  require_small_extent(in, loop, kMaxLanes);
  for (const ForNode* other : in.tree.loops()) {
    bool inside = in.tree.encloses(loop.id, other->id);
    bool outside = in.tree.encloses(other->id, loop.id);
    if ((inside || outside) && other->for_kind == ForKind::kVectorized) {
      in.refuse("nested", loop.id,
                fmt::format("{} and the vectorized {} are nested", quoted(loop), quoted(*other)),
                "fuse the two loops and vectorize the result");
    }
    if (inside && other->for_kind == ForKind::kParallel) {
      in.refuse("nested", other->id,
                fmt::format("the parallel {} is inside {}", quoted(*other), quoted(loop)),
                "vectorize a loop inside the parallel one");
    }
  }
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    walk_stmts(realize->block->body, [&](const Stmt& stmt) {
      const auto* inner = stmt.as<ForNode>();
      if (!inner || inner->for_kind != ForKind::kVectorized) return;
      in.refuse("nested", loop.id,
                fmt::format("{} inside {} is vectorized already", quoted(*inner), quoted(*realize)),
                "leave this loop as it is, or unroll it");
    });
  }
  for (const BlockRealizeNode* realize : in.tree.blocks_under(loop.id)) {
    if (realize->block->block_kind == BlockKind::kCompute) continue;
    in.refuse("opaque_block", realize->block->id,
              fmt::format("{} is opaque: its statements are not made for lanes", quoted(*realize)),
              "make the loop parallel, or vectorize a loop inside when you write the body");
  }
  require_independent_iterations(in, loop);
  in.finish(replace_stmt(in.func->body, &loop, with_kind(loop, ForKind::kVectorized)));
  return {};
}

/// parallel(loop, schedule, chunk): iterations run on several threads; results never depend on how many.
/// Errors: schedule.parallel.loop_kind, .ordered_loop, .schedule, .reduce_loop, .overlapping_writes, .dependence,
/// .nested.
Outputs run_parallel(Invocation& in) {
  const ForNode& loop = in.loop(0);
  require_plain_serial(in, loop);
  std::string how = in.text_attr("schedule");
  if (how != "static" && how != "dynamic") {
    in.refuse("schedule", loop.id, fmt::format("unknown parallel schedule '{}'", how), {},
              {"static", "dynamic"});
  }
  int64_t chunk = in.int_attr("chunk");
  if (chunk < 0)
    in.refuse("chunk", loop.id, fmt::format("chunk {} is negative", chunk),
              "give 0 to leave it to the runtime, or a positive number");
  for (const ForNode* other : in.tree.loops()) {
    bool nested = in.tree.encloses(loop.id, other->id) || in.tree.encloses(other->id, loop.id);
    if (nested && other->for_kind == ForKind::kParallel) {
      in.refuse("nested", loop.id,
                fmt::format("{} and the parallel {} are nested", quoted(loop), quoted(*other)),
                "fuse the two loops and make the result parallel");
    }
    if (in.tree.encloses(other->id, loop.id) && other->for_kind == ForKind::kVectorized) {
      in.refuse("nested", loop.id,
                fmt::format("{} is inside the vectorized {}", quoted(loop), quoted(*other)),
                "choose a loop outside the vectorized one");
    }
  }
  require_independent_iterations(in, loop);
  Attrs annotations = loop.annotations;
  if (how != "static") annotations["parallel_schedule"] = how;
  if (chunk > 0) annotations["parallel_chunk"] = chunk;
  Stmt marked(new ForNode(loop.id, loop.var, loop.extent, ForKind::kParallel, loop.thread,
                          annotations, loop.body));
  in.finish(replace_stmt(in.func->body, &loop, marked));
  return {};
}

/// add_unit_loop(block or loop): a loop of extent 1 directly around it, to be split or bound.
Outputs run_add_unit_loop(Invocation& in) {
  int64_t id = in.fresh_id();
  const ForNode* loop = in.inputs.empty() ? nullptr : in.tree.loop(in.inputs[0]);
  const StmtNode* target = loop ? static_cast<const StmtNode*>(loop) : &in.block(0);
  Stmt unit = make_for(id, Var("u"), make_int(kInt64, 1), Stmt(target));
  in.finish(replace_stmt(in.func->body, target, unit));
  return {Loop{id}};
}

}  // namespace tilewright::schedule
