#include <algorithm>
#include <numeric>

#include "arith/checked.h"
#include "arith/impl.h"

/// \file
/// Floor division and remainder of linear forms. Every rule is an identity of floor arithmetic on exact
/// integers: floor((c*q + r) / c) = q + floor(r / c); floor((g*t + s) / (g*c)) = floor((t + floor(s/g)) / c);
/// floor((a + b) / c) = floor(a / c) where g divides a and c and 0 <= b < g.

namespace tilewright::arith {

namespace {

Atom pair_atom(AtomKind kind, const Linear& a, const Linear& b) {
  Atom atom;
  atom.kind = kind;
  atom.args = {a, b};
  return atom;
}

// Splits `form` into c * quotient + rest with |coefficients of rest| < c and 0 <= constant < c.
void split_multiples(const Linear& form, int64_t c, Linear& quotient, Linear& rest) {
  for (const auto& [atom, k] : form.terms) {
    if (k / c != 0) quotient.terms.emplace_back(atom, k / c);
    if (k % c != 0) rest.terms.emplace_back(atom, k % c);
  }
  quotient.constant = floor_quotient(form.constant, c);
  rest.constant = floor_remainder(form.constant, c);
}

}  // namespace

Linear Analyzer::Impl::divide(const Linear& a, const Linear& b) {
  if (a.overflow || b.overflow) return linear_overflow();
  if (!b.is_constant()) return divide_symbolic(a, b);
  int64_t c = b.constant;
  if (c == 0 || c == INT64_MIN) return linear_overflow();
  return c > 0 ? divide_constant(a, c) : divide_constant(linear_scale(a, -1), -c);
}

Linear Analyzer::Impl::modulo(const Linear& a, const Linear& b) {
  if (a.overflow || b.overflow) return linear_overflow();
  if (!b.is_constant()) return modulo_symbolic(a, b);
  int64_t c = b.constant;
  if (c == 0 || c == INT64_MIN) return linear_overflow();
  if (c > 0) return modulo_constant(a, c);
  return linear_scale(modulo_constant(linear_scale(a, -1), -c), -1);
}

std::optional<Analyzer::Impl::Partition> Analyzer::Impl::partition(const Linear& form, int64_t c) {
  // Each term is a multiple of `unit` plus `offset`.
  struct Part {
    int64_t unit, offset;
  };
  std::vector<Part> parts;
  std::vector<int64_t> units;
  for (const auto& [atom, k] : form.terms) {
    Congruence cong = atom_congruence(atom);
    Part part{k, 0};
    int64_t unit, offset;
    if (cong.modulus > 1 && !mul_overflow(k, cong.modulus, &unit) &&
        !mul_overflow(k, cong.residue, &offset)) {
      part = {unit, offset};
    }
    parts.push_back(part);
    int64_t g = std::gcd(part.unit, c);
    if (g > 1 && std::find(units.begin(), units.end(), g) == units.end()) units.push_back(g);
    g = std::gcd(k, c);
    if (g > 1 && std::find(units.begin(), units.end(), g) == units.end()) units.push_back(g);
  }
  std::sort(units.rbegin(), units.rend());
  for (int64_t g : units) {
    Linear multiple, rest;
    int64_t offset = form.constant;
    bool fits = true;
    for (size_t i = 0; i < form.terms.size(); ++i) {
      const auto& term = form.terms[i];
      if (term.second % g == 0) {
        multiple.terms.push_back(term);
      } else if (parts[i].unit % g == 0) {
        multiple.terms.push_back(term);
        fits = fits && !add_overflow(offset, parts[i].offset, &offset);
      } else {
        rest.terms.push_back(term);
      }
    }
    if (!fits) continue;
    rest.constant = floor_remainder(offset, g);
    Interval range = interval(rest);
    if (!range.bounded()) continue;
    int64_t shift = floor_quotient(range.min, g) * g;
    if (range.max - shift >= g) continue;
    if (rest.terms.empty() && rest.constant == shift) continue;
    rest.constant -= shift;
    multiple = linear_add(form, rest, -1);
    if (multiple.overflow) continue;
    return Partition{multiple, rest};
  }
  return std::nullopt;
}

Linear Analyzer::Impl::divide_constant(const Linear& a, int64_t c) {
  if (a.overflow) return a;
  if (c == 1) return a;
  Linear quotient, rest;
  split_multiples(a, c, quotient, rest);
  if (rest.terms.empty()) return quotient;
  int64_t g = std::gcd(coefficient_gcd(rest), c);
  if (g > 1) return linear_add(quotient, divide_constant(linear_divide(rest, g), c / g));
  Interval range = interval(rest);
  if (range.bounded() && floor_quotient(range.min, c) == floor_quotient(range.max, c)) {
    return linear_offset(quotient, floor_quotient(range.min, c));
  }
  if (auto parts = partition(rest, c)) {
    return linear_add(quotient, divide_constant(parts->multiple, c));
  }
  if (rest.terms.size() == 1 && rest.terms[0].second == 1) {
    AtomId id = rest.terms[0].first;
    const AtomKind kind = atoms[id].kind;
    if ((kind == AtomKind::kDiv || kind == AtomKind::kMod) && atoms[id].args[1].is_constant()) {
      Linear x = atoms[id].args[0];
      int64_t d = atoms[id].args[1].constant, product, offset;
      if (kind == AtomKind::kDiv && !mul_overflow(c, d, &product) &&
          !mul_overflow(d, rest.constant, &offset)) {
        // (x // d + k) // c = (x + k d) // (c d)
        return linear_add(quotient, divide_constant(linear_offset(x, offset), product));
      }
      if (kind == AtomKind::kMod && rest.constant == 0 && d % c == 0) {
        // (x % (c e)) // c = (x // c) % e
        return linear_add(quotient, modulo_constant(divide_constant(x, c), d / c));
      }
    }
  }
  Linear merged = merge(rest);
  if (merged != rest) return linear_add(quotient, divide_constant(merged, c));
  AtomId id = intern(pair_atom(AtomKind::kDiv, rest, linear_constant(c)));
  return linear_add(quotient, linear_atom(id));
}

Linear Analyzer::Impl::modulo_constant(const Linear& a, int64_t c) {
  if (a.overflow) return a;
  if (c == 1) return linear_constant(0);
  Linear quotient, rest;
  split_multiples(a, c, quotient, rest);
  for (const auto& [atom, k] : rest.terms) {
    const Atom& inner = atoms[atom];
    int64_t step;
    if (inner.kind == AtomKind::kMod && inner.args[1].is_constant() &&
        !mul_overflow(k, inner.args[1].constant, &step) && step % c == 0) {
      // k (x % e) = k x (mod c) where c divides k e.
      Linear x = inner.args[0];
      return modulo_constant(linear_add(linear_without(rest, atom), x, k), c);
    }
  }
  if (rest.terms.empty()) return rest;
  int64_t g = std::gcd(coefficient_gcd(rest), c);
  if (g > 1) {
    int64_t low = rest.constant % g;
    return linear_offset(linear_scale(modulo_constant(linear_divide(rest, g), c / g), g), low);
  }
  Interval range = interval(rest);
  if (range.bounded() && floor_quotient(range.min, c) == floor_quotient(range.max, c)) {
    return linear_offset(rest, -floor_quotient(range.min, c) * c);
  }
  if (auto parts = partition(rest, c)) {
    return linear_add(modulo_constant(parts->multiple, c), parts->rest);
  }
  Congruence cong = congruence(rest);
  if (cong.modulus != 0 && cong.modulus % c == 0) return linear_constant(cong.residue % c);
  Linear merged = merge(rest);
  if (merged != rest) return modulo_constant(merged, c);
  return linear_atom(intern(pair_atom(AtomKind::kMod, rest, linear_constant(c))));
}

bool Analyzer::Impl::positive_divisor(const Linear& divisor, const Linear& dividend) {
  Linear goal = linear_offset(divisor, -1);
  if (prove_nonneg(goal)) return true;
  // A variable of the dividend that ranges over [low, high] shows that the range is not empty.
  for (const auto& [atom, k] : dividend.terms) {
    std::vector<AtomId> parts{atom};
    if (atoms[atom].kind == AtomKind::kProduct) parts = atoms[atom].factors;
    for (AtomId part : parts) {
      auto it = vars.find(part);
      if (it == vars.end() || it->second.low.overflow || it->second.high.overflow) continue;
      Linear width = linear_add(it->second.high, it->second.low, -1);
      if (width.terms.empty()) continue;
      if (prove_nonneg(linear_add(goal, width, -1))) return true;
    }
  }
  return false;
}

Analyzer::Impl::SymbolicSplit Analyzer::Impl::split_symbolic(const Linear& a, const Linear& b) {
  SymbolicSplit split{{}, a, a.is_constant(0)};
  if (split.complete || !positive_divisor(b, a)) return split;
  if (b.terms.size() == 1 && b.constant == 0) {
    auto [unit, scale] = b.terms[0];
    split.rest = linear_constant(a.constant);
    for (const auto& [atom, k] : a.terms) {
      auto over = divide_atom(atom, unit);
      if (!over || k % scale != 0) {
        split.rest.terms.emplace_back(atom, k);
      } else if (*over == kOne) {
        split.quotient = linear_offset(split.quotient, k / scale);
      } else {
        split.quotient = linear_add(split.quotient, linear_atom(*over, k / scale));
      }
    }
  } else if (a == b) {
    return {linear_constant(1), {}, true};
  }
  Linear& rest = split.rest;
  if (rest.is_constant(0)) {
    split.complete = true;
  } else if (prove_nonneg(rest)) {
    split.complete = prove_nonneg(linear_offset(linear_add(b, rest, -1), -1));
  } else if (prove_nonneg(linear_offset(linear_scale(rest, -1), -1)) &&
             prove_nonneg(linear_add(rest, b))) {
    // -b <= rest < 0, as in (i*n - 1) // n.
    split.quotient = linear_offset(split.quotient, -1);
    rest = linear_add(rest, b);
    split.complete = true;
  }
  return split;
}

Linear Analyzer::Impl::divide_symbolic(const Linear& a, const Linear& b) {
  SymbolicSplit split = split_symbolic(a, b);
  if (split.complete || split.rest.overflow) return split.quotient;
  return linear_add(split.quotient, linear_atom(intern(pair_atom(AtomKind::kDiv, split.rest, b))));
}

Linear Analyzer::Impl::modulo_symbolic(const Linear& a, const Linear& b) {
  SymbolicSplit split = split_symbolic(a, b);
  if (split.complete || split.rest.overflow) return split.rest;
  return linear_atom(intern(pair_atom(AtomKind::kMod, split.rest, b)));
}

}  // namespace tilewright::arith
