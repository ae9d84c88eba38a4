#pragma once

#include "tilewright/ir/stmt.h"

namespace tilewright::schedule {

/// Has store_at fixed where this intermediate buffer lives? The names of such buffers are kept in the function's
/// attribute "store_at": they survive every rewrite that makes a new Buffer of the same name.
bool has_fixed_place(const ir::PrimFunc& func, const ir::Buffer& buffer);
ir::PrimFunc with_fixed_place(const ir::PrimFunc& func, const ir::Buffer& buffer);
/// Forgets the names of buffers that the function no longer allocates.
ir::PrimFunc without_stale_places(const ir::PrimFunc& func);

}  // namespace tilewright::schedule
