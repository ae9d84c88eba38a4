#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/interp/program.h"
#include "tilewright/ir/intrinsics.h"
#include "tilewright/support/half.h"

/// \file
/// Scalar operations behind the rows of opcodes.def, inlined into the machine's loop.

namespace tilewright::ir::interp {

inline int64_t trunc_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b;
}

inline int64_t trunc_mod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

inline int64_t floor_div(int64_t a, int64_t b) {
  const int64_t rest = trunc_mod(a, b);
  return trunc_div(a, b) - (rest != 0 && (rest ^ b) < 0);
}

inline int64_t floor_mod(int64_t a, int64_t b) {
  const int64_t rest = trunc_mod(a, b);
  return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}

inline uint64_t low_bits(uint64_t a, uint32_t width) {
  return width >= 64 ? a : a & ((uint64_t{1} << width) - 1);
}
inline uint64_t popcount(uint64_t a, uint32_t width) { return std::popcount(low_bits(a, width)); }
inline uint64_t clz(uint64_t a, uint32_t width) {
  return std::countl_zero(low_bits(a, width)) - (64 - width);
}

template <typename T>
T float_min(T a, T b) {
  if (a < b || std::isnan(a)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return b;
}
template <typename T>
T float_max(T a, T b) {
  if (a > b || std::isnan(a)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return b;
}
template <typename T>
T float_fmin(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : float_min(a, b);
}
template <typename T>
T float_fmax(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : float_max(a, b);
}

inline float to_float16(double value) { return float16_value(float16_bits(value)); }
inline float to_bfloat16(double value) { return bfloat16_value(bfloat16_bits(value)); }

/// a*b+c rounded to odd at double precision, so that a second rounding to 16 bits is right. a and b hold
/// at most 26 significant bits each, which makes the product exact.
inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  if (error == 0 || (std::bit_cast<uint64_t>(sum) & 1)) return sum;
  return std::nextafter(sum, error > 0 ? std::numeric_limits<double>::infinity()
                                       : -std::numeric_limits<double>::infinity());
}

/// The integer rounded to odd at double precision.
inline double integer_to_odd(bool negative, uint64_t bits) {
  uint64_t magnitude = negative ? 0 - bits : bits;
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t{0x7ff}) | ((magnitude & 0x7ff) ? 0x800 : 0);
  const double value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

/// A maths function of one argument in double precision.
double maths(Intrinsic intrinsic, double x);

/// float -> integer: towards zero, saturated, NaN gives 0. `type` is a Storage; kI64 + 128 is uint64.
int64_t saturate(double value, uint32_t type);
inline constexpr uint32_t kUnsigned64 = static_cast<uint32_t>(Storage::kI64) + 128;

}  // namespace tilewright::ir::interp
