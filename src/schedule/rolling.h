#pragma once

#include "schedule/invocation.h"

/// \file
/// Rules for buffers that keep what earlier iterations made (rolling_buffer, software_pipeline). They are tested after
/// every primitive, since none of the others knows about them.

namespace tilewright::schedule {

/// Is there a folded buffer or a block that computes only what is new?
bool has_rolling(const ir::PrimFunc& func);

/// Refuses with ".rolling" when a block that relies on earlier iterations writes a buffer that does not outlive
/// them, and with ".fold" unless each folded buffer is large enough: the part in use during one iteration of the loop
/// it slides with fits the fold and only ever moves forward.
void require_valid_rolling(const Invocation& after);

}  // namespace tilewright::schedule
