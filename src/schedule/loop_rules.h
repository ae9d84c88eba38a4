#pragma once

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// Refuses unless the loop is plain serial (or ordered): a loop that already has another kind must be
/// transformed before it is given one.
void require_serial(const Invocation& in, const ir::ForNode& loop);

/// Refuses when running iterations of `loop` at once could change a result: the loop feeds a reduce or
/// ordered axis, or iterations write overlapping parts of a buffer that lives outside the loop.
void require_independent_iterations(const Invocation& in, const ir::ForNode& loop);

/// The loop's constant extent, or a refusal naming `limit` when it is symbolic or above.
int64_t require_constant_extent(const Invocation& in, const ir::ForNode& loop, int64_t limit);

}  // namespace tilewright::schedule
