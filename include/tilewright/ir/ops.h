#pragma once

#include <initializer_list>
#include <limits>
#include <vector>

#include "tilewright/ir/stmt.h"

/// \file
/// The ways to build expressions. Every function checks dtypes and throws Error "ir.dtype" naming both
/// sides; operands that are literals take the other side's dtype; otherwise dtypes must agree (except
/// that integer index types int32/int64 mix, giving int64). A scalar meeting a vector is broadcast.
/// A literal is given the other side's dtype only where its value fits: an integer literal never wraps
/// and a float literal never becomes an integer. bool does not mix with numbers.
///
/// Constants are folded, and `x+0`, `x-0`, `x*0` (integers), `x*1`, `x//1`, `b && const` and
/// `b || const` are reduced; nothing more (that is arith's work).
///
/// With this header `!e`, `a && b` and `a == b` on Expr build IR: test for null with `e.defined()`.

namespace tilewright::ir {

Expr make_int(DType dtype, int64_t value);   ///< wrapped into dtype; bool: 0/1; lanes: broadcast
Expr make_float(DType dtype, double value);  ///< rounded to dtype
Expr make_const(DType dtype, double value);  ///< 0, 1, ... of any arithmetic dtype
Expr make_zero(DType dtype);
Expr make_bool(bool value);
/// Smallest/largest value: integers' limits, floats' infinities, bool's false/true.
Expr min_value(DType dtype);
Expr max_value(DType dtype);

/// Null when not a constant.
const int64_t* as_const_int(const Expr& expr);
bool is_const_int(const Expr& expr, int64_t value);
bool is_true(const Expr& expr);
bool is_false(const Expr& expr);
bool is_literal(const Expr& expr);  ///< IntImm or FloatImm

/// Checked and folded construction of any binary or unary operation.
Expr binary(BinaryOp op, Expr a, Expr b);
Expr unary(UnaryOp op, Expr a);
/// Folds one operation on constants per the semantics in expr.h; null when not foldable.
Expr fold_binary(BinaryOp op, const Expr& a, const Expr& b);
Expr fold_unary(UnaryOp op, const Expr& a);
Expr fold_cast(DType dtype, const Expr& value);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);  ///< floats; on integers an error naming floor_div and trunc_div
Expr operator-(Expr a);
Expr operator!(Expr a);
Expr operator~(Expr a);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
Expr operator<<(Expr a, Expr b);
Expr operator>>(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr floor_div(Expr a, Expr b);
Expr floor_mod(Expr a, Expr b);
Expr trunc_div(Expr a, Expr b);
Expr trunc_mod(Expr a, Expr b);
Expr ceil_div(Expr a, Expr b);  ///< floor_div(a + b - 1, b)
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr fmin(Expr a, Expr b);
Expr fmax(Expr a, Expr b);

Expr cast(DType dtype, Expr value);
Expr select(Expr condition, Expr true_value, Expr false_value);
Expr if_then_else(Expr condition, Expr true_value, Expr false_value);
Expr load(const Buffer& buffer, std::vector<Expr> indices);
Expr call(Intrinsic intrinsic, std::vector<Expr> args);  ///< result dtype by the intrinsic's rule
Expr bitcast(DType dtype, Expr value);                   ///< same bits, another dtype of that width
Expr let(const Var& var, Expr value, Expr body);
Expr ramp(Expr base, Expr stride, int lanes);
Expr broadcast(Expr value, int lanes);

// Maths functions: float in, same float out (exp, log, ..., see intrinsics.def for ULP bounds).
Expr abs(Expr x);
Expr sqrt(Expr x);
Expr rsqrt(Expr x);
Expr exp(Expr x);
Expr exp2(Expr x);
Expr log(Expr x);
Expr log2(Expr x);
Expr log1p(Expr x);
Expr expm1(Expr x);
Expr tanh(Expr x);
Expr sigmoid(Expr x);
Expr erf(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr pow(Expr x, Expr y);
Expr floor(Expr x);
Expr ceil(Expr x);
Expr trunc(Expr x);
Expr round(Expr x);  ///< halves to even
Expr isnan(Expr x);
Expr isinf(Expr x);

Stmt store(const Buffer& buffer, std::vector<Expr> indices, Expr value, Expr predicate = {});
Stmt seq(std::vector<Stmt> stmts);  ///< flattens nested sequences; one statement stays itself
Stmt nop();
Stmt if_then(Expr condition, Stmt then_body, Stmt else_body = {});
Stmt let_stmt(const Var& var, Expr value, Stmt body);
Stmt evaluate(Expr value);
Stmt make_for(int64_t id, const Var& var, Expr extent, Stmt body, ForKind kind = ForKind::kSerial,
              Attrs annotations = {}, ThreadAxis thread = ThreadAxis::kNone);
Buffer make_buffer(std::string name, DType dtype, std::vector<Expr> shape,
                   Scope scope = Scope::kGlobal);

// Copies of a node with one field replaced.
PrimFunc with_body(const PrimFunc& func, Stmt body, Level level);
PrimFunc with_body(const PrimFunc& func, Stmt body);
PrimFunc with_allocs(const PrimFunc& func, std::vector<Buffer> allocs);
Stmt with_body(const ForNode* loop, Stmt body);

namespace reducers {
/// Accumulate in `dtype` (both the terms' and the result's dtype). argmax/argmin: arity 2, values are
/// (index of `index_dtype`, value of `dtype`); ties give the lowest index and the first NaN wins, as in
/// numpy.
Reducer sum(DType dtype);
Reducer prod(DType dtype);
Reducer max(DType dtype);
Reducer min(DType dtype);
Reducer any();
Reducer all();
Reducer argmax(DType index_dtype, DType dtype);
Reducer argmin(DType index_dtype, DType dtype);
}  // namespace reducers

}  // namespace tilewright::ir
