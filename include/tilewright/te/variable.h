#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "tilewright/ir/ops.h"

/// \file
/// The variables of tensor expressions: sizes, scalar arguments, and axes.

namespace tilewright::te {

using ir::Expr;
using ir::Range;
using ir::Var;

enum class VarRole : uint8_t {
  kSize,        ///< a symbolic extent, >= 0
  kScalar,      ///< a scalar argument of the function
  kAxis,        ///< an axis of a compute's output
  kReduceAxis,  ///< an axis to reduce over
  kStep,        ///< the step of a scan
};

/// What a variable of a tensor expression is; the `definition` of its VarNode.
struct VarDefinition final : RefCounted {
  VarDefinition(VarRole r, Range d = {}) : role(r), dom(std::move(d)) {}
  const VarRole role;
  const Range dom;  ///< axes only
};

/// Null when `var` is no variable of a tensor expression.
const VarDefinition* definition_of(const ir::VarNode* var);

/// A symbolic size (int64, >= 0), usable in shapes, extents, indices and values. Two calls give two
/// different sizes, also with one name. Its value comes from the shapes of the arguments at the call.
Var var(std::string name);
/// The same as `var`.
Var size_var(std::string name);

/// A scalar argument of the function, to be listed among the arguments of create_prim_func. It may be
/// used in values, conditions and indices, not in shapes.
Var scalar(std::string name, DType dtype);

/// A constant of exactly this dtype. Throws Error "te.bad_constant" when an integer dtype can't hold the
/// value.
Expr constant(DType dtype, double value);
Expr constant_int(DType dtype, int64_t value);
template <std::integral T>
Expr constant(DType dtype, T value) {
  return constant_int(dtype, static_cast<int64_t>(value));
}

/// [begin, end).
Range range(Expr begin, Expr end);

/// An axis that a reducer folds away: an int64 variable and the range it runs over. One axis may serve
/// several computes.
class ReduceAxis : public Var {
 public:
  /// Throws Error "te.not_an_axis" when `var` was not made by reduce_axis.
  explicit ReduceAxis(const Expr& var);
  const Range& dom() const;

 private:
  friend ReduceAxis reduce_axis(Range dom, std::string name);
  ReduceAxis(Range dom, std::string name);
};

using Axes = std::vector<ReduceAxis>;

/// An axis over `dom`, resp. [0, extent). The ends are constants or expressions over sizes. An empty
/// range is legal: the reduction then gives its identity (argmax and argmin refuse it). Throws Error
/// "te.bad_range" on a negative constant extent or on ends that depend on axes, data or scalars (write
/// such a condition as the reducer's `where`).
ReduceAxis reduce_axis(Range dom, std::string name = "k");
ReduceAxis reduce_axis(Expr extent, std::string name = "k");

}  // namespace tilewright::te
