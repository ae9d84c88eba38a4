#pragma once

#include <string>

#include "tilewright/ir/stmt.h"

namespace tilewright::codegen {

/// The text of an expression in sizes, in the notation of manifests: `2 * n + 1`, `n % 8 == 0`.
std::string size_text(const ir::Expr& expr);

/// Name of a parameter.
const std::string& param_name(const ir::Param& param);

/// Alignment in bytes that the data of a tensor argument must have.
int64_t required_alignment(const ir::BufferNode& buffer);

}  // namespace tilewright::codegen
