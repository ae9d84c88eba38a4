#include "arith/checked.h"
#include "arith/impl.h"

/// \file
/// Recombination of quotients and remainders in sums.

namespace tilewright::arith {

namespace {

// True when `form` holds scale * part, coefficient by coefficient (constants aside).
bool holds(const Linear& form, const Linear& part, int64_t scale) {
  if (part.overflow || part.terms.empty()) return false;
  for (const auto& [atom, k] : part.terms) {
    int64_t wanted;
    if (mul_overflow(k, scale, &wanted) || form.coefficient(atom) != wanted) return false;
  }
  return true;
}

// The only term is one atom with coefficient 1; the constant is free.
bool lone(const Linear& form) { return form.terms.size() == 1 && form.terms[0].second == 1; }

}  // namespace

Linear Analyzer::Impl::merge(Linear form) {
  constexpr int kMaxRounds = 16;
  for (int round = 0; round < kMaxRounds && !form.overflow; ++round) {
    if (!merge_once(form)) break;
  }
  return form;
}

// t + min(a - t, b) = min(a, b + t): a term moves inside where it cancels in half of the operands.
bool Analyzer::Impl::merge_into_choice(Linear& form, AtomId atom, int64_t sign) {
  if (magnitude(sign) != 1 || form.terms.size() < 2) return false;
  const Atom choice = atoms[atom];
  for (const auto& [term, k] : form.terms) {
    int64_t inside;
    if (term == atom || mul_overflow(k, sign, &inside) || inside == INT64_MIN) continue;
    size_t cancels = 0;
    for (const Linear& arg : choice.args) cancels += arg.coefficient(term) == -inside;
    if (cancels * 2 < choice.args.size()) continue;
    std::vector<Linear> args;
    bool usable = true;
    for (const Linear& arg : choice.args) {
      args.push_back(linear_add(arg, linear_atom(term, inside)));
      usable = usable && !args.back().overflow && exact(args.back());
    }
    if (!usable) continue;
    Linear rest = linear_without(linear_without(form, atom), term);
    form = linear_add(rest, min_max(choice.kind == AtomKind::kMax, std::move(args)), sign);
    return true;
  }
  return false;
}

bool Analyzer::Impl::merge_once(Linear& form) {
  for (const auto& [atom, s] : form.terms) {
    const Atom& a = atoms[atom];
    if (a.kind == AtomKind::kDiv && a.args[1].is_constant()) {
      int64_t c = a.args[1].constant;
      if (c <= 1 || s % c != 0) continue;
      const Linear dividend = a.args[0];
      Congruence cong = congruence(dividend);
      Linear without = linear_without(form, atom);
      if (cong.modulus % c == 0 && cong.residue % c == 0) {
        // c * (x // c) = x for a multiple x of c.
        form = linear_add(without, dividend, s / c);
        return true;
      }
      if (holds(form, dividend, -(s / c))) {
        // x - c * (x // c) = x % c
        Linear rest = linear_add(without, dividend, s / c);
        form = linear_add(rest, modulo_constant(dividend, c), -(s / c));
        return true;
      }
      continue;
    }
    if (a.kind == AtomKind::kProduct) {
      // The same for a symbolic divisor: n * (x // n) in a product.
      for (AtomId factor : a.factors) {
        const Atom& q = atoms[factor];
        if (q.kind != AtomKind::kDiv || q.args[1].terms.size() != 1) continue;
        const Linear dividend = q.args[0], divisor = q.args[1];
        if (s % divisor.terms[0].second != 0 || divisor.constant != 0) continue;
        int64_t scale = s / divisor.terms[0].second;
        auto rest = divide_atom(atom, divisor.terms[0].first);
        if (!rest || *rest != factor || !holds(form, dividend, -scale)) continue;
        Linear without = linear_add(linear_without(form, atom), dividend, scale);
        form = linear_add(without, modulo_symbolic(dividend, divisor), -scale);
        return true;
      }
      continue;
    }
    if (a.kind == AtomKind::kMin || a.kind == AtomKind::kMax) {
      if (merge_into_choice(form, atom, s)) return true;
      continue;
    }
    if (a.kind != AtomKind::kMod || form.terms.size() < 2) continue;
    const Linear dividend = a.args[0], divisor = a.args[1];
    const Linear quotient = divide(dividend, divisor);
    const Linear whole = multiply(divisor, quotient);
    if (holds(form, whole, s)) {
      // s (x % c) + s c (x // c) = s x
      Linear rest = linear_add(linear_without(form, atom), whole, -s);
      form = linear_add(rest, dividend, s);
      return true;
    }
    if (!divisor.is_constant() || !lone(quotient)) continue;
    int64_t c = divisor.constant, step, product;
    if (mul_overflow(s, c, &step)) continue;
    for (const auto& [other, k] : form.terms) {
      const Atom& b = atoms[other];
      if (k != step || b.kind != AtomKind::kMod || b.args[0] != quotient ||
          !b.args[1].is_constant() || mul_overflow(c, b.args[1].constant, &product)) {
        continue;
      }
      // s (x % c) + s c ((x // c) % e) = s (x % (c e))
      Linear rest = linear_without(linear_without(form, atom), other);
      form = linear_add(rest, modulo_constant(dividend, product), s);
      return true;
    }
  }
  return false;
}

}  // namespace tilewright::arith
