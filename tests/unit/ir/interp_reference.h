#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "interp_support.h"

/// Reference arithmetic for the dtype tests, written from the text of expr.h in plain C++ and sharing no
/// code with the implementation: integers in 128 bits, float16 by the compiler's _Float16.
namespace tilewright::ir::testing {

template <typename T>
constexpr bool is_float_v =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BHalf>;

/// The number an element holds: __int128 for integers and bools, double for floats.
template <typename T>
auto number(T x) {
  if constexpr (std::is_same_v<T, Bool>) {
    return static_cast<__int128>(x.byte);
  } else if constexpr (std::is_same_v<T, Half>) {
    return static_cast<double>(std::bit_cast<_Float16>(x.bits));
  } else if constexpr (std::is_same_v<T, BHalf>) {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(x);
  } else {
    return static_cast<__int128>(x);
  }
}

/// Rounds to bfloat16 by the usual carry trick on float32 bits; `x` must be a float32 value.
inline BHalf bhalf(double x) {
  if (std::isnan(x)) return {0x7FC0};
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return {static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)};
}

/// A double that is the exact result, or a float32 rounding of it, as T.
template <typename T>
T from_double(double x) {
  if constexpr (std::is_same_v<T, Half>) {
    return {std::bit_cast<uint16_t>(static_cast<_Float16>(x))};
  } else if constexpr (std::is_same_v<T, BHalf>) {
    return bhalf(x);
  } else {
    return static_cast<T>(x);
  }
}

template <typename T>
T from_integer(__int128 x) {
  if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<uint8_t>(x != 0)};
  } else {
    return static_cast<T>(static_cast<unsigned __int128>(x));  // modulo 2^bits
  }
}

/// Equal bits, or both NaN.
template <typename T>
bool identical(T a, T b) {
  if constexpr (is_float_v<T>) {
    if (std::isnan(number(a)) && std::isnan(number(b))) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Values at the edges of the type and some ordinary ones.
template <typename T>
std::vector<T> samples() {
  if constexpr (std::is_same_v<T, Bool>) {
    return {{0}, {1}};
  } else if constexpr (is_float_v<T>) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<T> result;
    for (double x : {0.0,  -0.0,   1.0,    -1.0,         0.5,     -2.5,     3.0,  1.0 / 3,
                     7.25, -100.0, 1000.0, 4097.0,       65504.0, -70000.0, 3e38, 1e-7,
                     6e-8, -1e-40, 255.0,  2147483648.0, -9.3e18, inf,      -inf, nan}) {
      // Via float32 so that the constant is a value of every wider type.
      result.push_back(from_double<T>(static_cast<float>(x)));
    }
    if constexpr (std::is_same_v<T, double>) {
      for (double x : {1.0 / 3, 1e308, 4.9e-324, 16777217.0, 9007199254740993.0}) {
        result.push_back(x);
      }
    }
    return result;
  } else {
    std::vector<T> result;
    const __int128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    for (__int128 x : {low, low + 1, low / 2, high, high - 1, high / 2 + 1, high / 3}) {
      result.push_back(from_integer<T>(x));
    }
    for (int x : {-40, -8, -7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8, 31, 33, 100}) {
      result.push_back(from_integer<T>(x));
    }
    return result;
  }
}

inline __int128 floor_quotient(__int128 a, __int128 b) {
  __int128 q = 0;
  // From the definition: the largest q with q * |b| <= a * sign(b).
  const __int128 n = b < 0 ? -a : a, d = b < 0 ? -b : b;
  q = n >= 0 ? n / d : -((-n + d - 1) / d);
  return q;
}

/// Modulo 2^128.
inline __int128 product(__int128 a, __int128 b) {
  return static_cast<__int128>(static_cast<unsigned __int128>(a) *
                               static_cast<unsigned __int128>(b));
}

template <typename T>
T integer_reference(BinaryOp op, T x, T y) {
  const __int128 a = number(x), b = number(y);
  const int width = 8 * static_cast<int>(sizeof(T));
  const int count = static_cast<int>(((b % width) + width) % width);
  const __int128 power = static_cast<__int128>(1) << count;
  switch (op) {
    case BinaryOp::kAdd: return from_integer<T>(a + b);
    case BinaryOp::kSub: return from_integer<T>(a - b);
    case BinaryOp::kMul: return from_integer<T>(product(a, b));
    case BinaryOp::kFloorDiv: return from_integer<T>(b == 0 ? 0 : floor_quotient(a, b));
    case BinaryOp::kFloorMod: return from_integer<T>(b == 0 ? 0 : a - floor_quotient(a, b) * b);
    case BinaryOp::kTruncDiv: return from_integer<T>(b == 0 ? 0 : a / b);
    case BinaryOp::kTruncMod: return from_integer<T>(b == 0 ? 0 : a % b);
    case BinaryOp::kMin: return from_integer<T>(a < b ? a : b);
    case BinaryOp::kMax: return from_integer<T>(a < b ? b : a);
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd: return from_integer<T>(a & b);
    case BinaryOp::kOr:
    case BinaryOp::kBitOr: return from_integer<T>(a | b);
    case BinaryOp::kBitXor: return from_integer<T>(a ^ b);
    case BinaryOp::kShl: return from_integer<T>(product(a, power));
    case BinaryOp::kShr: return from_integer<T>(floor_quotient(a, power));
    default: throw InternalError("not in the reference");
  }
}

template <typename T>
T float_reference(BinaryOp op, T x, T y) {
  // Bits decide between equal zeros, so that no min or max of the library is used.
  const double a = number(x), b = number(y);
  const bool a_first = a < b || (a == b && std::signbit(a));
  const auto arithmetic = [&](auto f) {
    if constexpr (std::is_same_v<T, double>) {
      return f(a, b);
    } else {
      return from_double<T>(f(static_cast<float>(a), static_cast<float>(b)));
    }
  };
  switch (op) {
    case BinaryOp::kAdd: return arithmetic([](auto p, auto q) { return p + q; });
    case BinaryOp::kSub: return arithmetic([](auto p, auto q) { return p - q; });
    case BinaryOp::kMul: return arithmetic([](auto p, auto q) { return p * q; });
    case BinaryOp::kDiv: return arithmetic([](auto p, auto q) { return p / q; });
    case BinaryOp::kMin: return std::isnan(a) ? x : std::isnan(b) ? y : a_first ? x : y;
    case BinaryOp::kMax: return std::isnan(a) ? x : std::isnan(b) ? y : a_first ? y : x;
    case BinaryOp::kFMin: return std::isnan(a) ? y : std::isnan(b) ? x : a_first ? x : y;
    case BinaryOp::kFMax: return std::isnan(a) ? y : std::isnan(b) ? x : a_first ? y : x;
    default: throw InternalError("not in the reference");
  }
}

template <typename T>
bool comparison_reference(BinaryOp op, T x, T y) {
  const auto a = number(x), b = number(y);
  switch (op) {
    case BinaryOp::kEq: return a == b;
    case BinaryOp::kNe: return a != b;
    case BinaryOp::kLt: return a < b;
    case BinaryOp::kLe: return a <= b;
    case BinaryOp::kGt: return a > b;
    case BinaryOp::kGe: return a >= b;
    default: throw InternalError("not a comparison");
  }
}

/// An integer as the nearest bfloat16 in one rounding: the neighbours are tried.
inline BHalf nearest_bhalf(__int128 x) {
  const double approximate = static_cast<double>(x);
  const BHalf start = bhalf(approximate);
  BHalf best = start;
  for (int step : {-1, 0, 1}) {
    const BHalf candidate{static_cast<uint16_t>(start.bits + step)};
    const double value = number(candidate);
    if (!std::isfinite(value) || (x < 0) != (value < 0)) continue;
    const auto distance = [&](BHalf h) {
      const __int128 d = x - static_cast<__int128>(number(h));
      return d < 0 ? -d : d;
    };
    const bool closer = distance(candidate) < distance(best);
    const bool tie_to_even = distance(candidate) == distance(best) && candidate.bits % 2 == 0;
    if (closer || tie_to_even) best = candidate;
  }
  return best;
}

template <typename To, typename From>
To cast_reference(From x) {
  const auto a = number(x);
  if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<uint8_t>(a != 0)};
  } else if constexpr (is_float_v<From> && is_float_v<To>) {
    if constexpr (std::is_same_v<To, BHalf> && std::is_same_v<From, double>) {
      // One rounding: keep what float32 would lose as an odd last bit.
      float f = static_cast<float>(a);
      if (std::isfinite(f) && static_cast<double>(f) != a) {
        if (std::fabs(f) > std::fabs(a)) f = std::nextafter(f, 0.0f);
        f = std::bit_cast<float>(std::bit_cast<uint32_t>(f) | 1);
      }
      return bhalf(f);
    } else {
      return from_double<To>(a);
    }
  } else if constexpr (is_float_v<From>) {
    if (std::isnan(a)) return 0;
    using Limits = std::numeric_limits<To>;
    if (a >= std::ldexp(1.0, Limits::digits)) return Limits::max();
    if (a <= static_cast<double>(Limits::min())) return Limits::min();
    return static_cast<To>(a);
  } else if constexpr (std::is_same_v<To, Half>) {
    // float32 is exact up to 2^24, beyond 65520 the result is infinite either way.
    return from_double<Half>(static_cast<float>(a));
  } else if constexpr (std::is_same_v<To, BHalf>) {
    return nearest_bhalf(a);
  } else if constexpr (is_float_v<To>) {
    return a < 0 ? static_cast<To>(static_cast<int64_t>(a))
                 : static_cast<To>(static_cast<uint64_t>(a));
  } else {
    return from_integer<To>(a);
  }
}

}  // namespace tilewright::ir::testing
