#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "tilewright/te/variable.h"

namespace tilewright::te {

/// What makes a tensor: a placeholder or a compute. Immutable.
struct Operation : RefCounted {
  enum class Kind : uint8_t { kPlaceholder, kCompute };
  Operation(Kind k, std::string n, std::vector<Expr> s)
      : kind(k), name(std::move(n)), shape(std::move(s)) {}
  const Kind kind;
  const std::string name;
  const std::vector<Expr> shape;  ///< of every output
};

struct PlaceholderOp final : Operation {
  PlaceholderOp(std::string n, std::vector<Expr> s)
      : Operation(Kind::kPlaceholder, std::move(n), std::move(s)) {}
};

/// outputs[v][axes] = values[v], or, with a reducer, the fold of values over reduce_axes where `where`.
struct ComputeOp final : Operation {
  ComputeOp(std::string n, std::vector<Expr> s) : Operation(Kind::kCompute, std::move(n), s) {}
  std::vector<Var> axes;
  std::vector<Expr> values;  ///< over axes and reduce_axes; one per output
  ir::Reducer reducer;       ///< null: not a reduction
  std::vector<Var> reduce_axes;
  std::vector<Range> reduce_domains;
  Expr where;                       ///< null: everywhere
  std::vector<ir::Buffer> inputs;   ///< in order of first use
  std::vector<Expr> preconditions;  ///< over sizes: what the reads and the reducer rely on
  ir::Attrs attrs;
};

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
