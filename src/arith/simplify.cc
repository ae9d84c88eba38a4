#include "arith/expr_equal.h"
#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

namespace {

// Simplifies each child of one node.
class Children final : public Mutator {
 public:
  using Mutator::mutate;
  explicit Children(Analyzer::Impl& impl) : impl_(impl) {}
  Expr mutate(const Expr& expr) override { return impl_.simplify(expr); }
  Expr of(const Expr& expr) { return Mutator::mutate(expr); }

 private:
  Analyzer::Impl& impl_;
};

bool is_integer_division(BinaryOp op) {
  return op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod || op == BinaryOp::kTruncDiv ||
         op == BinaryOp::kTruncMod;
}

// Division by zero gives zero; substituting a value may make the zero a constant.
bool is_zero(const Expr& expr) {
  const auto* broadcast = expr.as<BroadcastNode>();
  return is_const_int(broadcast ? broadcast->value : expr, 0);
}

bool is_leaf(NodeKind kind) {
  return kind == NodeKind::kIntImm || kind == NodeKind::kFloatImm || kind == NodeKind::kStringImm ||
         kind == NodeKind::kVar;
}

}  // namespace

Expr Analyzer::Impl::rewrite(const Expr& expr) {
  if (is_leaf(expr->kind)) return expr;
  Expr result = Children(*this).of(expr);
  if (const auto* binary = result.as<BinaryNode>()) {
    if (is_integer_division(binary->op) && is_zero(binary->b)) return make_zero(binary->dtype);
    if (Expr folded = fold_binary(binary->op, binary->a, binary->b); folded.defined())
      return folded;
  } else if (const auto* unary = result.as<UnaryNode>()) {
    if (Expr folded = fold_unary(unary->op, unary->a); folded.defined()) return folded;
  } else if (const auto* cast = result.as<CastNode>()) {
    if (cast->value.dtype() == cast->dtype) return cast->value;
    if (is_literal(cast->value)) {
      if (Expr folded = fold_cast(cast->dtype, cast->value); folded.defined()) return folded;
    }
  }
  Expr ruled = apply_rules(result, [&](const Expr& e) { return prove(e); });
  return ruled.defined() ? simplify(ruled) : result;
}

Expr Analyzer::Impl::simplify(const Expr& expr) {
  if (!expr.defined() || (is_leaf(expr->kind) && expr->kind != NodeKind::kVar)) return expr;
  auto found = simplify_memo.find(expr.get());
  if (found != simplify_memo.end()) return found->second.second;
  Expr result = simplify_uncached(expr);
  if (same_expr(result, expr)) result = expr;
  simplify_memo[expr.get()] = {expr, result};
  return result;
}

Expr Analyzer::Impl::simplify_uncached(const Expr& expr) {
  DType dtype = expr.dtype();
  if (dtype == kBool) return simplify_condition(expr);
  if (!dtype.is_scalar() && expr->kind != NodeKind::kVar) return simplify_vector(expr);
  if (!is_index_dtype(dtype)) return expr->kind == NodeKind::kVar ? expr : rewrite(expr);
  if (const auto* cast = expr.as<CastNode>(); cast && cast->value.dtype() == kInt32) {
    // Narrow arithmetic inside one conversion stays narrow.
    Expr inner = simplify(cast->value);
    if (!is_literal(inner) && inner->kind != NodeKind::kCast) {
      return same_expr(inner, cast->value) ? expr : Expr(new CastNode(dtype, inner));
    }
  }
  Linear form = linearize(expr);
  Expr result = render(form, dtype);
  return result.defined() ? result : rewrite(expr);
}

}  // namespace tilewright::arith
