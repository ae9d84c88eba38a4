#include "ops/definitions/definitions.h"
#include "tilewright/te/te.h"

namespace tilewright::ops {
namespace {

using te::Expr;
using te::Tensor;
using te::Var;

// C[b, i, j] = sum over k of A[b, i, k] * B[b, k, j]; a batch of 1 has no batch dimension.
Tensors make_matmul(const Values& values) {
  const int64_t m = values.integer("m"), n = values.integer("n"), k = values.integer("k");
  const int64_t batch = values.integer("batch");
  const bool trans_a = values.flag("trans_a"), trans_b = values.flag("trans_b");
  const DType dtype = values.dtype("dtype");
  const DType acc = detail::accumulator_dtype(dtype);

  const auto shape = [&](int64_t rows, int64_t cols) {
    std::vector<Expr> dims{rows, cols};
    if (batch > 1) dims.insert(dims.begin(), Expr(batch));
    return dims;
  };
  Tensor a = te::placeholder(trans_a ? shape(k, m) : shape(m, k), dtype, "A");
  Tensor b = te::placeholder(trans_b ? shape(n, k) : shape(k, n), dtype, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  std::vector<std::string> names{"i", "j"};
  if (batch > 1) names.insert(names.begin(), "b");

  const auto element = [&](const Tensor& t, const std::vector<Var>& axes, Expr row, Expr col,
                           bool transposed) {
    std::vector<Expr> indices;
    if (batch > 1) indices.push_back(axes[0]);
    indices.push_back(transposed ? col : row);
    indices.push_back(transposed ? row : col);
    return te::cast(acc, t(indices));
  };
  const bool rounds = acc != detail::result_dtype(dtype);
  Tensor c = te::compute(
      shape(m, n),
      [&](const std::vector<Var>& axes) {
        const Var &i = axes[axes.size() - 2], &j = axes.back();
        return te::sum(element(a, axes, i, rk, trans_a) * element(b, axes, rk, j, trans_b), {rk});
      },
      rounds ? "C_acc" : "C", {}, names);
  if (rounds) {
    c = te::compute(
        shape(m, n), [&](const std::vector<Var>& axes) { return te::cast(dtype, c(axes)); }, "C",
        {}, names);
  }
  return {{a, b}, {c}, {}};
}

}  // namespace

OpDefinition matmul_definition() {
  using Kind = ParameterKind;
  OpDefinition op;
  op.name = "matmul";
  op.help = "C = A B; f16 and bf16 accumulate in f32 and round once, int8 gives int32";
  op.parameters = {
      {"m", Kind::kInt, "512", "rows of A and C", 1, {}},
      {"n", Kind::kInt, "512", "columns of B and C", 1, {}},
      {"k", Kind::kInt, "512", "columns of A, rows of B", 1, {}},
      {"batch",
       Kind::kInt,
       "1",
       "independent products; 1: matrices without a batch dimension",
       1,
       {}},
      {"trans_a", Kind::kFlag, "0", "A is stored as K x M", 0, {}},
      {"trans_b", Kind::kFlag, "0", "B is stored as N x K", 0, {}},
      {"dtype", Kind::kDType, "float32", "element type of A and B", 0, detail::product_dtypes()},
  };
  op.make = make_matmul;
  return op;
}

}  // namespace tilewright::ops
