#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "tilewright/te/tensor.h"

namespace tilewright::te {

using ComputeFunction = std::function<std::vector<Expr>(const std::vector<Var>&)>;

/// What a compute is beside its formula.
struct ComputeOptions {
  std::string name = "compute";
  ir::Attrs attrs;                      ///< become the block's annotations
  std::vector<std::string> axis_names;  ///< "i", "j", "k", "l", "i4", ... where not given
};

/// The general form: `function` gets one variable per dimension of `shape` and returns one value per
/// output. See `compute`.
std::vector<Tensor> compute_all(std::vector<Expr> shape, const ComputeFunction& function,
                                ComputeOptions options = {});

namespace detail {

inline constexpr int kMaxLambdaAxes = 8;

template <size_t>
using VarAt = Var;

template <typename F, typename Seq>
struct TakesVars;
template <typename F, size_t... I>
struct TakesVars<F, std::index_sequence<I...>> : std::is_invocable<F&, VarAt<I>...> {};

/// Number of variables `F` takes one by one; -1 when it takes them as one vector.
template <typename F, int N = 0>
constexpr int lambda_axes() {
  if constexpr (TakesVars<F, std::make_index_sequence<N>>::value) {
    return N;
  } else if constexpr (N < kMaxLambdaAxes) {
    return lambda_axes<F, N + 1>();
  } else {
    static_assert(std::is_invocable_v<F&, const std::vector<Var>&>,
                  "the function of compute takes one te::Var per dimension, or a vector of them");
    return -1;
  }
}

template <typename F, size_t... I>
decltype(auto) call_spread(F& f, const std::vector<Var>& axes, std::index_sequence<I...>) {
  return f(axes[I]...);
}

template <typename F>
decltype(auto) call_lambda(F& f, const std::vector<Var>& axes) {
  constexpr int kAxes = lambda_axes<F>();
  if constexpr (kAxes < 0) {
    return f(axes);
  } else {
    return call_spread(f, axes, std::make_index_sequence<kAxes>());
  }
}

/// Throws Error "te.rank_mismatch" when the lambda's and the shape's number of axes differ.
void check_lambda_axes(int takes, size_t rank, const std::string& name);

}  // namespace detail

/// A tensor of `shape` (constants or expressions over sizes; empty: rank 0) whose element at (i, j, ...)
/// is `function(i, j, ...)`. The function takes one `Var` per dimension or one `std::vector<Var>`, and
/// returns an expression, giving a Tensor, or a vector of expressions, giving one Tensor each. A
/// reduction (te::sum, ...) stands at the top of the returned expression.
///
///     Tensor C = te::compute({m, n}, [&](Var i, Var j) { return te::sum(A(i, k) * B(k, j), {k}); }, "C");
///
/// Throws Error with code
/// - "te.rank_mismatch": the function takes another number of axes than `shape` has;
/// - "te.bad_shape", "te.shape_overflow", "te.bad_name", "te.bad_dtype";
/// - "te.out_of_range": a read outside a tensor that surely happens (not one below if_then_else or
///   masked by a reducer's `where`);
/// - "te.nested_reduce": a reduction inside an expression, which needs two computes;
/// - "te.mixed_outputs": outputs that are not the values of one and the same reduction;
/// - "te.unreduced_axis": a reduce axis used outside its reduction;
/// - "te.unbound_variable": a variable that is no size, scalar or axis of this compute;
/// - "te.division_by_zero": an integer division by constant 0;
/// - "te.empty_argmax": argmax or argmin over no elements;
/// - "ir.dtype": operands of different dtypes.
template <typename F>
auto compute(std::vector<Expr> shape, F&& function, std::string name = "compute",
             ir::Attrs attrs = {}, std::vector<std::string> axis_names = {}) {
  using Lambda = std::remove_reference_t<F>;
  using Result = std::remove_cvref_t<decltype(detail::call_lambda(function, std::vector<Var>()))>;
  ComputeOptions options{std::move(name), std::move(attrs), std::move(axis_names)};
  detail::check_lambda_axes(detail::lambda_axes<Lambda>(), shape.size(), options.name);
  if constexpr (std::is_convertible_v<Result, Expr>) {
    return compute_all(
        std::move(shape),
        [&](const std::vector<Var>& axes) {
          return std::vector<Expr>{Expr(detail::call_lambda(function, axes))};
        },
        std::move(options))[0];
  } else {
    static_assert(std::is_convertible_v<Result, std::vector<Expr>>,
                  "the function of compute returns an expression or a vector of expressions");
    return compute_all(
        std::move(shape),
        [&](const std::vector<Var>& axes) -> std::vector<Expr> {
          return detail::call_lambda(function, axes);
        },
        std::move(options));
  }
}

}  // namespace tilewright::te
