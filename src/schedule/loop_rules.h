#pragma once

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// Refuses unless the loop is plain serial (or ordered): a loop that already has another kind must be
/// transformed before it is given one.
void require_serial(const Invocation& in, const ir::ForNode& loop);

/// Refuses when running iterations of `loop` at once could change a result: the loop feeds a reduce or
/// ordered axis, or iterations write overlapping parts of a buffer that lives outside the loop.
void require_independent_iterations(const Invocation& in, const ir::ForNode& loop);

/// Does `loop` run the block again and again on the same point? It feeds no axis, has more than one iteration, and
/// the guard lets more than one of them pass. A reduction may be repeated as a whole, its terms may not.
bool repeats(const Invocation& in, const ir::ForNode& loop, const ir::BlockRealizeNode& realize);

/// Do two different iterations of `loop` write different elements through the block, whatever else runs inside?
bool writes_are_disjoint(const Invocation& in, const ir::ForNode& loop,
                         const ir::BlockRealizeNode& realize);

/// Refuses when a loop nest in the order `path` would repeat terms of a reduction of `realize`: a repeating loop inside
/// one that feeds the reduction.
void require_unrepeated_terms(const Invocation& in, const std::vector<const ir::ForNode*>& path,
                              const ir::BlockRealizeNode& realize);

/// The loop's constant extent, or a refusal when it is symbolic.
int64_t require_constant_extent(const Invocation& in, const ir::ForNode& loop);
/// Refuses when the loop's extent is not constant or above `limit`.
void require_small_extent(const Invocation& in, const ir::ForNode& loop, int64_t limit);

}  // namespace tilewright::schedule
