#include <algorithm>

#include "arith/checked.h"
#include "arith/impl.h"

/// \file
/// Symbolic bounds by eliminating variables, latest bound first. A bound is a Linear with overflow set
/// where nothing is known.

namespace tilewright::arith {

using namespace ir;

Linear Analyzer::Impl::lower_over(const Linear& form, Eliminate& over) {
  return linear_scale(upper_over(linear_scale(form, -1), over), -1);
}

Linear Analyzer::Impl::upper_over(Linear form, Eliminate& over) {
  constexpr int kMaxRounds = 64;
  for (int round = 0; round < kMaxRounds && !form.overflow; ++round) {
    // Compound terms first: they need no order. Then the variable bound last, since its range may
    // name earlier ones that cancel with other terms.
    const std::pair<AtomId, int64_t>* chosen = nullptr;
    uint32_t latest = 0;
    for (const auto& term : form.terms) {
      if (!depends_on(term.first, over.vars, over.dependence)) continue;
      if (atoms[term.first].kind != AtomKind::kVar) {
        chosen = &term;
        break;
      }
      auto it = vars.find(term.first);
      uint32_t order = it == vars.end() ? 0 : it->second.order;
      if (!chosen || order > latest) chosen = &term, latest = order;
    }
    if (!chosen) return form;
    auto [atom, k] = *chosen;
    Linear bound = atom_bound(atom, k > 0, over);
    // A bound that still holds the atom would loop.
    if (bound.overflow || bound.coefficient(atom) != 0) return linear_overflow();
    form = merge(linear_add(linear_without(form, atom), bound, k));
  }
  return linear_overflow();
}

Linear Analyzer::Impl::atom_bound(AtomId id, bool upper, Eliminate& over) {
  auto bound = [&](const Linear& form) {
    return upper ? upper_over(form, over) : lower_over(form, over);
  };
  auto constant_end = [&](const Interval& range) {
    int64_t end = upper ? range.max : range.min;
    bool infinite = end == Interval::kPosInf || end == Interval::kNegInf;
    return infinite ? linear_overflow() : linear_constant(end);
  };
  auto independent = [&](const Linear& form) {
    return std::none_of(form.terms.begin(), form.terms.end(), [&](const auto& term) {
      return depends_on(term.first, over.vars, over.dependence);
    });
  };
  const AtomKind kind = atoms[id].kind;
  const std::vector<Linear>& args = atoms[id].args;
  switch (kind) {
    case AtomKind::kVar: {
      auto it = vars.find(id);
      Linear known = it == vars.end() ? linear_overflow()
                     : upper          ? it->second.high
                                      : it->second.low;
      Linear end = constant_end(atom_interval(id));
      return known.overflow || known.is_constant() ? end : known;
    }
    case AtomKind::kDiv: {
      bool positive = args[1].is_constant() ? args[1].constant > 0
                                            : independent(args[1]) && positive_divisor(args[1], {});
      if (!positive) return constant_end(atom_interval(id));
      Linear end = bound(args[0]);
      return end.overflow ? constant_end(atom_interval(id)) : divide(end, args[1]);
    }
    case AtomKind::kMod: {
      if (!independent(args[1])) return constant_end(atom_interval(id));
      Linear high = upper_over(args[0], over), low = lower_over(args[0], over);
      if (!high.overflow && !low.overflow) {
        Linear first = divide(low, args[1]), last = divide(high, args[1]);
        if (!first.overflow && first == last) return modulo(upper ? high : low, args[1]);
      }
      if (args[1].is_constant()) return constant_end(atom_interval(id));
      if (!positive_divisor(args[1], {})) return linear_overflow();
      return upper ? linear_offset(args[1], -1) : linear_constant(0);
    }
    case AtomKind::kMin:
    case AtomKind::kMax: {
      std::vector<Linear> ends;
      bool known_end =
          false;  // one operand alone bounds a minimum from above, a maximum from below
      bool any = upper == (kind == AtomKind::kMin);
      for (size_t i = 0; i < args.size(); ++i) {
        Linear end = bound(args[i]);
        if (!end.overflow) ends.push_back(end), known_end = true;
        if (end.overflow && !any) return linear_overflow();
      }
      if (!known_end) return linear_overflow();
      return ends.size() == 1 ? ends[0] : min_max(kind == AtomKind::kMax, ends);
    }
    case AtomKind::kOpaque: {
      std::vector<Linear> values;
      if (!cases(id, values)) return constant_end(atom_interval(id));
      Linear a = bound(values[0]), b = bound(values[1]);
      if (a.overflow || b.overflow) return linear_overflow();
      return min_max(upper, {a, b});
    }
    case AtomKind::kProduct: return product_bound(id, upper, over);
  }
  return linear_overflow();
}

Linear Analyzer::Impl::product_bound(AtomId id, bool upper, Eliminate& over) {
  Linear fixed = linear_constant(1);
  std::vector<AtomId> moving;
  const std::vector<AtomId> factors = atoms[id].factors;
  for (AtomId factor : factors) {
    if (depends_on(factor, over.vars, over.dependence)) {
      moving.push_back(factor);
    } else {
      fixed = multiply(fixed, linear_atom(factor));
    }
  }
  Interval sign = interval(fixed);
  if (sign.min < 0 && sign.max > 0) return linear_overflow();
  const bool side = sign.min >= 0 ? upper : !upper;
  Linear result = fixed;
  for (AtomId factor : moving) {
    Linear end = atom_bound(factor, side, over);
    // Ends of several factors multiply only where neither the factors nor their ends are negative.
    bool nonneg = atom_interval(factor).min >= 0 && interval(end).min >= 0;
    if (end.overflow || (moving.size() > 1 && !nonneg)) return linear_overflow();
    result = multiply(result, end);
  }
  return result;
}

SymbolicInterval Analyzer::bounds_over(const Expr& expr, const std::vector<Var>& over) const {
  if (!is_index_dtype(expr.dtype())) return {};
  Impl::Eliminate eliminate;
  for (const Var& var : over) eliminate.vars.push_back(impl_->var_atom(var));
  Linear form = impl_->linearize(expr);
  auto finish = [&](Linear bound) {
    return bound.overflow ? Expr() : impl_->render(impl_->merge(std::move(bound)), expr.dtype());
  };
  return {finish(impl_->lower_over(form, eliminate)), finish(impl_->upper_over(form, eliminate))};
}

}  // namespace tilewright::arith
