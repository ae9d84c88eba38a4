#include <algorithm>

#include "schedule/primitive_table.h"
#include "schedule/siblings.h"

namespace tilewright::schedule {

using namespace ir;

/// merge(loops): loops that stand beside each other become one.
///
///   before                       after merge([i, j])
///   for i in 0..n: B[i] = …      for i in 0..n:
///   for j in 0..n: C[j] = …        B[i] = …
///                                  C[i] = …
///
/// The extents must be equal, and no iteration may need what an earlier loop does in a later iteration: an
/// element-wise reader, or one that looks back, is fine; one that looks ahead is not. The result is a new loop.
/// The tail policies balanced and shift_inwards of conditions inside become guard. Errors: schedule.merge.count,
/// .duplicate, .not_siblings, .loop_kind, .extent, .dependence, .between.
Outputs run_merge(Invocation& in) {
  std::vector<const ForNode*> loops;
  for (size_t i = 0; i < in.inputs.size(); ++i) {
    const ForNode* loop = &in.loop(i);
    if (std::find(loops.begin(), loops.end(), loop) != loops.end()) {
      in.refuse("duplicate", loop->id, fmt::format("{} is listed twice", quoted(*loop)),
                "list each loop once");
    }
    loops.push_back(loop);
  }
  if (loops.size() < 2) {
    in.refuse("count", loops.empty() ? -1 : loops[0]->id, "merge needs at least two loops",
              "give loops that stand beside each other");
  }
  int64_t id = in.fresh_id();
  merge_siblings(in, loops, id);
  return {Loop{id}};
}

/// compute_with(block, loop): the loops around the block and those of the nest beside it become common, level by
/// level, from the outermost that differs down to `loop`.
///
///   before                               after compute_with(C, i) (i of B)
///   for i: for j: B[i, j] = …            for i:
///   for i: for j: C[i, j] = B[i, j]        for j: B[i, j] = …
///                                          for j: C[i, j] = B[i, j]
///
/// Each level must be legal for merge; the loops keep the handles that the nest of `loop` has. Neither block
/// computes anything twice, unlike with compute_at. Errors: those of merge (schedule.compute_with.…) and
/// schedule.compute_with.inside, .depth.
Outputs run_compute_with(Invocation& in) {
  const BlockRealizeNode& realize = in.block(0);
  const int64_t block_id = realize.block->id, loop_id = in.loop(1).id;
  if (in.tree.encloses(loop_id, block_id)) {
    in.refuse("inside", block_id,
              fmt::format("{} is inside {} already", quoted(realize), quoted(in.loop(1))),
              "give a loop of another nest");
  }
  bool done = false;
  while (!done) {
    std::vector<const ForNode*> own = in.tree.loops_around(block_id);
    std::vector<const ForNode*> other = in.tree.loops_around(loop_id);
    other.push_back(in.tree.loop(loop_id));
    size_t level = 0;
    while (level < own.size() && level < other.size() && own[level] == other[level]) ++level;
    if (own.size() < other.size()) {
      in.refuse("depth", block_id,
                fmt::format("{} is inside {} loops, {} is loop number {} of its nest",
                            quoted(*in.tree.block(block_id)), own.size(), quoted(*other.back()),
                            other.size()),
                "choose a loop further out");
    }
    done = level + 1 == other.size();
    merge_siblings(in, {own[level], other[level]}, other[level]->id);
  }
  return {};
}

}  // namespace tilewright::schedule
