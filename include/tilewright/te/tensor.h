#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "tilewright/te/variable.h"

namespace tilewright::te {

/// What makes a tensor: a placeholder, a compute, a scan or an extern computation. Immutable.
struct Operation : RefCounted {
  enum class Kind : uint8_t { kPlaceholder, kCompute, kScan, kExtern };
  Operation(Kind k, std::string n, std::vector<Expr> s)
      : kind(k), name(std::move(n)), shape(std::move(s)) {}
  const Kind kind;
  const std::string name;
  const std::vector<Expr> shape;  ///< of every output of a placeholder or compute
};

struct PlaceholderOp final : Operation {
  PlaceholderOp(std::string n, std::vector<Expr> s)
      : Operation(Kind::kPlaceholder, std::move(n), std::move(s)) {}
};

/// outputs[v][axes] = values[v], or, with a reducer, the fold of values over reduce_axes where `where`.
struct ComputeOp final : Operation {
  ComputeOp(std::string n, std::vector<Expr> s) : Operation(Kind::kCompute, std::move(n), s) {}
  std::vector<Var> axes;
  int64_t ordered_axis = -1;        ///< the axis that is the step of a scan; -1: none
  const Operation* scan = nullptr;  ///< whose formula it is; null: a compute of its own
  std::vector<Expr> values;         ///< over axes and reduce_axes; one per output
  ir::Reducer reducer;              ///< null: not a reduction
  std::vector<Var> reduce_axes;
  std::vector<Range> reduce_domains;
  Expr where;                       ///< null: everywhere
  std::vector<ir::Buffer> inputs;   ///< in order of first use
  std::vector<Expr> preconditions;  ///< over sizes: what the reads and the reducer rely on
  ir::Attrs attrs;
};

/// One value of a scan: a state or an intermediate value of a step.
struct ScanStage {
  std::string name;
  DType dtype;
  std::vector<Expr> shape;  ///< without the step
  int64_t axis = 0;         ///< place of the step among the result's dimensions
  bool is_state = false;
  ir::Buffer buffer;  ///< what the formulas of the scan read; its definition is an InnerDefinition
  std::vector<Var> init_axes;
  Expr init;                     ///< over init_axes; states only
  Ref<const ComputeOp> formula;  ///< with the step among its axes; null until a state is updated
};

/// Stages in the order in which they were made; each step computes those with a formula in `order`.
struct ScanOp final : Operation {
  ScanOp(std::string n, Expr s, Var t)
      : Operation(Kind::kScan, std::move(n), {}), steps(std::move(s)), step(std::move(t)) {}
  const Expr steps;
  const Var step;
  std::vector<ScanStage> stages;
  std::vector<int64_t> order;      ///< indices of stages as their formulas were written
  std::vector<ir::Buffer> inputs;  ///< of all formulas, in order of first use
  bool finished = false;
};

/// Statements over the buffers of inputs, outputs (InnerDefinition) and temporaries (no definition).
struct ExternOp final : Operation {
  explicit ExternOp(std::string n) : Operation(Kind::kExtern, std::move(n), {}) {}
  std::vector<ir::Buffer> inputs, outputs, temporaries;
  ir::Stmt body;
  bool is_call = false;  ///< of a C function
};

/// The `definition` of a buffer that only the body of one operation uses; it does not keep that alive.
struct InnerDefinition final : RefCounted {
  InnerDefinition(const Operation* o, int64_t v) : op(o), value_index(v) {}
  const Operation* const op;
  const int64_t value_index;
};
/// Null when `buffer` is none of these.
const InnerDefinition* inner_definition_of(const ir::BufferNode* buffer);

/// The `definition` of a tensor's buffer. Operations hold the buffers they read and buffers the
/// operation that made them, so a tensor keeps alive what it is computed from.
struct TensorDefinition final : RefCounted {
  TensorDefinition(Ref<const Operation> o, int64_t v) : op(std::move(o)), value_index(v) {}
  const Ref<const Operation> op;
  const int64_t value_index;
};

/// Null when `buffer` is no tensor of a tensor expression.
const TensorDefinition* definition_of(const ir::BufferNode* buffer);

/// Anything usable as one index.
template <typename T>
concept Index = std::convertible_to<T, Expr>;

/// A multi-dimensional value: an argument, or output number `value_index` of a compute. A handle;
/// compares by identity. The default one is null and only good for being assigned to.
class Tensor {
 public:
  Tensor() = default;
  /// Throws Error "te.foreign_buffer" when `buffer` is no tensor.
  explicit Tensor(ir::Buffer buffer);

  /// The element at the indices, one integer a dimension: `A(i, j)`, or `A()` of a rank-0 tensor.
  /// Throws Error "te.rank_mismatch" / "te.index_dtype".
  template <Index... I>
  Expr operator()(I&&... indices) const {
    return at(std::vector<Expr>{Expr(std::forward<I>(indices))...});
  }
  Expr operator()(const std::vector<Expr>& indices) const { return at(indices); }
  Expr operator()(const std::vector<Var>& indices) const {
    return at(std::vector<Expr>(indices.begin(), indices.end()));
  }
  Expr at(const std::vector<Expr>& indices) const;

  const std::vector<Expr>& shape() const { return buffer_->shape; }
  const Expr& extent(int dim) const { return buffer_->shape.at(dim); }
  int rank() const { return buffer_->rank(); }
  DType dtype() const { return buffer_->dtype; }
  const std::string& name() const { return buffer_->name; }
  const ir::Buffer& buffer() const { return buffer_; }
  const Operation& op() const;
  int64_t value_index() const;

  bool defined() const { return buffer_.defined(); }
  bool operator==(const Tensor& other) const { return buffer_.same_as(other.buffer_); }

 private:
  ir::Buffer buffer_;
};

/// An argument tensor. `shape` holds constants or expressions over sizes; empty: rank 0. Throws Error
/// "te.bad_shape" (negative, not an integer, or depending on something that is no size),
/// "te.shape_overflow" (more bytes than int64 counts), "te.bad_name" (not an identifier) or
/// "te.bad_dtype".
Tensor placeholder(std::vector<Expr> shape, DType dtype, std::string name = "placeholder");

}  // namespace tilewright::te
