#include <array>

#include "ir/ops_util.h"

namespace tilewright::ir {

using namespace detail;

namespace {

constexpr IntrinsicInfo kIntrinsics[] = {
#define TILEWRIGHT_INTRINSIC(id, name, arity, effect, ulp) \
  {Intrinsic::id, name, arity, effect, ulp},
#include "tilewright/ir/intrinsics.def"
#undef TILEWRIGHT_INTRINSIC
};

void need(bool holds, const IntrinsicInfo& row, const char* wanted, const Expr& got) {
  if (!holds)
    fail("ir.dtype", "{} needs {}, got {}; convert it with cast", row.name, wanted, shown(got));
}

// Float arguments of one dtype; integer literals become floats.
DType float_result(const IntrinsicInfo& row, std::vector<Expr>& args) {
  const std::string what(row.name);
  for (Expr& arg : args) {
    if (int_literal(arg)) arg = adapt_literal(arg, kFloat32);
    if (!arg.defined()) fail("ir.dtype", "{} needs floats, got bool; convert it with cast", what);
  }
  for (size_t i = 1; i < args.size(); ++i) unify(what, args[0], args[i]);
  for (size_t i = 1; i < args.size(); ++i) unify(what, args[0], args[i]);
  need(args[0].dtype().is_float(), row, "floats", args[0]);
  return args[0].dtype();
}

bool is_c_name(const std::string& name) {
  bool good = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
  for (char c : name) {
    good = good &&
           ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
  }
  return good;
}

// The value and its range as int64, so that the end of a narrow type's range exists too.
DType promised_dtype(std::vector<Expr>& args) {
  for (Expr& arg : args) {
    if (!arg.dtype().is_integer()) {
      fail("ir.dtype", "assume_range needs integers, got {}; convert it with cast", shown(arg));
    }
    arg = cast(kInt64, arg);
  }
  return args[0].dtype();
}

void check_extern_call(const std::vector<Expr>& args) {
  const auto* symbol = args.empty() ? nullptr : args[0].as<StringImmNode>();
  if (!symbol || !is_c_name(symbol->value)) {
    fail("ir.argument", "call_extern needs the name of a C function as its first argument");
  }
  for (size_t i = 1; i < args.size(); ++i) {
    const DType t = args[i].dtype();
    const bool number = t.is_integer() || (t.is_float() && t.bits >= 32);
    if (args[i].as<LoadNode>() || (t.is_scalar() && number)) continue;
    fail("ir.argument",
         "argument {} of call_extern of {} is {}; it takes elements, whose address is passed, and "
         "scalar integers, float32 and float64",
         i, symbol->value, shown(args[i]));
  }
}

DType result_dtype(const IntrinsicInfo& row, std::vector<Expr>& args) {
  switch (row.id) {
    case Intrinsic::kAbs:
      need(args[0].dtype().is_float() || args[0].dtype().is_integer(), row, "a number", args[0]);
      return args[0].dtype();
    case Intrinsic::kIsNan:
    case Intrinsic::kIsInf:
      need(args[0].dtype().is_float(), row, "a float", args[0]);
      return kBool.with_lanes(args[0].dtype().lanes);
    case Intrinsic::kPopcount:
    case Intrinsic::kClz:
      need(args[0].dtype().is_integer(), row, "an integer", args[0]);
      return args[0].dtype();
    case Intrinsic::kLikely:
      need(args[0].dtype().is_bool(), row, "bool", args[0]);
      return args[0].dtype();
    case Intrinsic::kBitcast:
      fail("ir.dtype", "bitcast needs the wanted dtype; use bitcast(dtype, value)");
    case Intrinsic::kAssumeRange: return promised_dtype(args);
    case Intrinsic::kCallExtern: check_extern_call(args); return kInt32;
    case Intrinsic::kPrefetch:
      if (!args[0].as<LoadNode>() || !as_const_int(args[1]) || !as_const_int(args[2])) {
        fail("ir.argument",
             "prefetch needs a load, 0 or 1 (write), and a locality 0..3, constants");
      }
      return kInt32;
    case Intrinsic::kPrint:
      if (args.empty() || !args[0].as<StringImmNode>()) {
        fail("ir.argument", "print needs a text as its first argument");
      }
      return kInt32;
    default: return float_result(row, args);
  }
}

}  // namespace

const IntrinsicInfo& info(Intrinsic intrinsic) {
  return kIntrinsics[static_cast<size_t>(intrinsic)];
}

const IntrinsicInfo* find_intrinsic(std::string_view name) {
  for (const IntrinsicInfo& row : kIntrinsics) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Expr call(Intrinsic intrinsic, std::vector<Expr> args) {
  const IntrinsicInfo& row = info(intrinsic);
  if (row.arity >= 0 && args.size() != static_cast<size_t>(row.arity)) {
    fail("ir.argument", "{} takes {} argument(s), got {}", row.name, row.arity, args.size());
  }
  for (const Expr& arg : args) require(arg, std::string(row.name));
  const DType dtype = result_dtype(row, args);
  if (Expr folded = fold_call(intrinsic, dtype, args); folded.defined()) return folded;
  return Expr(new CallNode(dtype, intrinsic, std::move(args)));
}

Expr bitcast(DType dtype, Expr value) {
  require(value, "bitcast");
  if (dtype.is_scalar()) dtype = dtype.with_lanes(value.dtype().lanes);
  const DType from = value.dtype();
  const bool numbers =
      (dtype.is_integer() || dtype.is_float()) && (from.is_integer() || from.is_float());
  if (!numbers || dtype.bits != from.bits || dtype.lanes != from.lanes) {
    fail("ir.dtype", "bitcast from {} to {}: the widths differ or it is not a number", shown(value),
         to_string(dtype));
  }
  if (from == dtype) return value;
  return Expr(new CallNode(dtype, Intrinsic::kBitcast, {std::move(value)}));
}

#define TILEWRIGHT_MATH(name, id) \
  Expr name(Expr x) { return call(Intrinsic::id, {std::move(x)}); }
TILEWRIGHT_MATH(abs, kAbs)
TILEWRIGHT_MATH(sqrt, kSqrt)
TILEWRIGHT_MATH(rsqrt, kRsqrt)
TILEWRIGHT_MATH(exp, kExp)
TILEWRIGHT_MATH(exp2, kExp2)
TILEWRIGHT_MATH(log, kLog)
TILEWRIGHT_MATH(log2, kLog2)
TILEWRIGHT_MATH(log1p, kLog1p)
TILEWRIGHT_MATH(expm1, kExpm1)
TILEWRIGHT_MATH(tanh, kTanh)
TILEWRIGHT_MATH(sigmoid, kSigmoid)
TILEWRIGHT_MATH(erf, kErf)
TILEWRIGHT_MATH(sin, kSin)
TILEWRIGHT_MATH(cos, kCos)
TILEWRIGHT_MATH(floor, kFloor)
TILEWRIGHT_MATH(ceil, kCeil)
TILEWRIGHT_MATH(trunc, kTrunc)
TILEWRIGHT_MATH(round, kRound)
TILEWRIGHT_MATH(isnan, kIsNan)
TILEWRIGHT_MATH(isinf, kIsInf)
#undef TILEWRIGHT_MATH
Expr pow(Expr x, Expr y) { return call(Intrinsic::kPow, {std::move(x), std::move(y)}); }

}  // namespace tilewright::ir
