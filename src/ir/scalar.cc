#include "ir/scalar.h"

#include <cmath>
#include <limits>

#include "tilewright/support/half.h"

namespace tilewright::ir::scalar {

int64_t wrap(DType dtype, int64_t value) {
  if (dtype.is_bool()) return value != 0;
  if (dtype.bits >= 64) return value;
  const int shift = 64 - dtype.bits;
  const uint64_t high = static_cast<uint64_t>(value) << shift;
  if (dtype.is_uint()) return static_cast<int64_t>(high >> shift);
  return static_cast<int64_t>(high) >> shift;
}

bool fits(DType dtype, int64_t value) {
  if (dtype.is_uint() && value < 0) return false;
  return wrap(dtype, value) == value;
}

double round_half_even(double value) {
  if (std::isnan(value) || std::fabs(value) >= 0x1p52) return value;
  double down = std::floor(value);
  const double rest = value - down;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0)) down += 1;
  return std::copysign(down, value);
}

double round_to(DType dtype, double value) {
  if (dtype.is_bfloat16()) return bfloat16_value(bfloat16_bits(value));
  switch (dtype.bits) {
    case 16: return float16_value(float16_bits(value));
    case 32: return static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

double int_to_float(DType to, DType from, int64_t value) {
  const bool is_unsigned = from.is_uint() || from.is_bool();
  const uint64_t bits = static_cast<uint64_t>(value);
  if (to.bits == 64) return is_unsigned ? static_cast<double>(bits) : static_cast<double>(value);
  if (to.bits == 32) return is_unsigned ? static_cast<float>(bits) : static_cast<float>(value);
  // Round to odd at 53 bits first, so that the second rounding sees whether bits were lost.
  const bool negative = !is_unsigned && value < 0;
  uint64_t magnitude = negative ? 0 - bits : bits;
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t{0x7ff}) | ((magnitude & 0x7ff) ? 0x800 : 0);
  const double exact = static_cast<double>(magnitude);
  return round_to(to, negative ? -exact : exact);
}

int64_t float_to_int(DType to, double value) {
  if (to.is_bool()) return value != 0;  // NaN != 0 is true
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  if (to.is_uint()) {
    if (whole <= 0) return 0;
    const double limit = std::ldexp(1.0, to.bits);
    if (whole >= limit) return wrap(to, -1);
    return static_cast<int64_t>(static_cast<uint64_t>(whole));
  }
  const double limit = std::ldexp(1.0, to.bits - 1);
  const int64_t largest = std::numeric_limits<int64_t>::max() >> (64 - to.bits);
  if (whole >= limit) return largest;
  if (whole < -limit) return -largest - 1;
  return static_cast<int64_t>(whole);
}

int64_t trunc_div(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (dtype.is_uint()) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  }
  if (b == -1) return wrap(dtype, static_cast<int64_t>(0 - static_cast<uint64_t>(a)));
  return a / b;
}

int64_t trunc_mod(DType dtype, int64_t a, int64_t b) {
  if (b == 0 || b == -1) {
    if (b == 0 || !dtype.is_uint()) return 0;
  }
  if (dtype.is_uint()) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  }
  return a % b;
}

int64_t floor_div(DType dtype, int64_t a, int64_t b) {
  const int64_t quotient = trunc_div(dtype, a, b);
  if (b == 0 || dtype.is_uint()) return quotient;
  const int64_t rest = trunc_mod(dtype, a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t floor_mod(DType dtype, int64_t a, int64_t b) {
  const int64_t rest = trunc_mod(dtype, a, b);
  if (b == 0 || dtype.is_uint()) return rest;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

bool less(DType dtype, int64_t a, int64_t b) {
  return dtype.is_uint() ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

double min(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double max(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double fmin(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : min(a, b);
}

double fmax(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : max(a, b);
}

namespace {

template <typename F>
double in_precision(DType dtype, double a, double b, F f) {
  if (dtype.bits == 64) return f(a, b);
  return round_to(dtype, f(static_cast<float>(a), static_cast<float>(b)));
}

}  // namespace

double add(DType dtype, double a, double b) {
  return in_precision(dtype, a, b, [](auto x, auto y) { return x + y; });
}
double sub(DType dtype, double a, double b) {
  return in_precision(dtype, a, b, [](auto x, auto y) { return x - y; });
}
double mul(DType dtype, double a, double b) {
  return in_precision(dtype, a, b, [](auto x, auto y) { return x * y; });
}
double div(DType dtype, double a, double b) {
  return in_precision(dtype, a, b, [](auto x, auto y) { return x / y; });
}

}  // namespace tilewright::ir::scalar
