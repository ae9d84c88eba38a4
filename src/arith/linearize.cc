#include <algorithm>

#include "arith/checked.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

Linear Analyzer::Impl::var_form(const Expr& var) {
  AtomId id = var_atom(var);
  auto it = vars.find(id);
  if (it != vars.end()) {
    const VarInfo& info = it->second;
    if (info.value) return *info.value;
    if (!info.low.overflow && info.low == info.high) return info.low;
  }
  if (!interval_facts.empty() || !congruence_facts.empty()) {
    Interval range = atom_interval(id);
    if (range.min == range.max) return linear_constant(range.min);
  }
  return linear_atom(id);
}

Linear Analyzer::Impl::linearize(const Expr& expr) {
  if (auto* imm = expr.as<IntImmNode>()) return linear_constant(imm->value);
  auto found = linear_memo.find(expr.get());
  if (found != linear_memo.end()) return found->second.second;
  Linear form = expr->kind == NodeKind::kVar ? var_form(expr) : merge(linearize_uncached(expr));
  if (form.overflow) form = linearize_opaque(expr);
  linear_memo[expr.get()] = {expr, form};
  return form;
}

Linear Analyzer::Impl::linearize_uncached(const Expr& expr) {
  switch (expr->kind) {
    case NodeKind::kCast: return linearize_cast(*expr.as<CastNode>(), expr);
    case NodeKind::kBinary: {
      Linear form = linearize_binary(*expr.as<BinaryNode>(), expr);
      // int32 arithmetic is exact only where no value leaves int32.
      if (expr.dtype().bits == 32 && !form.overflow &&
          !interval_within(interval(form), interval_of_dtype(expr.dtype()))) {
        return linear_overflow();
      }
      return form;
    }
    case NodeKind::kUnary: {
      const auto* unary = expr.as<UnaryNode>();
      if (unary->op != UnaryOp::kNeg) return linearize_opaque(expr);
      Linear form = linear_scale(linearize(unary->a), -1);
      if (expr.dtype().bits == 32 &&
          !interval_within(interval(form), interval_of_dtype(expr.dtype()))) {
        return linear_overflow();
      }
      return form;
    }
    default: return linearize_opaque(expr);
  }
}

Linear Analyzer::Impl::linearize_cast(const CastNode& node, const Expr& self) {
  DType from = node.value.dtype();
  if (node.dtype.bits == 64 && from == kInt32) {
    // int64(int32(x)) is x where x fits.
    if (auto* inner = node.value.as<CastNode>(); inner && inner->value.dtype() == kInt64) {
      Linear form = linearize(inner->value);
      if (interval_within(interval(form), interval_of_dtype(kInt32))) return form;
    }
    return linearize(node.value);
  }
  if (from == node.dtype) return linearize(node.value);
  return linearize_opaque(self);
}

Linear Analyzer::Impl::linearize_binary(const BinaryNode& node, const Expr&) {
  if (is_comparison(node.op)) return linear_overflow();
  Linear a = linearize(node.a), b = linearize(node.b);
  switch (node.op) {
    case BinaryOp::kAdd: return linear_add(a, b);
    case BinaryOp::kSub: return linear_add(a, b, -1);
    case BinaryOp::kMul: return multiply(a, b);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      if (b.is_constant(0)) return b;
      if (!exact(a) || !exact(b)) return linear_overflow();
      return node.op == BinaryOp::kFloorDiv ? divide(a, b) : modulo(a, b);
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
      if (b.is_constant(0)) return b;
      // Equal to the floor forms only for operands of one sign.
      if (!exact(a) || !exact(b) || !prove_nonneg(a) || !prove_nonneg(linear_offset(b, -1))) {
        return linear_overflow();
      }
      return node.op == BinaryOp::kTruncDiv ? divide(a, b) : modulo(a, b);
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      if (!exact(a) || !exact(b)) return linear_overflow();
      return min_max(node.op == BinaryOp::kMax, {a, b});
    case BinaryOp::kShl:
    case BinaryOp::kShr:
    case BinaryOp::kBitAnd: return linearize_bits(node.op, a, b, node.dtype.bits);
    default: return linear_overflow();
  }
}

// Shifts and masks of indices (not of data, whose instructions they are) as arithmetic.
Linear Analyzer::Impl::linearize_bits(BinaryOp op, const Linear& a, const Linear& b, int bits) {
  bool data = std::any_of(a.terms.begin(), a.terms.end(),
                          [&](const auto& term) { return atoms[term.first].data; });
  if (data || a.overflow || !b.is_constant() || b.constant < 0) return linear_overflow();
  int64_t c = b.constant;
  if (op == BinaryOp::kBitAnd) {
    bool mask = c < INT64_MAX && (c & (c + 1)) == 0;
    return mask ? modulo_constant(a, c + 1) : linear_overflow();
  }
  if (c >= bits - 1) return linear_overflow();
  return op == BinaryOp::kShl ? linear_scale(a, int64_t{1} << c)
                              : divide_constant(a, int64_t{1} << c);
}

Linear Analyzer::Impl::linearize_opaque(const Expr& expr) {
  Expr simple = rewrite(expr);
  if (auto* imm = simple.as<IntImmNode>()) return linear_constant(imm->value);
  const auto* before = expr.as<BinaryNode>();
  const auto* after = simple.as<BinaryNode>();
  bool same = before && after ? before->op == after->op : expr->kind == simple->kind;
  return same ? linear_atom(opaque_atom(simple)) : linearize(simple);
}

Linear Analyzer::Impl::multiply(const Linear& a, const Linear& b) {
  if (a.overflow || b.overflow) return linear_overflow();
  if (a.terms.empty()) return linear_scale(b, a.constant);
  if (b.terms.empty()) return linear_scale(a, b.constant);
  constexpr size_t kMaxTerms = 32;
  if (a.terms.size() * b.terms.size() > kMaxTerms) return linear_overflow();
  Linear result = linear_add(linear_scale(a, b.constant), linear_scale(b, a.constant));
  int64_t both;
  if (mul_overflow(a.constant, b.constant, &both)) return linear_overflow();
  result = linear_offset(result, -both);  // counted twice above
  for (const auto& [x, kx] : a.terms) {
    for (const auto& [y, ky] : b.terms) {
      int64_t k;
      if (mul_overflow(kx, ky, &k)) return linear_overflow();
      result = linear_add(result, linear_atom(product_atom(x, y), k));
    }
  }
  return result;
}

}  // namespace tilewright::arith
