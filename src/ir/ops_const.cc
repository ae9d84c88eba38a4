#include <cmath>

#include "ir/ops_util.h"
#include "ir/scalar.h"
#include "tilewright/support/fault.h"

namespace tilewright::ir {

using detail::float_literal;
using detail::int_literal;

Var::Var(std::string name, DType dtype) : Var(new VarNode(dtype, std::move(name))) {}
Var::Var(const VarNode* node) : Expr(node) {}
const VarNode* Var::node() const { return static_cast<const VarNode*>(get()); }
const std::string& Var::name() const { return node()->name; }

Expr::Expr(int value) : Expr(make_int(kInt32, value)) {}
Expr::Expr(int64_t value) : Expr(make_int(scalar::fits(kInt32, value) ? kInt32 : kInt64, value)) {}
Expr::Expr(double value) : Expr(make_float(kFloat32, value)) {}
Expr::Expr(float value) : Expr(make_float(kFloat32, value)) {}
Expr Expr::from_bool(bool value) { return make_bool(value); }

Expr make_int(DType dtype, int64_t value) {
  if (!dtype.is_integer() && !dtype.is_bool()) {
    fail("ir.dtype", "an integer constant cannot have dtype {}", to_string(dtype));
  }
  Expr one(new IntImmNode(dtype.element(), scalar::wrap(dtype, value)));
  return broadcast(std::move(one), dtype.lanes);
}

Expr make_float(DType dtype, double value) {
  if (!dtype.is_float()) {
    fail("ir.dtype", "a float constant cannot have dtype {}", to_string(dtype));
  }
  Expr one(new FloatImmNode(dtype.element(), scalar::round_to(dtype, value), value));
  return broadcast(std::move(one), dtype.lanes);
}

Expr make_const(DType dtype, double value) {
  if (dtype.is_float()) return make_float(dtype, value);
  return make_int(dtype, scalar::float_to_int(kInt64, value));
}

Expr make_zero(DType dtype) { return make_const(dtype, 0); }

Expr make_bool(bool value) { return Expr(new IntImmNode(kBool, value)); }

Expr min_value(DType dtype) {
  if (has_fault(Fault::max_starts_at_lowest) && dtype == kFloat32) {
    return make_float(dtype, std::numeric_limits<float>::lowest());
  }
  if (dtype.is_float()) return make_float(dtype, -std::numeric_limits<double>::infinity());
  if (!dtype.is_int()) return make_int(dtype, 0);
  return make_int(dtype, std::numeric_limits<int64_t>::min() >> (64 - dtype.bits));
}

Expr max_value(DType dtype) {
  if (has_fault(Fault::max_starts_at_lowest) && dtype == kFloat32) {
    return make_float(dtype, std::numeric_limits<float>::max());
  }
  if (dtype.is_float()) return make_float(dtype, std::numeric_limits<double>::infinity());
  if (dtype.is_bool()) return make_int(dtype, 1);
  if (dtype.is_uint()) return make_int(dtype, -1);
  return make_int(dtype, std::numeric_limits<int64_t>::max() >> (64 - dtype.bits));
}

const int64_t* as_const_int(const Expr& expr) {
  const IntImmNode* node = expr.as<IntImmNode>();
  return node ? &node->value : nullptr;
}

bool is_const_int(const Expr& expr, int64_t value) {
  const IntImmNode* node = int_literal(expr);
  return node && node->value == value;
}

bool is_true(const Expr& expr) {
  const IntImmNode* node = int_literal(expr);
  return node && node->dtype.is_bool() && node->value == 1;
}

bool is_false(const Expr& expr) {
  const IntImmNode* node = int_literal(expr);
  return node && node->dtype.is_bool() && node->value == 0;
}

bool is_literal(const Expr& expr) { return expr.as<IntImmNode>() || expr.as<FloatImmNode>(); }

// ---- Folding ------------------------------------------------------------------------------------

namespace {

Expr fold_int(BinaryOp op, DType dtype, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const int count = static_cast<int>(ub & (dtype.bits - 1));
  auto number = [&](uint64_t value) { return make_int(dtype, static_cast<int64_t>(value)); };
  const bool smaller = scalar::less(dtype, a, b);
  switch (op) {
    case BinaryOp::kAdd: return number(ua + ub);
    case BinaryOp::kSub: return number(ua - ub);
    case BinaryOp::kMul: return number(ua * ub);
    case BinaryOp::kFloorDiv: return b ? make_int(dtype, scalar::floor_div(dtype, a, b)) : Expr();
    case BinaryOp::kFloorMod: return b ? make_int(dtype, scalar::floor_mod(dtype, a, b)) : Expr();
    case BinaryOp::kTruncDiv: return b ? make_int(dtype, scalar::trunc_div(dtype, a, b)) : Expr();
    case BinaryOp::kTruncMod: return b ? make_int(dtype, scalar::trunc_mod(dtype, a, b)) : Expr();
    case BinaryOp::kMin:
    case BinaryOp::kFMin: return make_int(dtype, smaller ? a : b);
    case BinaryOp::kMax:
    case BinaryOp::kFMax: return make_int(dtype, smaller ? b : a);
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd: return number(ua & ub);
    case BinaryOp::kOr:
    case BinaryOp::kBitOr: return number(ua | ub);
    case BinaryOp::kBitXor: return number(ua ^ ub);
    case BinaryOp::kShl: return number(ua << count);
    case BinaryOp::kShr: return dtype.is_uint() ? number(ua >> count) : make_int(dtype, a >> count);
    case BinaryOp::kEq: return make_bool(a == b);
    case BinaryOp::kNe: return make_bool(a != b);
    case BinaryOp::kLt: return make_bool(smaller);
    case BinaryOp::kLe: return make_bool(!scalar::less(dtype, b, a));
    case BinaryOp::kGt: return make_bool(scalar::less(dtype, b, a));
    case BinaryOp::kGe: return make_bool(!smaller);
    case BinaryOp::kDiv: break;
  }
  return {};
}

Expr fold_float(BinaryOp op, DType dtype, double a, double b) {
  auto number = [&](double value) { return make_float(dtype, value); };
  switch (op) {
    case BinaryOp::kAdd: return number(scalar::add(dtype, a, b));
    case BinaryOp::kSub: return number(scalar::sub(dtype, a, b));
    case BinaryOp::kMul: return number(scalar::mul(dtype, a, b));
    case BinaryOp::kDiv: return number(scalar::div(dtype, a, b));
    case BinaryOp::kMin: return number(scalar::min(a, b));
    case BinaryOp::kMax: return number(scalar::max(a, b));
    case BinaryOp::kFMin: return number(scalar::fmin(a, b));
    case BinaryOp::kFMax: return number(scalar::fmax(a, b));
    case BinaryOp::kEq: return make_bool(a == b);
    case BinaryOp::kNe: return make_bool(a != b);
    case BinaryOp::kLt: return make_bool(a < b);
    case BinaryOp::kLe: return make_bool(a <= b);
    case BinaryOp::kGt: return make_bool(a > b);
    case BinaryOp::kGe: return make_bool(a >= b);
    default: return {};
  }
}

Expr in_lanes(Expr scalar_value, DType like) {
  return scalar_value.defined() ? broadcast(std::move(scalar_value), like.lanes) : scalar_value;
}

}  // namespace

Expr fold_binary(BinaryOp op, const Expr& a, const Expr& b) {
  if (a.dtype() != b.dtype()) return {};
  const DType element = a.dtype().element();
  const IntImmNode *ia = int_literal(a), *ib = int_literal(b);
  if (ia && ib) return in_lanes(fold_int(op, element, ia->value, ib->value), a.dtype());
  const FloatImmNode *fa = float_literal(a), *fb = float_literal(b);
  if (fa && fb) return in_lanes(fold_float(op, element, fa->value, fb->value), a.dtype());
  return {};
}

Expr fold_unary(UnaryOp op, const Expr& a) {
  if (const IntImmNode* i = int_literal(a)) {
    const auto bits = static_cast<uint64_t>(i->value);
    switch (op) {
      case UnaryOp::kNeg: return make_int(a.dtype(), static_cast<int64_t>(0 - bits));
      case UnaryOp::kNot: return make_int(a.dtype(), i->value == 0);
      case UnaryOp::kBitNot: return make_int(a.dtype(), static_cast<int64_t>(~bits));
    }
  }
  if (const FloatImmNode* f = float_literal(a); f && op == UnaryOp::kNeg) {
    Expr one(new FloatImmNode(f->dtype, -f->value, -f->written));
    return in_lanes(std::move(one), a.dtype());
  }
  return {};
}

Expr fold_cast(DType dtype, const Expr& value) {
  const DType to = dtype.element();
  Expr result;
  if (const IntImmNode* i = int_literal(value)) {
    if (to.is_float()) result = make_float(to, scalar::int_to_float(to, i->dtype, i->value));
    if (to.is_integer() || to.is_bool()) result = make_int(to, i->value);
  } else if (const FloatImmNode* f = float_literal(value)) {
    if (to.is_float()) result = make_float(to, f->value);
    if (to.is_integer() || to.is_bool()) result = make_int(to, scalar::float_to_int(to, f->value));
  }
  return in_lanes(std::move(result), dtype);
}

namespace {

Expr fold_int_call(Intrinsic intrinsic, DType dtype, int64_t value) {
  const uint64_t bits =
      static_cast<uint64_t>(scalar::wrap(DType{TypeCode::kUInt, dtype.bits, 1}, value));
  switch (intrinsic) {
    case Intrinsic::kAbs:
      return make_int(dtype, dtype.is_int() && value < 0 ? static_cast<int64_t>(0 - bits) : value);
    case Intrinsic::kPopcount: return make_int(dtype, __builtin_popcountll(bits));
    case Intrinsic::kClz:
      return make_int(dtype, bits ? __builtin_clzll(bits) - (64 - dtype.bits) : dtype.bits);
    case Intrinsic::kLikely: return make_int(dtype, value);
    default: return {};
  }
}

Expr fold_float_call(Intrinsic intrinsic, DType dtype, double value) {
  switch (intrinsic) {
    case Intrinsic::kAbs: return make_float(dtype, std::fabs(value));
    case Intrinsic::kFloor: return make_float(dtype, std::floor(value));
    case Intrinsic::kCeil: return make_float(dtype, std::ceil(value));
    case Intrinsic::kTrunc: return make_float(dtype, std::trunc(value));
    case Intrinsic::kRound: return make_float(dtype, scalar::round_half_even(value));
    case Intrinsic::kIsNan: return make_bool(std::isnan(value));
    case Intrinsic::kIsInf: return make_bool(std::isinf(value));
    case Intrinsic::kSqrt:
      return make_float(dtype,
                        dtype.bits == 64 ? std::sqrt(value) : std::sqrt(static_cast<float>(value)));
    default: return {};
  }
}

}  // namespace

Expr detail::fold_call(Intrinsic intrinsic, DType dtype, const std::vector<Expr>& args) {
  if (args.size() != 1) return {};
  if (const IntImmNode* i = int_literal(args[0])) {
    return in_lanes(fold_int_call(intrinsic, i->dtype, i->value), dtype);
  }
  if (const FloatImmNode* f = float_literal(args[0])) {
    return in_lanes(fold_float_call(intrinsic, f->dtype, f->value), dtype);
  }
  return {};
}

}  // namespace tilewright::ir
