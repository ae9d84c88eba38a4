#include <algorithm>
#include <numeric>

#include "arith/checked.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

namespace {

// Interval of an opaque expression from its operation.
Interval opaque_interval(Analyzer::Impl& self, const Expr& expr) {
  Interval dtype = interval_of_dtype(expr.dtype());
  auto of = [&](const Expr& e) {
    return is_index_dtype(e.dtype()) ? self.interval(self.linearize(e))
                                     : interval_of_dtype(e.dtype());
  };
  if (auto* select = expr.as<SelectNode>()) {
    return interval_union(of(select->true_value), of(select->false_value));
  }
  if (auto* lazy = expr.as<IfThenElseNode>()) {
    return interval_union(of(lazy->true_value), of(lazy->false_value));
  }
  if (auto* cast = expr.as<CastNode>()) {
    if (!cast->value.dtype().is_integer() && !cast->value.dtype().is_bool()) return dtype;
    if (cast->value.dtype().is_uint() && cast->value.dtype().bits == 64) return dtype;
    Interval source = of(cast->value);
    return interval_within(source, dtype) ? source : dtype;
  }
  if (auto* binary = expr.as<BinaryNode>()) {
    const int64_t* c = as_const_int(binary->b);
    if (!c) return dtype;
    switch (binary->op) {
      case BinaryOp::kFloorMod:
        if (*c > 0) return {0, *c - 1};
        break;
      case BinaryOp::kTruncMod:
        if (*c > 0) return of(binary->a).min >= 0 ? Interval{0, *c - 1} : Interval{1 - *c, *c - 1};
        break;
      case BinaryOp::kBitAnd:
        if (*c >= 0) return {0, *c};
        break;
      case BinaryOp::kTruncDiv: {
        Interval a = of(binary->a);
        if (*c <= 0 || !a.bounded()) break;
        return {a.min / *c, a.max / *c};
      }
      case BinaryOp::kShr: {
        Interval a = of(binary->a);
        if (*c < 0 || *c >= expr.dtype().bits || !a.bounded()) break;
        return {a.min >> *c, a.max >> *c};
      }
      default: break;
    }
  }
  return dtype;
}

}  // namespace

Interval Analyzer::Impl::interval(const Linear& form) {
  if (form.overflow) return kEverything;
  Interval sum{form.constant, form.constant};
  for (const auto& [atom, k] : form.terms) {
    sum = interval_add(sum, interval_scale(atom_interval(atom), k));
    if (sum.min == Interval::kNegInf && sum.max == Interval::kPosInf) break;
  }
  return sum;
}

Interval Analyzer::Impl::atom_interval(AtomId id) {
  if (atoms[id].interval_version == version) return atoms[id].interval;
  // A bound that comes back to what it bounds says nothing.
  if (atoms[id].interval_busy) return Interval();
  atoms[id].interval_busy = true;
  Interval result;
  const AtomKind kind = atoms[id].kind;
  // Evaluation may intern atoms; references into a deque stay valid when it grows.
  const std::vector<Linear>& args = atoms[id].args;
  switch (kind) {
    case AtomKind::kVar: {
      result = interval_of_dtype(atoms[id].expr.dtype());
      auto it = vars.find(id);
      if (it != vars.end()) {
        result = interval_intersect(result,
                                    {interval(it->second.low).min, interval(it->second.high).max});
      }
      break;
    }
    case AtomKind::kProduct: {
      result = {1, 1};
      const std::vector<AtomId>& factors = atoms[id].factors;
      for (size_t i = 0; i < factors.size();) {
        size_t next = i;
        Interval base = atom_interval(factors[i]), power{1, 1};
        while (next < factors.size() && factors[next] == factors[i]) {
          power = interval_mul(power, base);
          ++next;
        }
        if ((next - i) % 2 == 0) power.min = std::max<int64_t>(power.min, 0);
        result = interval_mul(result, power);
        i = next;
      }
      break;
    }
    case AtomKind::kDiv: result = interval_div(interval(args[0]), interval(args[1])); break;
    case AtomKind::kMod: {
      result = interval_mod(interval(args[0]), interval(args[1]));
      break;
    }
    case AtomKind::kMin:
    case AtomKind::kMax:
      result = interval(args[0]);
      for (size_t i = 1; i < args.size(); ++i) {
        Interval other = interval(args[i]);
        result = kind == AtomKind::kMin ? interval_min(result, other) : interval_max(result, other);
      }
      break;
    case AtomKind::kOpaque: result = opaque_interval(*this, Expr(atoms[id].expr)); break;
  }
  auto fact = interval_facts.find(id);
  if (fact != interval_facts.end()) result = interval_intersect(result, fact->second);
  if (kind == AtomKind::kVar) result = tighten(result, atom_congruence(id));
  atoms[id].interval_busy = false;
  atoms[id].interval = result;
  atoms[id].interval_version = version;
  return result;
}

Congruence Analyzer::Impl::congruence(const Linear& form) {
  if (form.overflow) return {};
  Congruence sum{0, form.constant};
  for (const auto& [atom, k] : form.terms) {
    sum = congruence_add(sum, congruence_mul(atom_congruence(atom), {0, k}));
    if (sum.modulus == 1) break;
  }
  return sum;
}

Congruence Analyzer::Impl::atom_congruence(AtomId id) {
  if (atoms[id].congruence_version == version) return atoms[id].congruence;
  Congruence result;
  const AtomKind kind = atoms[id].kind;
  const std::vector<Linear>& args = atoms[id].args;
  switch (kind) {
    case AtomKind::kVar: {
      auto it = vars.find(id);
      // A range of one value.
      if (it != vars.end() && it->second.low.is_constant() && it->second.low == it->second.high) {
        result = {0, it->second.low.constant};
      }
      break;
    }
    case AtomKind::kProduct:
      result = {0, 1};
      for (AtomId factor : atoms[id].factors) {
        result = congruence_mul(result, atom_congruence(factor));
      }
      break;
    case AtomKind::kDiv:
      if (args[1].is_constant() && args[1].constant > 0) {
        result = congruence_div(congruence(args[0]), args[1].constant);
      }
      break;
    case AtomKind::kMod:
      if (args[1].is_constant() && args[1].constant > 0) {
        result = congruence_mod(congruence(args[0]), args[1].constant);
      } else if (interval(args[1]).min > 0) {
        // x % n is x minus a multiple of n, hence of what always divides n. (x % 0 is 0.)
        Congruence divisor = congruence(args[1]);
        int64_t unit = std::gcd(divisor.modulus, divisor.residue);
        Congruence x = congruence(args[0]);
        int64_t m = std::gcd(x.modulus, unit);
        if (m > 0) result = {m, floor_remainder(x.residue, m)};
      }
      break;
    case AtomKind::kMin:
    case AtomKind::kMax:
      result = congruence(args[0]);
      for (size_t i = 1; i < args.size(); ++i)
        result = congruence_join(result, congruence(args[i]));
      break;
    case AtomKind::kOpaque: {
      Expr expr = atoms[id].expr;
      const auto* select = expr.as<SelectNode>();
      const auto* lazy = expr.as<IfThenElseNode>();
      if (select || lazy) {
        result = congruence_join(
            congruence(linearize(select ? select->true_value : lazy->true_value)),
            congruence(linearize(select ? select->false_value : lazy->false_value)));
      }
      break;
    }
  }
  auto fact = congruence_facts.find(id);
  if (fact != congruence_facts.end()) result = congruence_meet(result, fact->second);
  atoms[id].congruence = result;
  atoms[id].congruence_version = version;
  return result;
}

int64_t Analyzer::Impl::upper_constant(const Linear& form, int& steps, int depth) {
  if (form.overflow) return Interval::kPosInf;
  int64_t best = interval(form).max;
  if (form.is_constant() || depth <= 0) return best;
  std::vector<Linear> options;
  for (auto it = form.terms.rbegin(); it != form.terms.rend(); ++it) {
    auto [atom, k] = *it;
    AtomKind kind = atoms[atom].kind;
    bool worth = kind != AtomKind::kOpaque && kind != AtomKind::kMod;
    bool unbounded = interval_scale(atom_interval(atom), k).max == Interval::kPosInf;
    if (!worth || (!unbounded && kind != AtomKind::kMin && kind != AtomKind::kMax)) continue;
    options.clear();
    inequalities(atom, k > 0 ? -1 : 1, options);
    for (const Linear& fact : options) {
      if (--steps <= 0) return best;
      int64_t f = magnitude(fact.coefficient(atom));
      if (f <= 0) continue;
      // f * form <= f * form + |k| * fact, which no longer holds the atom.
      Linear bound = linear_add(linear_scale(form, f), fact, magnitude(k));
      int64_t upper = upper_constant(bound, steps, depth - 1);
      if (upper != Interval::kPosInf) best = std::min(best, floor_quotient(upper, f));
    }
    if (unbounded) break;
  }
  return best;
}

Interval Analyzer::Impl::refined_interval(const Linear& form) {
  Interval base = interval(form);
  bool choices = std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
    return atoms[term.first].kind == AtomKind::kMin || atoms[term.first].kind == AtomKind::kMax;
  });
  if (form.terms.size() > 1 || choices) {
    int steps = 64;
    if (base.max == Interval::kPosInf || choices) base.max = upper_constant(form, steps, 5);
    steps = 64;
    if (base.min == Interval::kNegInf || choices) {
      int64_t upper = upper_constant(linear_scale(form, -1), steps, 5);
      if (upper != Interval::kPosInf) base.min = std::max(base.min, -upper);
    }
  }
  return tighten(base, congruence(form));
}

}  // namespace tilewright::arith
