#pragma once

#include "tilewright/arith/analyzer.h"

/// \file
/// Arithmetic on constant intervals. Results enclose; an end that would leave int64 becomes infinite.

namespace tilewright::arith {

inline constexpr Interval kEverything{};

Interval interval_add(const Interval& a, const Interval& b);
Interval interval_scale(const Interval& a, int64_t k);
Interval interval_mul(const Interval& a, const Interval& b);
/// Floor division; the divisor interval may hold zero (x / 0 gives 0).
Interval interval_div(const Interval& a, const Interval& b);
/// Floor modulo; the divisor interval may hold zero (x % 0 gives 0).
Interval interval_mod(const Interval& a, const Interval& b);
Interval interval_min(const Interval& a, const Interval& b);
Interval interval_max(const Interval& a, const Interval& b);
Interval interval_union(const Interval& a, const Interval& b);
Interval interval_intersect(const Interval& a, const Interval& b);
bool interval_within(const Interval& inner, const Interval& outer);
/// The values of an integer or bool dtype; everything for 64 bits and for other dtypes.
Interval interval_of_dtype(DType dtype);

/// The smallest modulus class holding both arguments' classes, and arithmetic on classes.
Congruence congruence_join(const Congruence& a, const Congruence& b);
Congruence congruence_add(const Congruence& a, const Congruence& b);
Congruence congruence_mul(const Congruence& a, const Congruence& b);
/// x // c of the values, c > 0.
Congruence congruence_div(const Congruence& a, int64_t c);
/// x % c of the values, c > 0.
Congruence congruence_mod(const Congruence& a, int64_t c);
/// Values that are in both classes. Empty intersections give the first.
Congruence congruence_meet(const Congruence& a, const Congruence& b);
/// Moves the finite ends inwards to members of the class.
Interval tighten(Interval interval, const Congruence& congruence);

}  // namespace tilewright::arith
