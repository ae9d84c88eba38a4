#include "ir/interp/arithmetic.h"
#include "ir/interp/compiler.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"

namespace tilewright::ir::interp {
namespace {

bool is_single(DType type) { return type.is_float() && type.bits <= 32; }
bool is_half(DType type) { return type.is_float() && type.bits == 16; }
bool is_unsigned(DType type) { return type.is_uint() || type.is_bool(); }

}  // namespace

Reg Compiler::to_double(Reg reg, DType from) {
  if (is_single(from)) return emit_value(Op::kFToD, from.lanes, reg);
  if (from.is_float()) return reg;
  return emit_value(is_unsigned(from) ? Op::kUToD : Op::kSToD, from.lanes, reg);
}

Reg Compiler::from_double(Reg reg, DType to) {
  switch (storage_of(to)) {
    case Storage::kF16: return emit_value(Op::kDToF16, to.lanes, reg);
    case Storage::kBF16: return emit_value(Op::kDToBF16, to.lanes, reg);
    case Storage::kF32: return emit_value(Op::kDToF, to.lanes, reg);
    default: return reg;
  }
}

// Every conversion rounds once.
Reg Compiler::cast(Reg reg, DType from, DType to) {
  const int lanes = to.lanes;
  if (from.element() == to.element()) return reg;
  if (to.is_bool()) {
    if (!from.is_float()) return emit_value(Op::kWrapBool, lanes, reg);
    return emit_value(is_single(from) ? Op::kFNotZero : Op::kDNotZero, lanes, reg);
  }
  if (from.is_float() && to.is_float()) {
    if (is_single(from) && to.bits == 32) return reg;  // exact, and held as float32 already
    return from_double(to_double(reg, from), to);
  }
  if (from.is_float()) {
    const uint32_t type =
        to.is_uint() && to.bits == 64 ? kUnsigned64 : static_cast<uint32_t>(storage_of(to));
    return emit_value(is_single(from) ? Op::kFToInt : Op::kDToInt, lanes, reg, 0, type);
  }
  if (is_half(to)) {
    const Op op = is_unsigned(from) ? Op::kUToOddD : Op::kSToOddD;
    return from_double(emit_value(op, lanes, reg), to);
  }
  if (to.is_float()) {
    if (to.bits == 64) return to_double(reg, from);
    return emit_value(is_unsigned(from) ? Op::kUToF : Op::kSToF, lanes, reg);
  }
  if (to.bits == 64) return reg;  // integers are held extended to 64 bits
  return normalize(emit_value(Op::kMove, lanes, reg), to);
}

Reg Compiler::fma(const CallNode& node) {
  const DType type = node.dtype;
  if (!type.is_float()) malformed(fmt::format("fma of dtype {}", to_string(type)));
  const Reg a = widened(node.args[0], type.lanes);
  const Reg b = widened(node.args[1], type.lanes);
  const Reg c = widened(node.args[2], type.lanes);
  if (is_half(type)) {
    const Reg product = emit_value(Op::kFmaOddD, type.lanes, to_double(a, type), to_double(b, type),
                                   to_double(c, type));
    return from_double(product, type);
  }
  return emit_value(type.bits == 64 ? Op::kFmaD : Op::kFmaF, type.lanes, a, b, c);
}

Reg Compiler::float_class(const CallNode& node) {
  const DType type = node.args[0].dtype();
  const Reg a = expr(node.args[0]);
  if (!type.is_float()) return int_constant(0, type.lanes);
  const Op op = node.intrinsic == Intrinsic::kIsNan ? Op::kIsNanD : Op::kIsInfD;
  return emit_value(op, type.lanes, to_double(a, type));
}

Reg Compiler::integer_call(const CallNode& node) {
  const DType type = node.args[0].dtype();
  const int lanes = type.lanes;
  const Reg a = expr(node.args[0]);
  switch (node.intrinsic) {
    case Intrinsic::kPopcount: return emit_value(Op::kPopcount, lanes, a, 0, type.bits);
    case Intrinsic::kClz: return emit_value(Op::kClz, lanes, a, 0, type.bits);
    case Intrinsic::kAbs:
      return type.is_int() ? normalize(emit_value(Op::kAbs, lanes, a), type) : a;
    case Intrinsic::kFloor:
    case Intrinsic::kCeil:
    case Intrinsic::kTrunc:
    case Intrinsic::kRound: return a;
    default:
      malformed(
          fmt::format("'{}' of a value of dtype {}", info(node.intrinsic).name, to_string(type)));
  }
}

Reg Compiler::bitcast(const CallNode& node) {
  const DType from = node.args[0].dtype();
  if (from.lanes != node.dtype.lanes || from.bits != node.dtype.bits) {
    malformed(fmt::format("bitcast from {} to {}", to_string(from), to_string(node.dtype)));
  }
  const Reg a = expr(node.args[0]);
  return emit_value(Op::kBitcast, from.lanes, a, static_cast<uint32_t>(storage_of(from)),
                    static_cast<uint32_t>(storage_of(node.dtype)));
}

void Compiler::print(const CallNode& node) {
  std::string text;
  std::vector<ValueReg> values;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (const auto* string = node.args[i].as<StringImmNode>()) {
      text += string->value;
    } else {
      values.push_back({expr(node.args[i]), node.args[i].dtype()});
    }
  }
  emit(Op::kPrint, 1, 0, 0, 0, add_message("", std::move(text), values));
}

void Compiler::call_extern(const CallNode& node) {
  const auto* symbol = node.args.empty() ? nullptr : node.args[0].as<StringImmNode>();
  if (!symbol) malformed("call_extern without a symbol");
  if (!options_.externs.count(symbol->value)) {
    fail(
        "interp.extern",
        "'{}' calls the extern function '{}', which the interpreter cannot run, so it cannot check "
        "it either; register a reference that does the same (externs in the options)",
        program_.name, symbol->value);
  }
  ExternCall call{symbol->value, {}};
  for (size_t i = 1; i < node.args.size(); ++i) {
    ExternCall::Arg arg;
    if (const auto* place = node.args[i].as<LoadNode>()) {
      arg.value.dtype = place->buffer->dtype;
      program_.accesses.push_back(make_access(place->buffer, place->indices, 1));
      arg.access = static_cast<int32_t>(program_.accesses.size() - 1);
    } else {
      arg.value = {expr(node.args[i]), node.args[i].dtype()};
    }
    call.args.push_back(arg);
  }
  program_.extern_calls.push_back(std::move(call));
  emit(Op::kCallExtern, 1, 0, 0, 0, static_cast<uint32_t>(program_.extern_calls.size() - 1));
}

// The value, after a test that it lies in the promised range. Lanes left out by a lazy choice are not tested.
Reg Compiler::promised(const CallNode& node) {
  const DType type = node.dtype;
  Var value("value", type), begin("begin", type), end("end", type);
  const Reg result = expr(node.args[0]);
  bind(value, result);
  bind(begin, widened(node.args[1], type.lanes));
  bind(end, widened(node.args[2], type.lanes));
  Reg good = expr(value >= begin && value < end);
  if (type.lanes > 1) {
    Reg bad = emit_value(Op::kNot, type.lanes, good);
    if (mask_.reg != kNoReg && mask_.lanes == type.lanes) {
      bad = emit_value(Op::kBitAnd, type.lanes, bad, mask_.reg);
    }
    const Reg any = allocate(1);
    emit(Op::kAnyLane, type.lanes, any, bad);
    good = emit_value(Op::kNot, 1, any);
  }
  const std::vector<ValueReg> values = {
      {result, type}, {registers_.at(begin.get()), type}, {registers_.at(end.get()), type}};
  emit(Op::kAssert, 1, 0, good, 0,
       add_message("interp.assumption",
                   fmt::format("{}: the value {{}} of {} lies outside of the assumed range {{}} <= "
                               "value < {{}}",
                               program_.name, to_pretty(node.args[0])),
                   values));
  for (const Var& var : {value, begin, end}) unbind(var);
  return result;
}

Reg Compiler::maths(const CallNode& node) {
  const DType type = node.dtype;
  if (!type.is_float()) return integer_call(node);
  const Reg a = to_double(widened(node.args[0], type.lanes), type);
  Reg result;
  if (node.intrinsic == Intrinsic::kPow) {
    const Reg b = to_double(widened(node.args[1], type.lanes), type);
    result = emit_value(Op::kPowD, type.lanes, a, b);
  } else {
    result = emit_value(Op::kMathD, type.lanes, a, 0, static_cast<uint32_t>(node.intrinsic));
  }
  return from_double(result, type);
}

Reg Compiler::expr(const CallNode& node) {
  const IntrinsicInfo& row = info(node.intrinsic);
  if (row.arity >= 0 && node.args.size() != static_cast<size_t>(row.arity)) {
    malformed(fmt::format("'{}' with {} arguments", row.name, node.args.size()));
  }
  switch (node.intrinsic) {
    case Intrinsic::kIsNan:
    case Intrinsic::kIsInf: return float_class(node);
    case Intrinsic::kFma: return fma(node);
    case Intrinsic::kPopcount:
    case Intrinsic::kClz: return integer_call(node);
    case Intrinsic::kLikely: return expr(node.args[0]);
    case Intrinsic::kBitcast: return bitcast(node);
    case Intrinsic::kPrefetch: return int_constant(0, node.dtype.lanes);  // a hint, has no meaning
    case Intrinsic::kPrint: print(node); return int_constant(0, node.dtype.lanes);
    case Intrinsic::kAssumeRange: return promised(node);
    case Intrinsic::kCallExtern: call_extern(node); return int_constant(0, node.dtype.lanes);
    default: return maths(node);
  }
}

}  // namespace tilewright::ir::interp
