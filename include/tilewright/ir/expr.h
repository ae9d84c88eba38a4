#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "tilewright/ir/intrinsics.h"
#include "tilewright/ir/node.h"

/// \file
/// Expression nodes and what they mean. The meaning stated here is the meaning everywhere: constant
/// folding, interpreter and every back end agree with it.
///
/// Integers wrap modulo 2^bits; no operation promises "no overflow". Division or modulo by zero gives 0
/// for data and is refused for constants; INT_MIN / -1 wraps to INT_MIN. Shift counts are taken modulo
/// the width; `>>` is arithmetic on signed and logical on unsigned types. Floats are IEEE 754 with
/// round-to-nearest-even; the only permitted change is contraction of a*b+c into a fused multiply-add.
/// float -> int conversion truncates towards zero, saturates at the type's limits and maps NaN to 0.
/// float -> bool and int -> bool are `!= 0`; bool -> number gives 0 or 1. float16/bfloat16 arithmetic is
/// done in float32 and rounded to nearest even after each operation.

namespace tilewright::ir {

enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,       ///< floats only
  kFloorDiv,  ///< integers: quotient rounded to minus infinity (Python //)
  kFloorMod,  ///< integers: x - floor_div(x, y) * y, sign of the divisor (Python %)
  kTruncDiv,  ///< integers: quotient rounded to zero (C /)
  kTruncMod,  ///< integers: sign of the dividend (C %)
  kMin,       ///< propagates NaN (numpy.minimum)
  kMax,       ///< propagates NaN (numpy.maximum)
  kFMin,      ///< floats: ignores one NaN (numpy.fmin)
  kFMax,      ///< floats: ignores one NaN (numpy.fmax)
  kAnd,       ///< bools, both sides evaluated
  kOr,        ///< bools, both sides evaluated
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
};
bool is_comparison(BinaryOp op);
/// The printed spelling: "+", "//", "min", "&&", ...
const char* spelling(BinaryOp op);

enum class UnaryOp : uint8_t {
  kNeg,     ///< floats flip the sign bit, integers wrap
  kNot,     ///< bool
  kBitNot,  ///< integers
};
const char* spelling(UnaryOp op);

// Each node has: kKind, a constructor taking all fields in the order of `fields`, and `fields`.
#define TILEWRIGHT_NODE(Name)                          \
  static constexpr NodeKind kKind = NodeKind::k##Name; \
  static constexpr const char* kName = #Name;

/// Integer or bool constant. Unsigned 64-bit values are stored as their bit pattern; narrower values
/// are stored sign- or zero-extended (normalised by `make_int`).
struct IntImmNode final : ExprNode {
  TILEWRIGHT_NODE(IntImm)
  IntImmNode(DType type, int64_t v) : ExprNode(kKind, type), value(v) {}
  const int64_t value;
  auto fields() const { return std::tie(value); }
};

/// Float constant, already rounded to its dtype.
struct FloatImmNode final : ExprNode {
  TILEWRIGHT_NODE(FloatImm)
  FloatImmNode(DType type, double v) : FloatImmNode(type, v, v) {}
  FloatImmNode(DType type, double v, double as_written)
      : ExprNode(kKind, type), value(v), written(as_written) {}
  const double value;
  /// The number before rounding: `x + 0.1` gives a float64 `x` the nearest float64, although the
  /// literal by itself is a float32. Not compared and not printed.
  const double written;
  auto fields() const { return std::tie(value); }
};

/// Text, only as an argument of an effect call (print, assert). dtype handle.
struct StringImmNode final : ExprNode {
  TILEWRIGHT_NODE(StringImm)
  explicit StringImmNode(std::string v) : ExprNode(kKind, kHandle), value(std::move(v)) {}
  const std::string value;
  auto fields() const { return std::tie(value); }
};

struct VarNode final : ExprNode {
  TILEWRIGHT_NODE(Var)
  VarNode(DType type, std::string n, Ref<const RefCounted> def = {})
      : ExprNode(kKind, type), name(std::move(n)), definition(std::move(def)) {}
  const std::string name;
  /// What makes the variable in a tensor expression (size, scalar, axis); may be null; not compared.
  const Ref<const RefCounted> definition;
  auto fields() const { return std::tie(name); }
};

/// Value conversion to `dtype` (rules in the file comment).
struct CastNode final : ExprNode {
  TILEWRIGHT_NODE(Cast)
  CastNode(DType type, Expr v) : ExprNode(kKind, type), value(std::move(v)) {}
  const Expr value;
  auto fields() const { return std::tie(value); }
};

struct UnaryNode final : ExprNode {
  TILEWRIGHT_NODE(Unary)
  UnaryNode(DType type, UnaryOp o, Expr x) : ExprNode(kKind, type), op(o), a(std::move(x)) {}
  const UnaryOp op;
  const Expr a;
  auto fields() const { return std::tie(op, a); }
};

/// Both operands have one dtype; a comparison's dtype is bool with their lanes.
struct BinaryNode final : ExprNode {
  TILEWRIGHT_NODE(Binary)
  BinaryNode(DType type, BinaryOp o, Expr x, Expr y)
      : ExprNode(kKind, type), op(o), a(std::move(x)), b(std::move(y)) {}
  const BinaryOp op;
  const Expr a, b;
  auto fields() const { return std::tie(op, a, b); }
};

/// Eager choice: both values are evaluated (so both must be safe to evaluate). Lane-wise.
struct SelectNode final : ExprNode {
  TILEWRIGHT_NODE(Select)
  SelectNode(DType type, Expr c, Expr t, Expr f)
      : ExprNode(kKind, type),
        condition(std::move(c)),
        true_value(std::move(t)),
        false_value(std::move(f)) {}
  const Expr condition, true_value, false_value;
  auto fields() const { return std::tie(condition, true_value, false_value); }
};

/// Lazy choice: only the chosen side is evaluated; with a vector condition, the loads of each side are
/// masked by it.
struct IfThenElseNode final : ExprNode {
  TILEWRIGHT_NODE(IfThenElse)
  IfThenElseNode(DType type, Expr c, Expr t, Expr f)
      : ExprNode(kKind, type),
        condition(std::move(c)),
        true_value(std::move(t)),
        false_value(std::move(f)) {}
  const Expr condition, true_value, false_value;
  auto fields() const { return std::tie(condition, true_value, false_value); }
};

/// Reads one element at logical n-d `indices` (levels scheduled), or at a flat offset in elements
/// (level flat: exactly one index, maybe a vector; a unit-stride ramp is a vector load). `predicate`
/// may be null; lanes where it is false are not read and give 0.
struct LoadNode final : ExprNode {
  TILEWRIGHT_NODE(Load)
  LoadNode(DType type, Buffer b, std::vector<Expr> i, Expr p = {})
      : ExprNode(kKind, type),
        buffer(std::move(b)),
        indices(std::move(i)),
        predicate(std::move(p)) {}
  const Buffer buffer;
  const std::vector<Expr> indices;
  const Expr predicate;
  auto fields() const { return std::tie(buffer, indices, predicate); }
};

/// Call of an intrinsic of `intrinsics.def`: maths functions, prefetch, print, checks.
struct CallNode final : ExprNode {
  TILEWRIGHT_NODE(Call)
  CallNode(DType type, Intrinsic i, std::vector<Expr> a)
      : ExprNode(kKind, type), intrinsic(i), args(std::move(a)) {}
  const Intrinsic intrinsic;
  const std::vector<Expr> args;
  auto fields() const { return std::tie(intrinsic, args); }
};

/// `value` bound to `var` within `body`.
struct LetNode final : ExprNode {
  TILEWRIGHT_NODE(Let)
  LetNode(Var v, Expr val, Expr b)
      : ExprNode(kKind, b.dtype()), var(std::move(v)), value(std::move(val)), body(std::move(b)) {}
  const Var var;
  const Expr value, body;
  auto fields() const { return std::tie(var, value, body); }
};

/// [base, base + stride, ..., base + (lanes-1)*stride]; base is a scalar.
struct RampNode final : ExprNode {
  TILEWRIGHT_NODE(Ramp)
  RampNode(Expr b, Expr s, int lanes)
      : ExprNode(kKind, b.dtype().with_lanes(lanes)), base(std::move(b)), stride(std::move(s)) {}
  const Expr base, stride;
  auto fields() const { return std::tie(base, stride); }
};

/// A scalar in every lane.
struct BroadcastNode final : ExprNode {
  TILEWRIGHT_NODE(Broadcast)
  BroadcastNode(Expr v, int lanes)
      : ExprNode(kKind, v.dtype().with_lanes(lanes)), value(std::move(v)) {}
  const Expr value;
  auto fields() const { return std::tie(value); }
};

/// One lane of a vector, lane a constant in range.
struct ExtractNode final : ExprNode {
  TILEWRIGHT_NODE(Extract)
  ExtractNode(Expr v, int64_t l)
      : ExprNode(kKind, v.dtype().element()), vector(std::move(v)), lane(l) {}
  const Expr vector;
  const int64_t lane;
  auto fields() const { return std::tie(vector, lane); }
};

}  // namespace tilewright::ir
