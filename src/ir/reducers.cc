#include "tilewright/ir/ops.h"

namespace tilewright::ir::reducers {
namespace {

Reducer simple(const char* name, DType dtype, Expr (*combine)(Expr, Expr), Expr identity) {
  Var lhs("lhs", dtype), rhs("rhs", dtype);
  return Reducer(new ReducerNode(name, {lhs}, {rhs}, {combine(lhs, rhs)}, {std::move(identity)},
                                 /*is_associative=*/true, /*is_commutative=*/true));
}

void check_number(const char* name, DType dtype) {
  if (dtype.is_scalar() && (dtype.is_integer() || dtype.is_float())) return;
  fail("ir.dtype", "reducer {} needs a number, got {}{}", name, to_string(dtype),
       dtype.is_bool() ? "; use any or all" : "");
}

// `sign` turns the order: the reducer prefers the larger (max) or the smaller value.
Reducer arg_reducer(const char* name, DType index_dtype, DType dtype, bool largest) {
  check_number(name, dtype);
  if (!index_dtype.is_integer() || !index_dtype.is_scalar()) {
    fail("ir.dtype", "reducer {} needs an integer index, got {}", name, to_string(index_dtype));
  }
  Var lhs_index("lhs_index", index_dtype), lhs_value("lhs_value", dtype);
  Var rhs_index("rhs_index", index_dtype), rhs_value("rhs_value", dtype);
  Expr better = largest ? rhs_value > lhs_value : rhs_value < lhs_value;
  Expr earlier = rhs_index < lhs_index;
  Expr take = better || (rhs_value == lhs_value && earlier);
  // NaN beats every number, and the first NaN beats the later ones.
  if (dtype.is_float()) take = take || (isnan(rhs_value) && (!isnan(lhs_value) || earlier));
  // The identity's index is the largest, so that a real element of the same value wins.
  return Reducer(
      new ReducerNode(name, {lhs_index, lhs_value}, {rhs_index, rhs_value},
                      {select(take, rhs_index, lhs_index), select(take, rhs_value, lhs_value)},
                      {max_value(index_dtype), largest ? min_value(dtype) : max_value(dtype)},
                      /*is_associative=*/true, /*is_commutative=*/true));
}

}  // namespace

Reducer sum(DType dtype) {
  check_number("sum", dtype);
  return simple(
      "sum", dtype, [](Expr a, Expr b) { return a + b; }, make_zero(dtype));
}

Reducer prod(DType dtype) {
  check_number("prod", dtype);
  return simple(
      "prod", dtype, [](Expr a, Expr b) { return a * b; }, make_const(dtype, 1));
}

Reducer max(DType dtype) {
  check_number("max", dtype);
  return simple("max", dtype, ir::max, min_value(dtype));
}

Reducer min(DType dtype) {
  check_number("min", dtype);
  return simple("min", dtype, ir::min, max_value(dtype));
}

Reducer any() {
  return simple(
      "any", kBool, [](Expr a, Expr b) { return a || b; }, make_bool(false));
}

Reducer all() {
  return simple(
      "all", kBool, [](Expr a, Expr b) { return a && b; }, make_bool(true));
}

Reducer argmax(DType index_dtype, DType dtype) {
  return arg_reducer("argmax", index_dtype, dtype, true);
}

Reducer argmin(DType index_dtype, DType dtype) {
  return arg_reducer("argmin", index_dtype, dtype, false);
}

}  // namespace tilewright::ir::reducers
