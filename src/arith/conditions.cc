#include <algorithm>

#include "arith/expr_equal.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

namespace {

bool is_junction(const Expr& expr, BinaryOp op) {
  const auto* node = expr.as<BinaryNode>();
  return node && node->op == op;
}

void flatten(const Expr& expr, BinaryOp op, std::vector<Expr>& out) {
  if (!is_junction(expr, op)) {
    out.push_back(expr);
    return;
  }
  flatten(expr.as<BinaryNode>()->a, op, out);
  flatten(expr.as<BinaryNode>()->b, op, out);
}

BinaryOp opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::kEq: return BinaryOp::kNe;
    case BinaryOp::kNe: return BinaryOp::kEq;
    case BinaryOp::kLt: return BinaryOp::kGe;
    case BinaryOp::kLe: return BinaryOp::kGt;
    case BinaryOp::kGt: return BinaryOp::kLe;
    case BinaryOp::kGe: return BinaryOp::kLt;
    case BinaryOp::kAnd: return BinaryOp::kOr;
    default: return BinaryOp::kAnd;
  }
}

Expr node(BinaryOp op, Expr a, Expr b) {
  return Expr(new BinaryNode(kBool, op, std::move(a), std::move(b)));
}

}  // namespace

std::optional<Linear> Analyzer::Impl::nonneg_form(const Expr& condition) {
  const auto* binary = condition.as<BinaryNode>();
  if (!binary || !is_comparison(binary->op) || !is_index_dtype(binary->a.dtype())) return {};
  if (binary->op == BinaryOp::kEq || binary->op == BinaryOp::kNe) return {};
  bool less = binary->op == BinaryOp::kLt || binary->op == BinaryOp::kLe;
  bool strict = binary->op == BinaryOp::kLt || binary->op == BinaryOp::kGt;
  Linear a = linearize(binary->a), b = linearize(binary->b);
  Linear form = less ? linear_add(b, a, -1) : linear_add(a, b, -1);
  if (strict) form = linear_offset(form, -1);
  form = merge(form);
  if (form.overflow || !exact(form) || !exact(a) || !exact(b)) return {};
  for (int64_t g = coefficient_gcd(form); g > 1; g = coefficient_gcd(form)) {
    form = merge(linear_divide(form, g));
  }
  return form;
}

Expr Analyzer::Impl::simplify_comparison(const BinaryNode& binary, const Expr& self) {
  DType dtype = binary.a.dtype();
  if (!is_index_dtype(dtype)) return rewrite(self);
  Expr result;
  if (auto form = nonneg_form(self)) {
    if (prove_nonneg(*form)) return make_bool(true);
    if (prove_nonneg(linear_offset(linear_scale(*form, -1), -1))) return make_bool(false);
    result = render_nonneg(*form, dtype);
  } else if (binary.op == BinaryOp::kEq || binary.op == BinaryOp::kNe) {
    bool equal = binary.op == BinaryOp::kEq;
    Linear a = linearize(binary.a), b = linearize(binary.b);
    Linear difference = merge(linear_add(a, b, -1));
    if (!difference.overflow && exact(difference) && exact(a) && exact(b)) {
      for (int64_t g = coefficient_gcd(difference); g > 1; g = coefficient_gcd(difference)) {
        if (difference.constant % g != 0) return make_bool(!equal);
        difference = merge(linear_divide(difference, g));
      }
      if (prove_zero(difference)) return make_bool(equal);
      if (prove_nonzero(difference)) return make_bool(!equal);
      result = render_equality(difference, equal, dtype);
    }
  }
  return result.defined() ? result : rewrite(self);
}

Expr Analyzer::Impl::negate(const Expr& condition) {
  if (const auto* imm = condition.as<IntImmNode>()) return make_bool(imm->value == 0);
  if (const auto* unary = condition.as<UnaryNode>(); unary && unary->op == UnaryOp::kNot) {
    return unary->a;
  }
  const auto* binary = condition.as<BinaryNode>();
  if (binary && binary->dtype == kBool) {
    if (binary->op == BinaryOp::kAnd || binary->op == BinaryOp::kOr) {
      return node(opposite(binary->op), negate(binary->a), negate(binary->b));
    }
    bool equality = binary->op == BinaryOp::kEq || binary->op == BinaryOp::kNe;
    // !(a < b) is not a >= b where one is NaN.
    if (is_comparison(binary->op) && (equality || !binary->a.dtype().is_float())) {
      return node(opposite(binary->op), binary->a, binary->b);
    }
  }
  return Expr(new UnaryNode(condition.dtype(), UnaryOp::kNot, condition));
}

Expr Analyzer::Impl::simplify_junction(const BinaryNode& binary, const Expr& self) {
  const BinaryOp op = binary.op;
  const bool conjunction = op == BinaryOp::kAnd;
  std::vector<Expr> parts, kept;
  flatten(self, op, parts);
  std::vector<std::optional<Linear>> forms;
  for (const Expr& part : parts) {
    Expr simple = simplify(part);
    if (conjunction ? is_true(simple) : is_false(simple)) continue;
    if (conjunction ? is_false(simple) : is_true(simple)) return simple;
    std::vector<Expr> inner;
    flatten(simple, op, inner);
    for (const Expr& item : inner) {
      kept.push_back(item);
      forms.push_back(nonneg_form(item));
    }
  }
  bool rescan = false;  // a condition that took an earlier place meets the ones before it again
  for (size_t i = 0; i < kept.size(); i = rescan ? 0 : i + 1) {
    rescan = false;
    Expr inverse = negate(kept[i]);
    for (size_t j = i + 1; j < kept.size();) {
      bool same = same_expr(kept[i], kept[j]);
      if (forms[i] && forms[j]) {
        // T + c >= 0 is the stronger the smaller c.
        Linear gap = linear_add(*forms[j], *forms[i], -1);
        if (gap.is_constant()) {
          if ((gap.constant < 0) == conjunction) {
            kept[i] = kept[j];
            forms[i] = forms[j];
            inverse = negate(kept[i]);
            rescan = true;
          }
          same = true;
        }
        // T + a >= 0 and -T + b >= 0 exclude each other when a + b < 0, and one holds when a + b >= -1.
        Linear sum = linear_add(*forms[j], *forms[i]);
        if (sum.is_constant() && (conjunction ? sum.constant < 0 : sum.constant >= -1)) {
          return make_bool(!conjunction);
        }
      } else if (same_expr(inverse, kept[j])) {
        return make_bool(!conjunction);
      }
      if (same) {
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(j));
        forms.erase(forms.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
  if (kept.empty()) return make_bool(conjunction);
  Expr result = kept[0];
  for (size_t i = 1; i < kept.size(); ++i) result = node(op, result, kept[i]);
  if (Expr ruled = apply_rules(result, [&](const Expr& e) { return prove(e); }); ruled.defined()) {
    return simplify(ruled);
  }
  return result;
}

Expr Analyzer::Impl::simplify_condition(const Expr& expr) {
  Expr result;
  if (const auto* binary = expr.as<BinaryNode>()) {
    if (binary->op == BinaryOp::kAnd || binary->op == BinaryOp::kOr) {
      result = simplify_junction(*binary, expr);
    } else {
      result = is_comparison(binary->op) ? simplify_comparison(*binary, expr) : rewrite(expr);
    }
  } else if (const auto* unary = expr.as<UnaryNode>(); unary && unary->op == UnaryOp::kNot) {
    Expr inner = simplify(unary->a);
    Expr negated = negate(inner);
    const auto* still = negated.as<UnaryNode>();
    bool opaque = still && still->op == UnaryOp::kNot;
    result = opaque ? rewrite(negated) : simplify(negated);
  } else {
    result = expr->kind == NodeKind::kVar ? expr : rewrite(expr);
  }
  if (!is_literal(result) && !bool_facts.empty()) {
    Expr inverse = negate(result);
    for (const Expr& fact : bool_facts) {
      if (same_expr(result, fact)) return make_bool(true);
      if (same_expr(inverse, fact)) return make_bool(false);
    }
  }
  return result;
}

bool Analyzer::Impl::prove(const Expr& condition) {
  if (const auto* imm = condition.as<IntImmNode>()) return imm->value != 0;
  if (!(condition.dtype() == kBool)) return false;
  if (const auto* binary = condition.as<BinaryNode>()) {
    if (binary->op == BinaryOp::kAnd) return prove(binary->a) && prove(binary->b);
    if (binary->op == BinaryOp::kOr && (prove(binary->a) || prove(binary->b))) return true;
    if (is_comparison(binary->op) && is_index_dtype(binary->a.dtype())) {
      if (auto form = nonneg_form(condition)) return prove_nonneg(*form, kThoroughSteps);
      Linear a = linearize(binary->a), b = linearize(binary->b);
      Linear form = merge(linear_add(a, b, -1));
      if (!form.overflow && exact(form) && exact(a) && exact(b)) {
        bool proved = binary->op == BinaryOp::kEq ? prove_zero(form, kThoroughSteps)
                                                  : prove_nonzero(form, kThoroughSteps);
        if (proved) return true;
      }
    }
  } else if (const auto* unary = condition.as<UnaryNode>(); unary && unary->op == UnaryOp::kNot) {
    Expr negated = negate(unary->a);
    if (!same_expr(negated, condition)) return prove(negated);
  }
  return is_true(simplify(condition));
}

}  // namespace tilewright::arith
