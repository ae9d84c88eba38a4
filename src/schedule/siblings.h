#pragma once

#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// The loops, which must be statements of one sequence and have equal extents, become one loop named `id`
/// whose body runs theirs in program order. Refuses when an iteration would need (or overwrite) what another
/// loop does in a later one, or when statements between them stand in the way. `in` holds the new program
/// afterwards.
void merge_siblings(Invocation& in, const std::vector<const ir::ForNode*>& loops, int64_t id);

}  // namespace tilewright::schedule
