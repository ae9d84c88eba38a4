#pragma once

#include <string>

#include "tilewright/ir/ops.h"

/// \file
/// Shared by the files that build expressions.

namespace tilewright::ir::detail {

/// Throws Error "ir.null_expr" when `e` is null.
void require(const Expr& e, const std::string& what);

/// The literal behind `e`, looking through a broadcast; null when it is none.
const IntImmNode* int_literal(const Expr& e);
const FloatImmNode* float_literal(const Expr& e);

/// Gives both sides one dtype by the rules of ops.h (lanes included); `what` names the operation.
void unify(const std::string& what, Expr& a, Expr& b);
/// `value` with element type `element`: itself, or a fitting literal converted; null when neither.
Expr adapt_literal(const Expr& value, DType element);
/// Gives a scalar `lanes` lanes. Throws Error "ir.dtype" when `e` has other lanes.
Expr with_lanes(const std::string& what, Expr e, int lanes);

/// "x + 1 (int32)", cut when long: how messages show an operand.
std::string shown(const Expr& e);

/// An index or extent: integer; literals and integers other than int32/int64 become int64.
Expr as_index(const std::string& what, Expr e);

/// Folds the exactly defined intrinsics on constants; null when not foldable.
Expr fold_call(Intrinsic intrinsic, DType dtype, const std::vector<Expr>& args);

}  // namespace tilewright::ir::detail
