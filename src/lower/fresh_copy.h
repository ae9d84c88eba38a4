#pragma once

#include <functional>

#include "tilewright/ir/stmt.h"

namespace tilewright::lower {

/// A copy of a statement at level flat that may stand beside the original: every loop, let variable and
/// allocated buffer in it is fresh.
ir::Stmt fresh_copy(const ir::Stmt& stmt, const std::function<int64_t()>& next_id);

/// Stores and effects below `stmt`, each counted as often as unrolled loops around it copy it.
int64_t unrolled_size(const ir::Stmt& stmt);

}  // namespace tilewright::lower
