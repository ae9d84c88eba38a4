#include "arith/linear.h"

#include <algorithm>

#include "arith/checked.h"

namespace tilewright::arith {

int64_t Linear::coefficient(AtomId atom) const {
  auto it = std::lower_bound(terms.begin(), terms.end(), atom,
                             [](const auto& term, AtomId id) { return term.first < id; });
  return it != terms.end() && it->first == atom ? it->second : 0;
}

Linear linear_constant(int64_t value) {
  Linear result;
  result.constant = value;
  return result;
}

Linear linear_atom(AtomId atom, int64_t coefficient) {
  Linear result;
  if (coefficient != 0) result.terms.emplace_back(atom, coefficient);
  return result;
}

Linear linear_overflow() {
  Linear result;
  result.overflow = true;
  return result;
}

Linear linear_add(const Linear& a, const Linear& b, int64_t scale) {
  if (a.overflow || b.overflow) return linear_overflow();
  Linear result;
  result.terms.reserve(a.terms.size() + b.terms.size());
  int64_t product;
  if (mul_overflow(b.constant, scale, &product) ||
      add_overflow(a.constant, product, &result.constant)) {
    return linear_overflow();
  }
  auto i = a.terms.begin();
  auto j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      result.terms.push_back(*i++);
      continue;
    }
    if (mul_overflow(j->second, scale, &product)) return linear_overflow();
    AtomId atom = j->first;
    if (i != a.terms.end() && i->first == atom) {
      if (add_overflow(product, i->second, &product)) return linear_overflow();
      ++i;
    }
    ++j;
    if (product != 0) result.terms.emplace_back(atom, product);
  }
  return result;
}

Linear linear_scale(const Linear& a, int64_t scale) { return linear_add({}, a, scale); }

Linear linear_offset(Linear a, int64_t offset) {
  if (add_overflow(a.constant, offset, &a.constant)) return linear_overflow();
  return a;
}

Linear linear_without(const Linear& a, AtomId atom) {
  Linear result = a;
  std::erase_if(result.terms, [&](const auto& term) { return term.first == atom; });
  return result;
}

int64_t coefficient_gcd(const Linear& a) {
  int64_t g = 0;
  for (const auto& [atom, k] : a.terms) {
    if (k == INT64_MIN) return 1;
    g = std::gcd(g, k);
    if (g == 1) break;
  }
  return g;
}

Linear linear_divide(const Linear& a, int64_t divisor) {
  Linear result = a;
  for (auto& [atom, k] : result.terms) k /= divisor;
  result.constant = floor_quotient(a.constant, divisor);
  return result;
}

size_t linear_hash(const Linear& a) {
  uint64_t h = static_cast<uint64_t>(a.constant) * 0x9e3779b97f4a7c15ull;
  for (const auto& [atom, k] : a.terms) {
    h = (h ^ atom) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ static_cast<uint64_t>(k)) * 0x94d049bb133111ebull;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace tilewright::arith
