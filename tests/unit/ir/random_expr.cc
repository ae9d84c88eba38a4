#include <cmath>
#include <limits>

#include "random_ir.h"

namespace tilewright::testing {

using namespace tilewright::ir;

namespace {

Expr make_binary(BinaryOp op, const Expr& a, const Expr& b) {
  const DType dtype = is_comparison(op) ? kBool.with_lanes(a.dtype().lanes) : a.dtype();
  return Expr(new BinaryNode(dtype, op, a, b));
}

}  // namespace

Expr RandomIr::closed_expr(DType dtype, const std::vector<Var>& scope, int depth) {
  scope_ = scope;
  readable_.clear();
  return expr(dtype, depth);
}

Expr RandomIr::constant(DType dtype) {
  if (dtype.is_bool()) return make_bool(chance(50));
  if (dtype.is_float()) {
    const double inf = std::numeric_limits<double>::infinity();
    return make_float(dtype, pick(std::vector<double>{0.0, -0.0, 1.0, 0.1, -3.25, 1e-7, 6e4, inf,
                                                      -inf, std::nan(""), rng_.unit() * 100}));
  }
  return make_int(dtype, pick(std::vector<int64_t>{0, 1, -1, 2, 7, 100, -128, INT64_MAX, INT64_MIN,
                                                   rng_.between(-1000, 1000)}));
}

Expr RandomIr::leaf(DType dtype) {
  std::vector<Expr> choices{constant(dtype)};
  for (const Var& var : scope_) {
    if (var.dtype() == dtype) choices.push_back(var);
  }
  return choices[chance(25) ? 0 : rng_.below(choices.size())];
}

std::vector<Expr> RandomIr::indices(const Buffer& buffer, int lanes, int depth) {
  std::vector<Expr> result;
  const size_t count = level_ == Level::kScheduled ? buffer->shape.size() : 1;
  const size_t wide = count ? rng_.below(count) : 0;
  for (size_t d = 0; d < count; ++d) {
    result.push_back(lanes > 1 && d == wide ? expr(kInt64.with_lanes(lanes), depth) : index(depth));
  }
  return result;
}

Expr RandomIr::load_of(const Buffer& buffer, int lanes, int depth) {
  Expr predicate = chance(20) ? expr(kBool.with_lanes(lanes), 1) : Expr();
  return Expr(new LoadNode(buffer->dtype.with_lanes(lanes), buffer, indices(buffer, lanes, depth),
                           predicate));
}

Expr RandomIr::expr(DType dtype, int depth) {
  if (dtype.lanes > 1) return vector_expr(dtype, depth);
  if (depth <= 0) return leaf(dtype);
  if (chance(25)) {
    std::vector<Buffer> fitting;
    for (const Buffer& b : readable_) {
      if (b->dtype == dtype) fitting.push_back(b);
    }
    if (!fitting.empty()) return load_of(pick(fitting), 1, depth - 1);
  }
  switch (rng_.below(9)) {
    case 0: return leaf(dtype);
    case 1: return Expr(new CastNode(dtype, expr(scalar_type(), depth - 1)));
    case 2:
      return Expr(new SelectNode(dtype, expr(kBool, depth - 1), expr(dtype, depth - 1),
                                 expr(dtype, depth - 1)));
    case 3:
      return Expr(new IfThenElseNode(dtype, expr(kBool, depth - 1), expr(dtype, depth - 1),
                                     expr(dtype, depth - 1)));
    case 4: {
      Var var(name(), scalar_type());
      Expr value = expr(var.dtype(), depth - 1);
      scope_.push_back(var);
      Expr body = expr(dtype, depth - 1);
      scope_.pop_back();
      return Expr(new LetNode(var, value, body));
    }
    case 5: {
      const int lanes = static_cast<int>(rng_.between(2, 16));
      return Expr(
          new ExtractNode(expr(dtype.with_lanes(lanes), depth - 1), rng_.between(0, lanes - 1)));
    }
    default: break;
  }
  if (dtype.is_bool()) return bool_expr(depth, 1);
  return dtype.is_float() ? float_expr(dtype, depth) : int_expr(dtype, depth);
}

Expr RandomIr::vector_expr(DType dtype, int depth) {
  const DType element = dtype.element();
  if (depth > 0 && chance(40)) {
    if (dtype.is_bool()) return bool_expr(depth, dtype.lanes);
    return number_expr(dtype, depth);
  }
  if (depth > 0 && chance(30)) {
    for (const Buffer& b : readable_) {
      if (b->dtype == element && (level_ != Level::kScheduled || b->rank() > 0)) {
        return load_of(b, dtype.lanes, depth - 1);
      }
    }
  }
  if (depth > 0 && chance(20)) {
    Expr condition = expr(kBool.with_lanes(chance(50) ? dtype.lanes : 1), depth - 1);
    return Expr(
        new IfThenElseNode(dtype, condition, expr(dtype, depth - 1), expr(dtype, depth - 1)));
  }
  if (element.is_integer() && chance(50)) {
    return Expr(new RampNode(expr(element, depth - 1), expr(element, 0), dtype.lanes));
  }
  return Expr(new BroadcastNode(expr(element, depth - 1), dtype.lanes));
}

Expr RandomIr::number_expr(DType dtype, int depth) {
  const std::vector<BinaryOp> ops{BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kMin,
                                  BinaryOp::kMax};
  return make_binary(pick(ops), expr(dtype, depth - 1), expr(dtype, depth - 1));
}

Expr RandomIr::float_expr(DType dtype, int depth) {
  auto sub = [&] { return expr(dtype, depth - 1); };
  switch (rng_.below(5)) {
    case 0: return Expr(new UnaryNode(dtype, UnaryOp::kNeg, sub()));
    case 1: {
      const std::vector<Intrinsic> ids{Intrinsic::kExp, Intrinsic::kSqrt, Intrinsic::kRound,
                                       Intrinsic::kAbs, Intrinsic::kTanh};
      return Expr(new CallNode(dtype, pick(ids), {sub()}));
    }
    case 2: {
      if (chance(50)) return Expr(new CallNode(dtype, Intrinsic::kFma, {sub(), sub(), sub()}));
      const DType bits{TypeCode::kUInt, dtype.bits, 1};
      return Expr(new CallNode(dtype, Intrinsic::kBitcast, {expr(bits, depth - 1)}));
    }
    case 3: {
      const std::vector<BinaryOp> ops{BinaryOp::kDiv, BinaryOp::kFMin, BinaryOp::kFMax};
      return make_binary(pick(ops), sub(), sub());
    }
    default: return number_expr(dtype, depth);
  }
}

Expr RandomIr::int_expr(DType dtype, int depth) {
  auto sub = [&] { return expr(dtype, depth - 1); };
  switch (rng_.below(5)) {
    case 0: return Expr(new UnaryNode(dtype, chance(50) ? UnaryOp::kNeg : UnaryOp::kBitNot, sub()));
    case 1:
      return Expr(
          new CallNode(dtype, chance(50) ? Intrinsic::kPopcount : Intrinsic::kClz, {sub()}));
    case 2: {
      const std::vector<BinaryOp> ops{BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kTruncDiv,
                                      BinaryOp::kTruncMod, BinaryOp::kBitAnd,   BinaryOp::kBitOr,
                                      BinaryOp::kBitXor,   BinaryOp::kShl,      BinaryOp::kShr};
      return make_binary(pick(ops), sub(), sub());
    }
    default: return number_expr(dtype, depth);
  }
}

Expr RandomIr::bool_expr(int depth, int lanes) {
  const DType dtype = kBool.with_lanes(lanes);
  switch (rng_.below(4)) {
    case 0: return Expr(new UnaryNode(dtype, UnaryOp::kNot, expr(dtype, depth - 1)));
    case 1:
      return make_binary(chance(50) ? BinaryOp::kAnd : BinaryOp::kOr, expr(dtype, depth - 1),
                         expr(dtype, depth - 1));
    case 2: {
      if (chance(50))
        return Expr(new CallNode(dtype, Intrinsic::kLikely, {expr(dtype, depth - 1)}));
      const DType side = kFloat32.with_lanes(lanes);
      return Expr(new CallNode(dtype, Intrinsic::kIsNan, {expr(side, depth - 1)}));
    }
    default: {
      const std::vector<BinaryOp> ops{BinaryOp::kEq, BinaryOp::kNe, BinaryOp::kLt,
                                      BinaryOp::kLe, BinaryOp::kGt, BinaryOp::kGe};
      const DType side = pick(std::vector<DType>{kInt64, kFloat32, kUInt8}).with_lanes(lanes);
      return make_binary(pick(ops), expr(side, depth - 1), expr(side, depth - 1));
    }
  }
}

}  // namespace tilewright::testing
