#pragma once

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// After a move: refuses ("inputs_not_made") unless all that the block reads of intermediate buffers is proved to be
/// written by the time it runs, where writer and reader share loops as well as where they do not. What a guard of the
/// block cuts off is not read.
void require_inputs_made(const Invocation& in, const ir::PrimFunc& next, int64_t block_id);

/// Do the writes in `scope`, a part of the program at its root, fill the region that they span (`made`, from
/// `accessed_region`), without holes? Unknown counts as no.
bool writes_fill_box(const Invocation& in, const ir::Stmt& scope, const ir::Region& made);

}  // namespace tilewright::schedule
