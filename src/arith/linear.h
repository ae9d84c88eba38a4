#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright::arith {

/// Number of an interned term (see atoms.h), valid within one Analyzer.
using AtomId = uint32_t;

/// sum(coefficient * atom) + constant. Terms are sorted by atom and have non-zero coefficients.
///
/// `overflow` is set, and stays set through every operation, when a coefficient left int64; such a
/// form says nothing.
struct Linear {
  std::vector<std::pair<AtomId, int64_t>> terms;
  int64_t constant = 0;
  bool overflow = false;

  bool is_constant() const { return terms.empty() && !overflow; }
  bool is_constant(int64_t value) const { return is_constant() && constant == value; }
  /// One atom with coefficient 1 and nothing else.
  bool is_atom() const {
    return terms.size() == 1 && terms[0].second == 1 && constant == 0 && !overflow;
  }
  int64_t coefficient(AtomId atom) const;
  bool operator==(const Linear&) const = default;
};

Linear linear_constant(int64_t value);
Linear linear_atom(AtomId atom, int64_t coefficient = 1);
Linear linear_overflow();
/// a + scale * b
Linear linear_add(const Linear& a, const Linear& b, int64_t scale = 1);
Linear linear_scale(const Linear& a, int64_t scale);
Linear linear_offset(Linear a, int64_t offset);
/// `a` with the term of `atom` removed.
Linear linear_without(const Linear& a, AtomId atom);
/// Greatest common divisor of the coefficients (not the constant); 0 when there are none.
int64_t coefficient_gcd(const Linear& a);
/// Divides the coefficients (which must be multiples) by `divisor` and floors the constant.
Linear linear_divide(const Linear& a, int64_t divisor);
size_t linear_hash(const Linear& a);

}  // namespace tilewright::arith
