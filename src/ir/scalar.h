#pragma once

#include <cstdint>

#include "tilewright/support/dtype.h"

/// \file
/// Scalar arithmetic of the IR's dtypes, as include/tilewright/ir/expr.h states it. Integers are held in
/// int64_t: narrower values sign- or zero-extended, uint64 as its bit pattern. Floats are held in double
/// and are exactly representable in their dtype.

namespace tilewright::ir::scalar {

/// `value` modulo 2^bits, extended back by the signedness of `dtype`; bool: 0 or 1.
int64_t wrap(DType dtype, int64_t value);
/// Whether the number `value` (a signed one) lies in the range of `dtype`.
bool fits(DType dtype, int64_t value);
/// Nearest value of `dtype`, ties to even, overflowing to infinity.
double round_to(DType dtype, double value);
/// An integer of dtype `from` as the nearest value of the float dtype `to`, rounded once.
double int_to_float(DType to, DType from, int64_t value);
/// Truncated towards zero, saturated, NaN gives 0.
int64_t float_to_int(DType to, double value);

int64_t floor_div(DType dtype, int64_t a, int64_t b);
int64_t floor_mod(DType dtype, int64_t a, int64_t b);
int64_t trunc_div(DType dtype, int64_t a, int64_t b);
int64_t trunc_mod(DType dtype, int64_t a, int64_t b);
/// a < b in the signedness of `dtype`.
bool less(DType dtype, int64_t a, int64_t b);

/// NaN when either is NaN; -0.0 is less than +0.0.
double min(double a, double b);
double max(double a, double b);
/// The other one when one is NaN; -0.0 is less than +0.0.
double fmin(double a, double b);
double fmax(double a, double b);
/// Halves to even, whatever the rounding mode.
double round_half_even(double value);

/// One arithmetic step in the precision of `dtype` (float32 for the 16-bit types), rounded to it.
double add(DType dtype, double a, double b);
double sub(DType dtype, double a, double b);
double mul(DType dtype, double a, double b);
double div(DType dtype, double a, double b);

}  // namespace tilewright::ir::scalar
