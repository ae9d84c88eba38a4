#include <algorithm>

#include "arith/checked.h"
#include "arith/expr_equal.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

void Analyzer::Impl::facts_changed() {
  ++version;
  linear_memo.clear();
  simplify_memo.clear();
}

void Analyzer::Impl::bind(const Var& var, const Linear& low, const Linear& high) {
  const size_t known = atoms.size();
  AtomId id = var_atom(var);
  VarInfo& info = vars[id];
  info.low = low;
  info.high = high;
  info.value.reset();
  info.order = ++bind_count;
  if (atoms.size() == known) facts_changed();  // nothing remembered is about a new variable
}

void Analyzer::Impl::bind_value(const Var& var, const Expr& value) {
  Linear form = linearize(value);
  AtomId id = var_atom(var);
  VarInfo& info = vars[id];
  info = VarInfo{};
  info.order = ++bind_count;
  // A variable in its own value would never come to rest.
  std::unordered_map<AtomId, bool> memo;
  bool cyclic = std::any_of(form.terms.begin(), form.terms.end(),
                            [&](const auto& term) { return depends_on(term.first, {id}, memo); });
  if (!cyclic) info.value = form;
  facts_changed();
}

void Analyzer::Impl::assume(const Expr& condition) {
  if (is_true(condition)) return;
  const auto* binary = condition.as<BinaryNode>();
  if (binary && binary->op == BinaryOp::kAnd) {
    assume(binary->a);
    assume(binary->b);
    return;
  }
  if (const auto* unary = condition.as<UnaryNode>(); unary && unary->op == UnaryOp::kNot) {
    Expr negated = negate(unary->a);
    const auto* still = negated.as<UnaryNode>();
    if (!still || still->op != UnaryOp::kNot) return assume(negated);
  }
  if (const auto* c = condition.as<CallNode>(); c && c->intrinsic == Intrinsic::kLikely) {
    return assume(c->args[0]);
  }
  if (binary && is_comparison(binary->op) && is_index_dtype(binary->a.dtype())) {
    Linear a = linearize(binary->a), b = linearize(binary->b);
    Linear difference = merge(linear_add(a, b, -1));
    if (!difference.overflow && exact(difference) && exact(a) && exact(b)) {
      if (auto form = nonneg_form(condition)) return assume_nonneg(*form);
      if (binary->op == BinaryOp::kEq) return assume_zero(difference);
      if (binary->op == BinaryOp::kNe) return assume_nonzero(difference, condition);
    }
  }
  bool_facts.push_back(simplify(condition));
  facts_changed();
}

void Analyzer::Impl::assume_nonneg(const Linear& input) {
  Linear form = input;
  int64_t g = coefficient_gcd(form);
  if (form.overflow || g == 0) return;
  if (g > 1) form = linear_divide(form, g);
  if (form.terms.size() == 1) {
    auto [atom, k] = form.terms[0];  // k is 1 or -1
    Interval known;
    if (k > 0) {
      if (form.constant != INT64_MIN) known.min = -form.constant;
    } else {
      known.max = form.constant;
    }
    auto [it, fresh] = interval_facts.emplace(atom, known);
    if (!fresh) it->second = interval_intersect(it->second, known);
    // A bound of a quotient, remainder or product says more about its parts than the interval does.
    if (atoms[atom].kind != AtomKind::kVar) facts.push_back(form);
  } else {
    facts.push_back(form);
  }
  facts_changed();
}

void Analyzer::Impl::assume_zero(const Linear& form) {
  if (form.terms.empty()) return;
  if (form.terms.size() == 1) {
    auto [id, k] = form.terms[0];
    const Atom& atom = atoms[id];
    bool remainder = atom.kind == AtomKind::kMod && atom.args[1].is_constant() &&
                     atom.args[0].terms.size() == 1 && magnitude(atom.args[0].terms[0].second) == 1;
    if (remainder && magnitude(k) == 1) {
      // (s*t + c) % m == r, so t = s*(r - c) modulo m.
      auto [term, s] = atom.args[0].terms[0];
      int64_t m = atom.args[1].constant;
      int64_t r = floor_remainder(-form.constant * k - atom.args[0].constant, m);
      Congruence known{m, floor_remainder(s * r, m)};
      auto [it, fresh] = congruence_facts.emplace(term, known);
      if (!fresh) it->second = congruence_meet(it->second, known);
      facts_changed();
      return;
    }
  }
  assume_nonneg(form);
  assume_nonneg(linear_scale(form, -1));
}

void Analyzer::Impl::assume_nonzero(const Linear& form, const Expr& condition) {
  if (prove_nonneg(form)) return assume_nonneg(linear_offset(form, -1));
  Linear negative = linear_scale(form, -1);
  if (prove_nonneg(negative)) return assume_nonneg(linear_offset(negative, -1));
  bool_facts.push_back(simplify(condition));
  facts_changed();
}

}  // namespace tilewright::arith
