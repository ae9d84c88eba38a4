#pragma once

#include <string>
#include <vector>

#include "tilewright/arith/analyzer.h"
#include "tilewright/te/compute.h"
#include "tilewright/te/tensor.h"

/// \file
/// Checks shared by the files of te.

namespace tilewright::te::detail {

/// Throws Error "te.bad_name" unless `name` is an identifier (letters, digits, '_', not starting with a
/// digit). `what` says what is named.
void check_name(const std::string& what, const std::string& name);

/// Throws Error "te.bad_dtype" unless values of `dtype` can be stored.
void check_dtype(const std::string& what, DType dtype);

/// The shape with int64 extents. Throws Error "te.bad_shape" / "te.shape_overflow"; `what` is such as
/// "placeholder 'A'".
std::vector<Expr> checked_shape(const std::string& what, std::vector<Expr> shape);

/// Throws Error "te.shape_overflow" when the constant part of the shape needs more bytes than int64
/// counts.
void check_size(const std::string& what, const std::vector<Expr>& shape, DType dtype);

/// Throws Error "te.expression_too_large" for an expression of more than 100,000 operations when written out (a
/// shared part counts each time it is used) or nested more than 2,000 deep.
void check_expression_size(const std::string& what, const Expr& expr);

/// `e` as int64. Throws Error(code) when it is null or no integer.
Expr as_int64(const std::string& code, const std::string& what, const Expr& e);

/// The variable in `e` that is no size, and no read may occur: null when `e` depends on sizes alone.
/// A read counts as its load expression.
Expr non_size_part(const Expr& e);

/// Throws Error "te.bad_assumption" unless `e` is a bool over sizes that can hold.
void check_assumption(const Expr& e);

/// "size", "scalar", "axis", "reduce axis" or "variable".
const char* role_name(const ir::VarNode* var);

/// An expression as messages show it, cut when long.
std::string shown(const Expr& e);
std::string shown(const std::vector<Expr>& shape);

/// Facts: every size used in `exprs` is >= 0.
void bind_sizes(arith::Analyzer& analyzer, const Expr& expr);

/// One axis variable per dimension, with the given names or the default ones. Throws what `compute` does.
std::vector<Var> make_axes(const std::vector<Expr>& shape, const std::vector<std::string>& names,
                           const std::string& what);

/// Fills in the formula of an operation from what `function` gives for `axes`, and checks it; gives the value
/// index of each output.
std::vector<int64_t> fill_formula(ComputeOp& op, const std::string& what,
                                  const ComputeFunction& function, const std::vector<Var>& axes);

/// Checks every read, division and variable of a finished compute and fills in `inputs` and
/// `preconditions`. Throws what te::compute documents.
void check_compute(ComputeOp& op);

/// The range part of check_compute: reads that surely happen must not surely be out of range; what can't
/// be decided but depends on sizes alone becomes a precondition.
void check_ranges(ComputeOp& op);

/// Throws Error "te.not_associative" / "te.not_commutative" when a declared law fails on random values.
void attack_reducer(const ir::Reducer& reducer);

/// Whether the reducer's results have no meaning without terms (argmax, argmin).
bool needs_terms(const ir::Reducer& reducer);

}  // namespace tilewright::te::detail
