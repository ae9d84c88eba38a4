#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/te/compute.h"

/// \file
/// Recurrences: what is computed step by step, each step from the state that the one before left.

namespace tilewright::te {

struct ScanOp;

/// A value inside of a scan: a state, read as it was before the step, or an intermediate value of the step.
/// Only the formulas of its scan may read it.
class ScanValue {
 public:
  ScanValue() = default;
  ScanValue(Ref<ScanOp> scan, int64_t index) : scan_(std::move(scan)), index_(index) {}

  template <Index... I>
  Expr operator()(I&&... indices) const {
    return at(std::vector<Expr>{Expr(std::forward<I>(indices))...});
  }
  Expr operator()(const std::vector<Expr>& indices) const { return at(indices); }
  Expr operator()(const std::vector<Var>& indices) const {
    return at(std::vector<Expr>(indices.begin(), indices.end()));
  }
  /// Throws Error "te.rank_mismatch" / "te.index_dtype".
  Expr at(const std::vector<Expr>& indices) const;

  bool defined() const { return scan_.defined(); }
  int64_t index() const { return index_; }
  const Ref<ScanOp>& scan() const { return scan_; }
  std::vector<Expr> shape() const;
  DType dtype() const;
  std::string name() const;

 private:
  Ref<ScanOp> scan_;
  int64_t index_ = -1;
};

struct ScanStateOptions {
  std::string name = "state";
  int64_t axis = 0;              ///< where the step stands among the dimensions of the result
  std::optional<DType> dtype{};  ///< that of the initial value when not given
};

/// A recurrence over the steps 0 .. steps-1 with any number of states and intermediate values:
///
///     Scan scan(n, "rnn");                                  // h' = tanh(W h + x[t])
///     ScanValue h = scan.state({m}, [&](Var i) { return h0(i); }, {"h"});
///     ScanValue z = scan.compute({m}, [&](Var i) { return te::sum(w(i, k) * h(k), k); }, "z");
///     scan.update(h, [&](Var i) { return te::tanh(z(i) + x(scan.step(), i)); });
///     Tensor out = scan.finish()[0];                        // out(t, i): h after step t
///
/// A state is read as the step before left it (in step 0: its initial value), whatever the order in which
/// updates are written. Each step may read all of a state, such as a neighbour's or every element. The
/// result of a state has one more dimension, the step, and is inclusive: element t is the state after step
/// t. Without steps it is empty. In a function, the step is an `ordered` axis: its loop keeps its order and
/// is never run in parallel or in lanes, while the other axes are scheduled as those of a compute.
class Scan {
 public:
  /// `steps`: a constant or an expression over sizes. Throws Error "te.bad_shape" or "te.bad_name".
  explicit Scan(Expr steps, std::string name = "scan");

  /// The number of the step, 0 .. steps-1, for use in the formulas.
  const Var& step() const;

  /// A state of `shape` (without the step) that is `init(i, ...)` before the first step. Throws what
  /// `compute` does and Error "te.scan_axis" for an axis outside of 0 .. rank.
  template <typename F>
  requires(!std::is_convertible_v<F, Expr>) ScanValue
      state(std::vector<Expr> shape, F&& init, ScanStateOptions options = {}) {
    const ComputeFunction function = function_of(init, shape.size(), options.name);
    return add_state(std::move(shape), function, std::move(options));
  }
  /// The same value everywhere before the first step.
  ScanValue state(std::vector<Expr> shape, Expr init, ScanStateOptions options = {}) {
    return add_state(
        std::move(shape), [init](const std::vector<Var>&) { return std::vector<Expr>{init}; },
        std::move(options));
  }

  /// An intermediate value of each step, elementwise or a reduction. Those written later may read it.
  template <typename F>
  ScanValue compute(std::vector<Expr> shape, F&& function, std::string name = "value") {
    const size_t rank = shape.size();
    return add_value(std::move(shape), function_of(function, rank, name), std::move(name));
  }

  /// The state after the step, elementwise or a reduction; every state needs exactly one. Throws Error
  /// "te.scan_update" (none, two, or of another scan) and "te.scan_dtype" (another dtype than the state's).
  template <typename F>
  void update(const ScanValue& state, F&& function) {
    set_update(state, function_of(function, rank_of(state), "update"));
  }

  /// The results, one tensor per state in the order in which the states were made. Ends the scan.
  std::vector<Tensor> finish();

  // What the templates call.
  ScanValue add_state(std::vector<Expr> shape, const ComputeFunction& init,
                      ScanStateOptions options);
  ScanValue add_value(std::vector<Expr> shape, const ComputeFunction& function, std::string name);
  void set_update(const ScanValue& state, const ComputeFunction& function);

 private:
  static size_t rank_of(const ScanValue& state);

  template <typename F>
  static ComputeFunction function_of(F& function, size_t rank, const std::string& name) {
    detail::check_lambda_axes(detail::lambda_axes<std::remove_reference_t<F>>(), rank, name);
    return [&function](const std::vector<Var>& axes) {
      return std::vector<Expr>{Expr(detail::call_lambda(function, axes))};
    };
  }

  Ref<ScanOp> op_;
};

/// A recurrence with one state: `update(t, previous, axes)` gives the state after step t at `axes` from the
/// state before. A cumulative sum:
///
///     Tensor s = te::scan(n, {m}, 0.0f, [&](Var t, const ScanValue& before, const std::vector<Var>& i) {
///       return before(i) + x(t, i[0]);
///     }, {"cumsum"});
///
/// Throws as `Scan` does.
Tensor scan(Expr steps, std::vector<Expr> shape, Expr init,
            const std::function<Expr(const Var& step, const ScanValue& before,
                                     const std::vector<Var>& axes)>& update,
            ScanStateOptions options = {});

}  // namespace tilewright::te
