#pragma once

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// After a move: refuses ("inputs_not_made") unless all that the block reads of intermediate buffers is proved to be
/// written by the time it runs, where writer and reader share loops as well as where they do not. What a guard of the
/// block cuts off is not read.
void require_inputs_made(const Invocation& in, const ir::PrimFunc& next, int64_t block_id);

}  // namespace tilewright::schedule
