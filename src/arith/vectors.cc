#include "arith/impl.h"

/// \file
/// Index vectors: what is base + lane * stride becomes a ramp or a broadcast.

namespace tilewright::arith {

using namespace ir;

namespace {

bool is_index_vector(DType dtype) { return dtype.is_int() && dtype.bits >= 32 && dtype.lanes > 1; }

}  // namespace

// floor_div or floor_mod of base + lane * stride by the scalar `divisor`: exact where every lane stays
// within one multiple of the divisor, or where the stride is a multiple of it.
std::optional<Analyzer::Impl::Lanes> Analyzer::Impl::divide_lanes(const Lanes& a,
                                                                  const Linear& divisor,
                                                                  bool remainder, int lanes) {
  if (!exact(a.base) || !exact(a.stride) || !prove_nonneg(linear_offset(divisor, -1))) return {};
  Linear step = divide(a.stride, divisor);
  Linear whole = linear_add(a.stride, multiply(step, divisor), -1);
  Linear quotient = divide(a.base, divisor), rest = modulo(a.base, divisor);
  if (step.overflow || quotient.overflow || rest.overflow) return {};
  if (whole.is_constant(0)) {
    return remainder ? Lanes{rest, linear_constant(0)} : Lanes{quotient, step};
  }
  Linear last = linear_add(rest, a.stride, lanes - 1);
  bool stays = prove_nonneg(last) && prove_nonneg(linear_offset(linear_add(divisor, last, -1), -1));
  if (!stays) return {};
  return remainder ? Lanes{rest, a.stride} : Lanes{quotient, linear_constant(0)};
}

std::optional<Analyzer::Impl::Lanes> Analyzer::Impl::lanes_of(const Expr& expr) {
  if (auto* ramp = expr.as<RampNode>())
    return Lanes{linearize(ramp->base), linearize(ramp->stride)};
  if (auto* broadcast = expr.as<BroadcastNode>()) {
    return Lanes{linearize(broadcast->value), linear_constant(0)};
  }
  const auto* binary = expr.as<BinaryNode>();
  if (!binary) return {};
  auto a = lanes_of(binary->a);
  if (!a) return {};
  auto b = lanes_of(binary->b);
  if (!b) return {};
  Lanes result;
  switch (binary->op) {
    case BinaryOp::kAdd:
      result = {linear_add(a->base, b->base), linear_add(a->stride, b->stride)};
      break;
    case BinaryOp::kSub:
      result = {linear_add(a->base, b->base, -1), linear_add(a->stride, b->stride, -1)};
      break;
    case BinaryOp::kMul:
      if (!b->stride.is_constant(0)) std::swap(a, b);
      if (!b->stride.is_constant(0)) return {};
      result = {multiply(a->base, b->base), multiply(a->stride, b->base)};
      break;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod: {
      if (!b->stride.is_constant(0)) return {};
      auto divided =
          divide_lanes(*a, b->base, binary->op == BinaryOp::kFloorMod, expr.dtype().lanes);
      if (!divided) return {};
      result = *divided;
      break;
    }
    default: return {};
  }
  if (result.base.overflow || result.stride.overflow) return {};
  return result;
}

Expr Analyzer::Impl::simplify_vector(const Expr& expr) {
  const DType element = expr.dtype().element();
  if (is_index_vector(expr.dtype())) {
    if (auto lanes = lanes_of(expr)) {
      Expr base = render(merge(lanes->base), element);
      Expr stride = render(merge(lanes->stride), element);
      if (base.defined() && stride.defined()) {
        if (is_const_int(stride, 0)) return Expr(new BroadcastNode(base, expr.dtype().lanes));
        return Expr(new RampNode(base, stride, expr.dtype().lanes));
      }
    }
  }
  return rewrite(expr);
}

}  // namespace tilewright::arith
