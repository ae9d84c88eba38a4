#pragma once

#include <cstdint>
#include <numeric>

/// \file
/// int64 arithmetic that reports overflow, and floor division.

namespace tilewright::arith {

/// Each returns true when the exact result does not fit.
inline bool add_overflow(int64_t a, int64_t b, int64_t* out) {
  return __builtin_add_overflow(a, b, out);
}
inline bool mul_overflow(int64_t a, int64_t b, int64_t* out) {
  return __builtin_mul_overflow(a, b, out);
}

/// Quotient rounded to minus infinity; b > 0.
inline int64_t floor_quotient(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

/// Remainder in [0, b); b > 0.
inline int64_t floor_remainder(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r < 0 ? r + b : r;
}

inline int64_t magnitude(int64_t a) { return a < 0 && a != INT64_MIN ? -a : a; }

}  // namespace tilewright::arith
