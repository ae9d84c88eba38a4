#pragma once

#include "tilewright/target/target.h"
#include "tuner/space/sketches/nest_view.h"

namespace tilewright::tuner::sketches {

/// All blocks in one nest where that is legal: the last block in strips of one of its axes, and what it reads computed
/// inside them, so that it stays in the cache.
///
///   parallel outer: for strip: (for column tile:)
///     each producer, in vectors: rows of a stencil's earlier stage (each once, when rolled), sums of the strip's rows
///     the last block, in vectors
///
/// Reductions whose operands are used again along two axes are left to the rule for register tiles.
void fuse_nests(schedule::Schedule& sch, const Target& target, int threads);
/// Is there a block that would be computed in strips of the last one, when nothing is inlined that need not be?
bool can_fuse(schedule::Schedule sch, const Target& target);

}  // namespace tilewright::tuner::sketches
