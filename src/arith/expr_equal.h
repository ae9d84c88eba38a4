#pragma once

#include <cstdint>

#include "tilewright/ir/expr.h"

/// \file
/// Equality and hash of expressions by content, with variables and buffers by identity. Bound variables
/// are not renamed, so equal means interchangeable at one place.

namespace tilewright::arith {

bool same_expr(const ir::ExprNode* a, const ir::ExprNode* b);
inline bool same_expr(const ir::Expr& a, const ir::Expr& b) { return same_expr(a.get(), b.get()); }
uint64_t expr_hash(const ir::ExprNode* expr);

}  // namespace tilewright::arith
