#include <algorithm>
#include <numeric>

#include "arith/checked.h"
#include "arith/impl.h"

/// \file
/// Proofs of linear inequalities by elimination (Fourier-Motzkin on demand): a term that keeps the
/// interval from being decisive is cancelled with a known inequality, under a budget of steps.

namespace tilewright::arith {

using namespace ir;

void Analyzer::Impl::inequalities(AtomId id, int sign, std::vector<Linear>& out) {
  auto add = [&](const Linear& form) {
    int64_t k = form.coefficient(id);
    if (!form.overflow && (sign > 0 ? k > 0 : k < 0)) out.push_back(form);
  };
  const AtomKind kind = atoms[id].kind;
  const std::vector<Linear>& args = atoms[id].args;
  const Linear self = linear_atom(id);
  switch (kind) {
    case AtomKind::kVar: {
      auto it = vars.find(id);
      if (it == vars.end()) break;
      if (sign > 0 && !it->second.low.terms.empty()) add(linear_add(self, it->second.low, -1));
      if (sign < 0 && !it->second.high.terms.empty()) add(linear_add(it->second.high, self, -1));
      break;
    }
    case AtomKind::kDiv: {
      if (!args[1].is_constant() || args[1].constant <= 0) break;
      int64_t c = args[1].constant;
      Linear gap = linear_add(args[0], self, -c);  // x - c * (x // c), in [0, c)
      if (sign < 0) {
        add(gap);
      } else {
        Congruence cong = congruence(args[0]);
        int64_t most = cong.modulus % c == 0 ? floor_remainder(cong.residue, c) : c - 1;
        add(linear_offset(linear_scale(gap, -1), most));
      }
      break;
    }
    case AtomKind::kMod:
      if (sign > 0) break;
      // A proof inside of a proof, which may meet this remainder again.
      if (inner_proofs == 0) {
        ++inner_proofs;
        const bool nonneg = prove_nonneg(args[0], 4);
        --inner_proofs;
        if (nonneg && interval(args[1]).min > 0) add(linear_add(args[0], self, -1));
      }
      if (!args[1].is_constant() && interval(args[1]).min > 0) {
        add(linear_offset(linear_add(args[1], self, -1), -1));
      }
      break;
    case AtomKind::kMin:
      if (sign < 0) {
        for (const Linear& arg : args) add(linear_add(arg, self, -1));
      }
      break;
    case AtomKind::kMax:
      if (sign > 0) {
        for (const Linear& arg : args) add(linear_add(self, arg, -1));
      }
      break;
    case AtomKind::kProduct: {
      const std::vector<AtomId> factors = atoms[id].factors;
      for (size_t i = 0; i < factors.size(); ++i) {
        if (i > 0 && factors[i] == factors[i - 1]) continue;
        std::optional<AtomId> rest = divide_atom(id, factors[i]);
        if (!rest || *rest == kOne || atom_interval(*rest).min < 0) continue;
        std::vector<Linear> inner;
        inequalities(factors[i], sign, inner);
        for (const Linear& form : inner) add(multiply(form, linear_atom(*rest)));
        // n * (x // n) lies in (x - n, x].
        const Atom& q = atoms[factors[i]];
        if (q.kind == AtomKind::kDiv && q.args[1].is_atom() && q.args[1].terms[0].first == *rest &&
            atom_interval(*rest).min > 0) {
          Linear gap = linear_add(q.args[0], self, -1);
          add(sign < 0 ? gap : linear_offset(linear_add(q.args[1], gap, -1), -1));
        }
      }
      break;
    }
    case AtomKind::kOpaque: break;
  }
  for (const Linear& fact : facts) add(fact);
}

bool Analyzer::Impl::cases(AtomId id, std::vector<Linear>& out) {
  const Atom& atom = atoms[id];
  if (atom.kind == AtomKind::kMin || atom.kind == AtomKind::kMax) {
    out = atom.args;
    return true;
  }
  Expr expr = atom.expr;
  if (atom.kind != AtomKind::kOpaque) return false;
  if (auto* select = expr.as<SelectNode>()) {
    out = {linearize(select->true_value), linearize(select->false_value)};
    return true;
  }
  if (auto* lazy = expr.as<IfThenElseNode>()) {
    out = {linearize(lazy->true_value), linearize(lazy->false_value)};
    return true;
  }
  return false;
}

bool Analyzer::Impl::search_nonneg(Linear form, int& steps, int depth) {
  if (form.overflow) return false;
  int64_t g = coefficient_gcd(form);
  if (g > 1) form = linear_divide(form, g);
  if (form.terms.empty()) return form.constant >= 0;
  Interval range = interval(form);
  if (range.min >= 0) return true;
  if (range.max < 0 || depth <= 0) return false;
  // Terms that make the interval unbounded first, among them the one interned last: its bounds may name
  // the others.
  for (bool blocking : {true, false}) {
    int tried = 0;
    for (auto it = form.terms.rbegin(); it != form.terms.rend(); ++it) {
      auto [atom, k] = *it;
      bool blocks = interval_scale(atom_interval(atom), k).min == Interval::kNegInf;
      if (blocks != blocking) continue;
      int found = eliminate(form, atom, k, steps, depth);
      if (found > 0) return true;
      if (found < 0 && ++tried >= 3) break;
      if (steps <= 0) return false;
    }
  }
  return false;
}

// Tries to prove `form` >= 0 by cancelling one term: 1 when proved, -1 when not, 0 when nothing is known
// about the term.
int Analyzer::Impl::eliminate(const Linear& form, AtomId atom, int64_t k, int& steps, int depth) {
  std::vector<Linear> options;
  inequalities(atom, k > 0 ? 1 : -1, options);
  for (const Linear& fact : options) {
    if (--steps <= 0) return -1;
    int64_t f = magnitude(fact.coefficient(atom));
    if (f <= 0) continue;
    int64_t common = std::gcd(f, k);
    Linear next = linear_add(linear_scale(form, f / common), fact, -(magnitude(k) / common));
    if (search_nonneg(std::move(next), steps, depth - 1)) return 1;
  }
  if (!options.empty()) return -1;
  if (!cases(atom, options)) return 0;
  Linear rest = linear_without(form, atom);
  bool all = std::all_of(options.begin(), options.end(), [&](const Linear& value) {
    return --steps > 0 && search_nonneg(linear_add(rest, value, k), steps, depth - 1);
  });
  return all ? 1 : -1;
}

bool Analyzer::Impl::prove_nonneg(const Linear& form, int steps) {
  constexpr int kMaxDepth = 8;
  if (form.overflow) return false;
  // A value that is r modulo m is >= 0 as soon as it is > r - m.
  Congruence cong = congruence(form);
  int64_t slack = cong.modulus > 1 ? cong.modulus - 1 - cong.residue : 0;
  return search_nonneg(linear_offset(form, slack), steps, kMaxDepth);
}

bool Analyzer::Impl::prove_zero(const Linear& form, int steps) {
  if (form.is_constant()) return form.constant == 0;
  if (form.overflow) return false;
  return prove_nonneg(form, steps) && prove_nonneg(linear_scale(form, -1), steps);
}

bool Analyzer::Impl::prove_nonzero(const Linear& form, int steps) {
  if (form.is_constant()) return form.constant != 0;
  if (form.overflow) return false;
  Congruence cong = congruence(form);
  if (cong.modulus == 0 ? cong.residue != 0 : cong.residue % cong.modulus != 0) return true;
  return prove_nonneg(linear_offset(form, -1), steps) ||
         prove_nonneg(linear_offset(linear_scale(form, -1), -1), steps);
}

}  // namespace tilewright::arith
