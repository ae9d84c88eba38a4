#include "arith/interval_ops.h"

#include <algorithm>
#include <numeric>

#include "arith/checked.h"

namespace tilewright::arith {
namespace {

constexpr int64_t kNegInf = Interval::kNegInf, kPosInf = Interval::kPosInf;

bool infinite(int64_t end) { return end == kNegInf || end == kPosInf; }

// Product of ends; an infinite end times zero is zero.
int64_t end_mul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product;
  bool negative = (a < 0) != (b < 0);
  if (infinite(a) || infinite(b) || mul_overflow(a, b, &product)) {
    return negative ? kNegInf : kPosInf;
  }
  return product;
}

// Floor quotient of ends. Zero is the end of an empty interval only.
int64_t end_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  bool negative = (a < 0) != (b < 0);
  if (infinite(a)) return negative ? kNegInf : kPosInf;
  if (infinite(b)) return a != 0 && negative ? -1 : 0;
  if (b < 0) {
    if (a == INT64_MIN + 1 || b == INT64_MIN + 1) return negative ? kNegInf : kPosInf;
    a = -a;
    b = -b;
  }
  return floor_quotient(a, b);
}

// Largest magnitude in the interval, kPosInf when infinite.
int64_t largest_magnitude(const Interval& a) {
  if (!a.bounded()) return kPosInf;
  return std::max(magnitude(a.min), magnitude(a.max));
}

}  // namespace

Interval interval_add(const Interval& a, const Interval& b) {
  Interval r;
  if (a.min != kNegInf && b.min != kNegInf && add_overflow(a.min, b.min, &r.min)) r.min = kNegInf;
  if (a.max != kPosInf && b.max != kPosInf && add_overflow(a.max, b.max, &r.max)) r.max = kPosInf;
  return r;
}

Interval interval_scale(const Interval& a, int64_t k) {
  if (k == 0) return {0, 0};
  Interval r{end_mul(a.min, k), end_mul(a.max, k)};
  if (k < 0) std::swap(r.min, r.max);
  return r;
}

Interval interval_mul(const Interval& a, const Interval& b) {
  int64_t p[] = {end_mul(a.min, b.min), end_mul(a.min, b.max), end_mul(a.max, b.min),
                 end_mul(a.max, b.max)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Interval interval_div(const Interval& a, const Interval& b) {
  if (b.min > 0 || b.max < 0) {
    int64_t q[] = {end_div(a.min, b.min), end_div(a.min, b.max), end_div(a.max, b.min),
                   end_div(a.max, b.max)};
    return {*std::min_element(q, q + 4), *std::max_element(q, q + 4)};
  }
  if (b.min >= 0) return {std::min<int64_t>(a.min, 0), std::max<int64_t>(a.max, 0)};
  int64_t m = largest_magnitude(a);
  if (m == kPosInf) return kEverything;
  return {-m, m};
}

Interval interval_mod(const Interval& a, const Interval& b) {
  Interval r;
  r.min = b.min >= 0 ? 0 : b.min == kNegInf ? kNegInf : b.min + 1;
  r.max = b.max <= 0 ? 0 : b.max == kPosInf ? kPosInf : b.max - 1;
  if (b.min >= 0 && a.min >= 0) r.max = std::min(r.max, a.max);
  if (b.min >= 1 && a.min >= 0 && a.max < b.min) return a;
  return r;
}

Interval interval_min(const Interval& a, const Interval& b) {
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

Interval interval_max(const Interval& a, const Interval& b) {
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

Interval interval_union(const Interval& a, const Interval& b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

Interval interval_intersect(const Interval& a, const Interval& b) {
  return {std::max(a.min, b.min), std::min(a.max, b.max)};
}

bool interval_within(const Interval& inner, const Interval& outer) {
  return inner.min >= outer.min && inner.max <= outer.max;
}

Interval interval_of_dtype(DType dtype) {
  if (dtype.is_bool()) return {0, 1};
  if (!dtype.is_integer() || dtype.bits >= 64) return kEverything;
  int64_t half = int64_t{1} << (dtype.bits - 1);
  return dtype.is_int() ? Interval{-half, half - 1} : Interval{0, 2 * half - 1};
}

Congruence congruence_join(const Congruence& a, const Congruence& b) {
  int64_t difference;
  if (__builtin_sub_overflow(a.residue, b.residue, &difference) || difference == INT64_MIN)
    return {};
  int64_t m = std::gcd(std::gcd(a.modulus, b.modulus), magnitude(difference));
  if (m == 0) return a;
  return {m, floor_remainder(a.residue, m)};
}

Congruence congruence_add(const Congruence& a, const Congruence& b) {
  int64_t sum;
  if (add_overflow(a.residue, b.residue, &sum)) return {};
  int64_t m = std::gcd(a.modulus, b.modulus);
  return {m, m == 0 ? sum : floor_remainder(sum, m)};
}

Congruence congruence_mul(const Congruence& a, const Congruence& b) {
  // (m1 q1 + r1)(m2 q2 + r2): every part but r1 r2 is a multiple of gcd(m1 m2, m1 r2, m2 r1).
  int64_t mm, mr, rm, rr;
  if (mul_overflow(a.residue, b.residue, &rr) || mul_overflow(a.modulus, b.modulus, &mm) ||
      mul_overflow(a.modulus, b.residue, &mr) || mul_overflow(b.modulus, a.residue, &rm) ||
      mr == INT64_MIN || rm == INT64_MIN) {
    return {};
  }
  int64_t m = std::gcd(mm, std::gcd(mr, rm));
  return {m, m == 0 ? rr : floor_remainder(rr, m)};
}

Congruence congruence_div(const Congruence& a, int64_t c) {
  if (a.modulus == 0) return {0, floor_quotient(a.residue, c)};
  if (a.modulus % c != 0) return {};
  int64_t m = a.modulus / c;
  return {m, floor_remainder(a.residue / c, m)};
}

Congruence congruence_mod(const Congruence& a, int64_t c) {
  if (a.modulus == 0) return {0, floor_remainder(a.residue, c)};
  if (a.modulus % c == 0) return {0, a.residue % c};
  int64_t m = std::gcd(a.modulus, c);
  return {m, a.residue % m};
}

Congruence congruence_meet(const Congruence& a, const Congruence& b) {
  if (a.modulus == 0 || b.modulus == 1) return a;
  if (b.modulus == 0 || a.modulus == 1) return b;
  if (a.modulus % b.modulus == 0) return a;
  if (b.modulus % a.modulus == 0) return b;
  int64_t lcm;
  if (mul_overflow(a.modulus / std::gcd(a.modulus, b.modulus), b.modulus, &lcm) ||
      lcm > (int64_t{1} << 20)) {
    return a.modulus >= b.modulus ? a : b;
  }
  const Congruence& big = a.modulus >= b.modulus ? a : b;
  const Congruence& small = a.modulus >= b.modulus ? b : a;
  for (int64_t r = big.residue; r < lcm; r += big.modulus) {
    if (r % small.modulus == small.residue) return {lcm, r};
  }
  return a;
}

Interval tighten(Interval interval, const Congruence& congruence) {
  if (congruence.modulus == 0) return {congruence.residue, congruence.residue};
  if (congruence.modulus == 1) return interval;
  int64_t m = congruence.modulus, moved;
  if (interval.min != kNegInf) {
    int64_t up = floor_remainder(congruence.residue - floor_remainder(interval.min, m), m);
    if (!add_overflow(interval.min, up, &moved)) interval.min = moved;
  }
  if (interval.max != kPosInf) {
    int64_t down = floor_remainder(floor_remainder(interval.max, m) - congruence.residue, m);
    if (!add_overflow(interval.max, -down, &moved)) interval.max = moved;
  }
  return interval;
}

}  // namespace tilewright::arith
