#include "tilewright/ir/ops.h"

#include "ir/ops_util.h"
#include "ir/scalar.h"
#include "tilewright/ir/text.h"

namespace tilewright::ir {

using namespace detail;

// ---- Making operands agree ----------------------------------------------------------------------

void detail::require(const Expr& e, const std::string& what) {
  if (!e.defined()) fail("ir.null_expr", "{}: an operand is missing (null expression)", what);
}

const IntImmNode* detail::int_literal(const Expr& e) {
  const BroadcastNode* splat = e.as<BroadcastNode>();
  return splat ? splat->value.as<IntImmNode>() : e.as<IntImmNode>();
}

const FloatImmNode* detail::float_literal(const Expr& e) {
  const BroadcastNode* splat = e.as<BroadcastNode>();
  return splat ? splat->value.as<FloatImmNode>() : e.as<FloatImmNode>();
}

std::string detail::shown(const Expr& e) {
  std::string text = to_pretty(e);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return fmt::format("{} ({})", text, to_string(e.dtype()));
}

Expr detail::adapt_literal(const Expr& value, DType element) {
  const DType have = value.dtype().element();
  if (have == element) return value;
  const DType want = element.with_lanes(value.dtype().lanes);
  if (const IntImmNode* i = int_literal(value); i && have.is_integer()) {
    // A uint64 pattern above int64's range fits no other integer type.
    const bool huge = have.is_uint() && i->value < 0;
    if (element.is_integer() && !huge && scalar::fits(element, i->value)) {
      return make_int(want, i->value);
    }
    if (element.is_float()) return make_float(want, scalar::int_to_float(element, have, i->value));
  }
  if (const FloatImmNode* f = float_literal(value); f && element.is_float()) {
    return make_float(want, f->written);
  }
  return {};
}

Expr detail::with_lanes(const std::string& what, Expr e, int lanes) {
  if (e.dtype().lanes == lanes) return e;
  if (e.dtype().is_scalar()) return broadcast(std::move(e), lanes);
  fail("ir.dtype", "{}: {} has {} lanes where {} are needed", what, shown(e), e.dtype().lanes,
       lanes);
}

namespace {

bool is_index_type(DType dtype) { return dtype.is_int() && (dtype.bits == 32 || dtype.bits == 64); }

// Tries to give the literal `from` the element type of `to`.
bool adapt(Expr& from, const Expr& to) {
  Expr adapted = adapt_literal(from, to.dtype().element());
  if (adapted.defined()) from = std::move(adapted);
  return adapted.defined() || from.dtype().element() == to.dtype().element();
}

bool is_literal_like(const Expr& e) { return int_literal(e) || float_literal(e); }

bool unify_elements(Expr& a, Expr& b) {
  if (a.dtype().element() == b.dtype().element()) return true;
  const bool la = is_literal_like(a), lb = is_literal_like(b);
  // Of two literals the float, else the wider one decides.
  const bool a_decides = a.dtype().is_float() != b.dtype().is_float()
                             ? a.dtype().is_float()
                             : a.dtype().bits >= b.dtype().bits;
  if (la && lb) {
    if (a_decides ? adapt(b, a) : adapt(a, b)) return true;
    if (a_decides ? adapt(a, b) : adapt(b, a)) return true;
  } else if ((la && adapt(a, b)) || (lb && adapt(b, a))) {
    return true;
  }
  if (is_index_type(a.dtype()) && is_index_type(b.dtype())) {
    a = cast(kInt64.with_lanes(a.dtype().lanes), a);
    b = cast(kInt64.with_lanes(b.dtype().lanes), b);
    return true;
  }
  return false;
}

}  // namespace

void detail::unify(const std::string& what, Expr& a, Expr& b) {
  require(a, what);
  require(b, what);
  if (!unify_elements(a, b)) {
    fail("ir.dtype", "{}: dtypes differ: {} and {}; convert one side, such as cast({}, ...)", what,
         shown(a), shown(b), to_string(a.dtype().element()));
  }
  const int lanes = std::max<int>(a.dtype().lanes, b.dtype().lanes);
  a = with_lanes(what, std::move(a), lanes);
  b = with_lanes(what, std::move(b), lanes);
}

Expr detail::as_index(const std::string& what, Expr e) {
  require(e, what);
  if (!e.dtype().is_integer()) {
    fail("ir.dtype", "{}: {} is not an integer; convert it, such as cast(int64, ...)", what,
         shown(e));
  }
  if (is_index_type(e.dtype()) && !is_literal_like(e)) return e;
  const DType index = kInt64.with_lanes(e.dtype().lanes);
  return cast(index, std::move(e));
}

// ---- Binary and unary operations ----------------------------------------------------------------

namespace {

std::string quoted(BinaryOp op) { return fmt::format("'{}'", spelling(op)); }

// The operation meant on these operands: & | ^ on bool are the logical ones, fmin on integers is min.
BinaryOp normalized(BinaryOp op, DType dtype) {
  if (dtype.is_bool()) {
    if (op == BinaryOp::kBitAnd) return BinaryOp::kAnd;
    if (op == BinaryOp::kBitOr) return BinaryOp::kOr;
    if (op == BinaryOp::kBitXor) return BinaryOp::kNe;
  }
  if (dtype.is_integer()) {
    if (op == BinaryOp::kFMin) return BinaryOp::kMin;
    if (op == BinaryOp::kFMax) return BinaryOp::kMax;
  }
  return op;
}

void check_operands(BinaryOp op, const Expr& a) {
  const DType dtype = a.dtype();
  const std::string name = to_string(dtype);
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      if (dtype.is_integer() || dtype.is_float()) return;
      fail("ir.dtype", "{} needs numbers, got {}; convert them, such as cast(int32, ...)",
           quoted(op), name);
    case BinaryOp::kDiv:
      if (dtype.is_float()) return;
      fail("ir.dtype",
           "'/' needs floats, got {}; use floor_div (Python's //) or trunc_div (C's /), or cast to "
           "a float first",
           name);
    case BinaryOp::kFMin:
    case BinaryOp::kFMax:
      if (dtype.is_float()) return;
      fail("ir.dtype", "{} needs floats, got {}", quoted(op), name);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
      if (dtype.is_integer()) return;
      fail("ir.dtype", "{} needs integers, got {}; divide floats with '/', then floor or trunc",
           quoted(op), name);
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      if (dtype.is_bool()) return;
      fail("ir.dtype", "{} needs bool, got {}; compare first, such as x != 0", quoted(op), name);
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      if (dtype.is_integer()) return;
      fail("ir.dtype", "{} needs integers, got {}", quoted(op), name);
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      if (!dtype.is_handle()) return;
      fail("ir.dtype", "{} cannot compare values of dtype {}", quoted(op), name);
  }
}

bool is_one(const Expr& e) {
  const FloatImmNode* f = float_literal(e);
  return is_const_int(e, 1) || (f && f->value == 1.0);
}

// The reductions listed in ops.h; null when none applies. Both sides have one dtype.
Expr reduced(BinaryOp op, const Expr& a, const Expr& b) {
  const bool whole = a.dtype().is_integer();
  switch (op) {
    case BinaryOp::kAdd:
      if (whole && is_const_int(a, 0)) return b;
      [[fallthrough]];
    case BinaryOp::kSub: return whole && is_const_int(b, 0) ? a : Expr();
    case BinaryOp::kMul:
      if (is_one(a)) return b;
      if (is_one(b)) return a;
      if (whole && is_const_int(a, 0)) return a;
      return whole && is_const_int(b, 0) ? b : Expr();
    case BinaryOp::kFloorDiv:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kDiv: return is_one(b) ? a : Expr();
    case BinaryOp::kAnd:
      if (is_true(a) || is_false(b)) return b;
      return is_true(b) || is_false(a) ? a : Expr();
    case BinaryOp::kOr:
      if (is_false(a) || is_true(b)) return b;
      return is_false(b) || is_true(a) ? a : Expr();
    default: return {};
  }
}

bool divides(BinaryOp op) { return op >= BinaryOp::kFloorDiv && op <= BinaryOp::kTruncMod; }

}  // namespace

Expr binary(BinaryOp op, Expr a, Expr b) {
  unify(quoted(op), a, b);
  op = normalized(op, a.dtype());
  check_operands(op, a);
  if (divides(op) && is_const_int(b, 0)) {
    fail("ir.division_by_zero", "{} of {} by the constant 0", quoted(op), shown(a));
  }
  if (Expr folded = fold_binary(op, a, b); folded.defined()) return folded;
  if (Expr simpler = reduced(op, a, b); simpler.defined()) return simpler;
  const DType dtype = is_comparison(op) ? kBool.with_lanes(a.dtype().lanes) : a.dtype();
  return Expr(new BinaryNode(dtype, op, std::move(a), std::move(b)));
}

Expr unary(UnaryOp op, Expr a) {
  const std::string what = fmt::format("'{}'", spelling(op));
  require(a, what);
  const DType dtype = a.dtype();
  if (op == UnaryOp::kBitNot && dtype.is_bool()) op = UnaryOp::kNot;
  if (op == UnaryOp::kNeg && !dtype.is_integer() && !dtype.is_float()) {
    fail("ir.dtype", "{} needs a number, got {}", what, shown(a));
  }
  if (op == UnaryOp::kNot && !dtype.is_bool()) {
    fail("ir.dtype", "{} needs bool, got {}; compare first, such as x == 0", what, shown(a));
  }
  if (op == UnaryOp::kBitNot && !dtype.is_integer()) {
    fail("ir.dtype", "{} needs an integer, got {}", what, shown(a));
  }
  if (Expr folded = fold_unary(op, a); folded.defined()) return folded;
  return Expr(new UnaryNode(dtype, op, std::move(a)));
}

#define TILEWRIGHT_BINARY(name, op) \
  Expr name(Expr a, Expr b) { return binary(BinaryOp::op, std::move(a), std::move(b)); }
TILEWRIGHT_BINARY(operator+, kAdd)
TILEWRIGHT_BINARY(operator-, kSub)
TILEWRIGHT_BINARY(operator*, kMul)
TILEWRIGHT_BINARY(operator/, kDiv)
TILEWRIGHT_BINARY(operator&&, kAnd)
TILEWRIGHT_BINARY(operator||, kOr)
TILEWRIGHT_BINARY(operator&, kBitAnd)
TILEWRIGHT_BINARY(operator|, kBitOr)
TILEWRIGHT_BINARY(operator^, kBitXor)
TILEWRIGHT_BINARY(operator<<, kShl)
TILEWRIGHT_BINARY(operator>>, kShr)
TILEWRIGHT_BINARY(operator<, kLt)
TILEWRIGHT_BINARY(operator<=, kLe)
TILEWRIGHT_BINARY(operator>, kGt)
TILEWRIGHT_BINARY(operator>=, kGe)
TILEWRIGHT_BINARY(operator==, kEq)
TILEWRIGHT_BINARY(operator!=, kNe)
TILEWRIGHT_BINARY(floor_div, kFloorDiv)
TILEWRIGHT_BINARY(floor_mod, kFloorMod)
TILEWRIGHT_BINARY(trunc_div, kTruncDiv)
TILEWRIGHT_BINARY(trunc_mod, kTruncMod)
TILEWRIGHT_BINARY(min, kMin)
TILEWRIGHT_BINARY(max, kMax)
TILEWRIGHT_BINARY(fmin, kFMin)
TILEWRIGHT_BINARY(fmax, kFMax)
#undef TILEWRIGHT_BINARY

Expr operator-(Expr a) { return unary(UnaryOp::kNeg, std::move(a)); }
Expr operator!(Expr a) { return unary(UnaryOp::kNot, std::move(a)); }
Expr operator~(Expr a) { return unary(UnaryOp::kBitNot, std::move(a)); }

Expr ceil_div(Expr a, Expr b) {
  // Added to `a` first where the literal is `b`, so that constants meet: (n + 8) - 1 would not fold.
  Expr rest = b - 1;
  return floor_div(std::move(a) + std::move(rest), std::move(b));
}

// ---- Other expressions --------------------------------------------------------------------------

Expr cast(DType dtype, Expr value) {
  require(value, "cast");
  const DType from = value.dtype();
  if (dtype.is_scalar()) dtype = dtype.with_lanes(from.lanes);
  if (from == dtype) return value;
  if (dtype.is_handle() || from.is_handle()) {
    fail("ir.dtype", "cast from {} to {} is not possible", to_string(from), to_string(dtype));
  }
  value = with_lanes("cast", std::move(value), dtype.lanes);
  if (value.dtype() == dtype) return value;
  if (Expr folded = fold_cast(dtype, value); folded.defined()) return folded;
  return Expr(new CastNode(dtype, std::move(value)));
}

namespace {

void check_condition(const std::string& what, const Expr& condition) {
  require(condition, what);
  if (!condition.dtype().is_bool()) {
    fail("ir.dtype", "{}: the condition must be bool, got {}; compare first, such as x != 0", what,
         shown(condition));
  }
}

}  // namespace

Expr select(Expr condition, Expr true_value, Expr false_value) {
  check_condition("select", condition);
  unify("select", true_value, false_value);
  const int lanes = std::max<int>(condition.dtype().lanes, true_value.dtype().lanes);
  condition = with_lanes("select", std::move(condition), lanes);
  true_value = with_lanes("select", std::move(true_value), lanes);
  false_value = with_lanes("select", std::move(false_value), lanes);
  if (is_true(condition)) return true_value;
  if (is_false(condition)) return false_value;
  const DType dtype = true_value.dtype();
  return Expr(
      new SelectNode(dtype, std::move(condition), std::move(true_value), std::move(false_value)));
}

Expr if_then_else(Expr condition, Expr true_value, Expr false_value) {
  check_condition("if_then_else", condition);
  unify("if_then_else", true_value, false_value);
  // A scalar condition may choose between vectors: one branch for all lanes.
  if (!condition.dtype().is_scalar()) {
    const int lanes = condition.dtype().lanes;
    true_value = with_lanes("if_then_else", std::move(true_value), lanes);
    false_value = with_lanes("if_then_else", std::move(false_value), lanes);
  }
  if (is_true(condition)) return true_value;
  if (is_false(condition)) return false_value;
  const DType dtype = true_value.dtype();
  return Expr(new IfThenElseNode(dtype, std::move(condition), std::move(true_value),
                                 std::move(false_value)));
}

Expr let(const Var& var, Expr value, Expr body) {
  require(var, "let");
  require(value, "let");
  require(body, "let");
  if (Expr adapted = adapt_literal(value, var.dtype().element()); adapted.defined()) {
    value = with_lanes("let", std::move(adapted), var.dtype().lanes);
  }
  if (value.dtype() != var.dtype()) {
    fail("ir.dtype", "let: variable {} is {} but its value is {}", var.name(),
         to_string(var.dtype()), shown(value));
  }
  return Expr(new LetNode(var, std::move(value), std::move(body)));
}

Expr ramp(Expr base, Expr stride, int lanes) {
  unify("ramp", base, stride);
  if (!base.dtype().is_scalar() || !base.dtype().is_integer() || lanes < 1) {
    fail("ir.dtype", "ramp needs scalar integers and at least one lane, got {} and {} lanes",
         shown(base), lanes);
  }
  if (lanes == 1) return base;
  return Expr(new RampNode(std::move(base), std::move(stride), lanes));
}

Expr broadcast(Expr value, int lanes) {
  require(value, "broadcast");
  if (lanes == 1) return value;
  if (!value.dtype().is_scalar() || lanes < 1) {
    fail("ir.dtype", "broadcast needs a scalar and at least one lane, got {} and {} lanes",
         shown(value), lanes);
  }
  return Expr(new BroadcastNode(std::move(value), lanes));
}

}  // namespace tilewright::ir
