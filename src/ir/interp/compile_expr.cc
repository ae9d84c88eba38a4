#include "ir/interp/compiler.h"
#include "ir/scalar.h"

namespace tilewright::ir::interp {
namespace {

// Width class of a float operation: float16, bfloat16 and float32 are held as float32.
Op pick(DType type, Op single, Op twice) { return type.bits == 64 ? twice : single; }

Op float_op(BinaryOp op, DType type) {
  switch (op) {
    case BinaryOp::kAdd: return pick(type, Op::kAddF, Op::kAddD);
    case BinaryOp::kSub: return pick(type, Op::kSubF, Op::kSubD);
    case BinaryOp::kMul: return pick(type, Op::kMulF, Op::kMulD);
    case BinaryOp::kDiv: return pick(type, Op::kDivF, Op::kDivD);
    case BinaryOp::kMin: return pick(type, Op::kMinF, Op::kMinD);
    case BinaryOp::kMax: return pick(type, Op::kMaxF, Op::kMaxD);
    case BinaryOp::kFMin: return pick(type, Op::kFMinF, Op::kFMinD);
    case BinaryOp::kFMax: return pick(type, Op::kFMaxF, Op::kFMaxD);
    case BinaryOp::kEq: return pick(type, Op::kEqF, Op::kEqD);
    case BinaryOp::kNe: return pick(type, Op::kNeF, Op::kNeD);
    case BinaryOp::kLt:
    case BinaryOp::kGt: return pick(type, Op::kLtF, Op::kLtD);
    case BinaryOp::kLe:
    case BinaryOp::kGe: return pick(type, Op::kLeF, Op::kLeD);
    default: return Op::kHalt;
  }
}

Op integer_op(BinaryOp op, bool is_signed) {
  switch (op) {
    case BinaryOp::kAdd: return Op::kAdd;
    case BinaryOp::kSub: return Op::kSub;
    case BinaryOp::kMul: return Op::kMul;
    case BinaryOp::kFloorDiv: return is_signed ? Op::kFloorDivS : Op::kDivU;
    case BinaryOp::kFloorMod: return is_signed ? Op::kFloorModS : Op::kModU;
    case BinaryOp::kTruncDiv: return is_signed ? Op::kTruncDivS : Op::kDivU;
    case BinaryOp::kTruncMod: return is_signed ? Op::kTruncModS : Op::kModU;
    case BinaryOp::kMin:
    case BinaryOp::kFMin: return is_signed ? Op::kMinS : Op::kMinU;
    case BinaryOp::kMax:
    case BinaryOp::kFMax: return is_signed ? Op::kMaxS : Op::kMaxU;
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd: return Op::kBitAnd;
    case BinaryOp::kOr:
    case BinaryOp::kBitOr: return Op::kBitOr;
    case BinaryOp::kBitXor: return Op::kBitXor;
    case BinaryOp::kShl: return Op::kShl;
    case BinaryOp::kShr: return is_signed ? Op::kShrS : Op::kShrU;
    case BinaryOp::kEq: return Op::kEq;
    case BinaryOp::kNe: return Op::kNe;
    case BinaryOp::kLt:
    case BinaryOp::kGt: return is_signed ? Op::kLtS : Op::kLtU;
    case BinaryOp::kLe:
    case BinaryOp::kGe: return is_signed ? Op::kLeS : Op::kLeU;
    default: return Op::kHalt;
  }
}

// Whether a result can lie outside the type's range or precision although the operands do not.
bool leaves_type(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kShl: return true;
    default: return false;
  }
}

}  // namespace

Reg Compiler::expr(const Expr& e) {
  internal_check(e.defined(), "null expression in '{}'", program_.name);
  switch (e->kind) {
#define TILEWRIGHT_CASE(Name) \
  case NodeKind::k##Name: return expr(static_cast<const Name##Node&>(*e));
    TILEWRIGHT_EXPR_NODES(TILEWRIGHT_CASE)
#undef TILEWRIGHT_CASE
    default: throw InternalError("not an expression node");
  }
}

Reg Compiler::widen(Reg reg, int from, int to) {
  if (from == to) return reg;
  if (from != 1) malformed(fmt::format("{} lanes where {} are needed", from, to));
  return emit_value(Op::kBroadcast, to, reg);
}

Reg Compiler::widened(const Expr& e, int lanes) { return widen(expr(e), e.dtype().lanes, lanes); }

Reg Compiler::expr(const IntImmNode& node) {
  if (node.dtype.is_handle()) return int_constant(node.value);
  return int_constant(scalar::wrap(node.dtype, node.value), node.dtype.lanes);
}

Reg Compiler::expr(const FloatImmNode& node) {
  if (node.dtype.bits == 64) return constant(Cell::of(node.value), node.dtype.lanes);
  const double value = scalar::round_to(node.dtype, node.value);
  return constant(Cell::of(static_cast<float>(value)), node.dtype.lanes);
}

Reg Compiler::expr(const StringImmNode&) { malformed("a text outside the arguments of a call"); }

Reg Compiler::expr(const ReduceNode&) {
  malformed("a reduction expression; it must have become a block");
}

Reg Compiler::expr(const VarNode& node) {
  const auto found = registers_.find(&node);
  if (found == registers_.end()) {
    malformed(fmt::format("variable '{}' is not bound here", node.name));
  }
  return found->second;
}

Reg Compiler::expr(const CastNode& node) {
  const DType from = node.value.dtype();
  const Reg value = widened(node.value, node.dtype.lanes);
  return cast(value, from.with_lanes(node.dtype.lanes), node.dtype);
}

Reg Compiler::expr(const UnaryNode& node) {
  const DType type = node.dtype;
  const Reg a = expr(node.a);
  switch (node.op) {
    case UnaryOp::kNot: return emit_value(Op::kNot, type.lanes, a);
    case UnaryOp::kBitNot: return normalize(emit_value(Op::kBitNot, type.lanes, a), type);
    case UnaryOp::kNeg: break;
  }
  if (type.is_float()) return emit_value(pick(type, Op::kNegF, Op::kNegD), type.lanes, a);
  return normalize(emit_value(Op::kNeg, type.lanes, a), type);
}

Reg Compiler::expr(const BinaryNode& node) {
  const DType type = node.a.dtype();
  const bool is_float = type.is_float();
  if (is_float != node.b.dtype().is_float()) {
    malformed(fmt::format("'{}' of {} and {}", spelling(node.op), to_string(type),
                          to_string(node.b.dtype())));
  }
  const int lanes = node.dtype.lanes;
  Reg a = widened(node.a, lanes);
  Reg b = widened(node.b, lanes);
  if (node.op == BinaryOp::kGt || node.op == BinaryOp::kGe) std::swap(a, b);
  const Op op = is_float ? float_op(node.op, type) : integer_op(node.op, type.is_int());
  if (op == Op::kHalt) {
    malformed(fmt::format("'{}' of dtype {}", spelling(node.op), to_string(type)));
  }
  const bool is_shift = node.op == BinaryOp::kShl || node.op == BinaryOp::kShr;
  const Reg result = emit_value(op, lanes, a, b, is_shift ? type.bits - 1 : 0);
  return leaves_type(node.op) ? normalize(result, node.dtype) : result;
}

Reg Compiler::expr(const SelectNode& node) {
  const int lanes = node.dtype.lanes;
  const Reg condition = widened(node.condition, lanes);
  const Reg a = widened(node.true_value, lanes);
  const Reg b = widened(node.false_value, lanes);
  return emit_value(Op::kSelect, lanes, condition, a, b);
}

Reg Compiler::expr(const IfThenElseNode& node) {
  if (node.condition.dtype().lanes != 1) return masked_choice(node);
  const int lanes = node.dtype.lanes;
  const Reg dst = allocate(lanes);
  const Reg condition = expr(node.condition);
  const uint32_t to_else = emit(Op::kJumpIfZero, 1, 0, condition);
  emit(Op::kMove, lanes, dst, widened(node.true_value, lanes));
  const uint32_t to_end = emit(Op::kJump, 1, 0);
  land(to_else);
  emit(Op::kMove, lanes, dst, widened(node.false_value, lanes));
  land(to_end);
  return dst;
}

Reg Compiler::masked_choice(const IfThenElseNode& node) {
  const int lanes = node.dtype.lanes;
  const Reg condition = widened(node.condition, lanes);
  const Mask outer = mask_;
  // A choice of other lanes inside one: it is in force while any outer lane is.
  Reg enabled = outer.reg;
  if (enabled != kNoReg && outer.lanes != lanes) {
    const Reg any = allocate(1);
    emit(Op::kAnyLane, outer.lanes, any, outer.reg);
    enabled = widen(any, 1, lanes);
  }
  const auto masked_value = [&](Reg chosen, const Expr& value) {
    if (enabled != kNoReg) chosen = emit_value(Op::kBitAnd, lanes, chosen, enabled);
    mask_ = {chosen, lanes};
    const Reg reg = widened(value, lanes);
    mask_ = outer;
    return reg;
  };
  const Reg a = masked_value(condition, node.true_value);
  const Reg b = masked_value(emit_value(Op::kNot, lanes, condition), node.false_value);
  return emit_value(Op::kSelect, lanes, condition, a, b);
}

Reg Compiler::expr(const LoadNode& node) {
  const DType type = node.dtype;
  if (type.element() != node.buffer->dtype) {
    malformed(fmt::format("a load of dtype {} from buffer '{}' of dtype {}", to_string(type),
                          node.buffer->name, to_string(node.buffer->dtype)));
  }
  Access access = make_access(node.buffer, node.indices, type.lanes);
  set_predicate(access, node.predicate, type.lanes, /*masked=*/true);
  return emit_load(access, type);
}

Reg Compiler::expr(const LetNode& node) {
  bind(node.var, expr(node.value));
  const Reg result = expr(node.body);
  unbind(node.var);
  return result;
}

Reg Compiler::expr(const RampNode& node) {
  const DType type = node.dtype;
  if (!type.is_integer()) malformed(fmt::format("a ramp of dtype {}", to_string(type)));
  const Reg base = expr(node.base);
  const Reg stride = expr(node.stride);
  return normalize(emit_value(Op::kRamp, type.lanes, base, stride), type);
}

Reg Compiler::expr(const BroadcastNode& node) { return widened(node.value, node.dtype.lanes); }

Reg Compiler::expr(const ExtractNode& node) {
  if (node.lane < 0 || node.lane >= node.vector.dtype().lanes) {
    malformed(fmt::format("lane {} of {}", node.lane, to_string(node.vector.dtype())));
  }
  return expr(node.vector) + static_cast<Reg>(node.lane);
}

}  // namespace tilewright::ir::interp
