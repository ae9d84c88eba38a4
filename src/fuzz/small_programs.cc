#include "fuzz/judges.h"
#include "tilewright/te/te.h"

namespace tilewright::fuzz {
namespace {

using te::Tensor;
using te::Var;

SmallProgram matmul() {
  Tensor a = te::placeholder({4, 3}, kFloat32, "A"), b = te::placeholder({3, 5}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(3, "k");
  Tensor c = te::compute(
      {4, 5}, [&](Var i, Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  Tensor d = te::compute(
      {4, 5}, [&](Var i, Var j) { return ir::max(c(i, j), 0.0f); }, "D");
  return {te::create_prim_func({a, b, d}, "matmul")};
}

SmallProgram conv() {
  Tensor data = te::placeholder({2, 5, 4}, kFloat32, "data");
  Tensor weight = te::placeholder({3, 2, 3, 3}, kFloat32, "weight");
  auto outside = te::constant_exterior(data, 0.0f);
  Tensor pad = te::compute(
      {2, 7, 6}, [&](Var c, Var y, Var x) { return outside(c, y - 1, x - 1); }, "pad");
  te::ReduceAxis rc = te::reduce_axis(2, "rc"), ry = te::reduce_axis(3, "ry"),
                 rx = te::reduce_axis(3, "rx");
  Tensor out = te::compute(
      {3, 5, 4},
      [&](Var o, Var y, Var x) {
        return te::sum(pad(rc, y + ry, x + rx) * weight(o, rc, ry, rx), {rc, ry, rx});
      },
      "conv");
  return {te::create_prim_func({data, weight, out}, "conv")};
}

SmallProgram softmax() {
  Tensor a = te::placeholder({4, 5}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(5, "k");
  Tensor highest = te::compute(
      {4}, [&](Var i) { return te::max(a(i, k), {k}); }, "row_max");
  Tensor e = te::compute(
      {4, 5}, [&](Var i, Var j) { return a(i, j) - highest(i); }, "row_exp");
  Tensor total = te::compute(
      {4}, [&](Var i) { return te::sum(e(i, k), {k}); }, "row_sum");
  Tensor out = te::compute(
      {4, 5}, [&](Var i, Var j) { return e(i, j) * 2.0f - total(i); }, "softmax");
  return {te::create_prim_func({a, out}, "softmax")};
}

SmallProgram argmax() {
  Tensor a = te::placeholder({3, 7}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(7, "k");
  std::vector<Tensor> best = te::compute(
      {3}, [&](Var i) { return te::argmax(k, a(i, k), {k}); }, "argmax");
  return {te::create_prim_func({a, best[0], best[1]}, "argmax")};
}

SmallProgram stencil() {
  Tensor a = te::placeholder({6, 5}, kFloat32, "A");
  auto edge = te::repeat_edge(a);
  Tensor bx = te::compute(
      {6, 5}, [&](Var y, Var x) { return edge(y, x - 1) + edge(y, x) + edge(y, x + 1); }, "blur_x");
  auto bx_edge = te::repeat_edge(bx);
  Tensor by = te::compute(
      {6, 5}, [&](Var y, Var x) { return bx_edge(y - 1, x) + bx_edge(y, x) + bx_edge(y + 1, x); },
      "blur_y");
  Tensor out = te::compute(
      {6, 5}, [&](Var y, Var x) { return a(y, x) * 18.0f - by(y, x); }, "sharpen");
  return {te::create_prim_func({a, out}, "stencil")};
}

SmallProgram triangular() {
  Tensor a = te::placeholder({5, 5}, kInt32, "A");
  te::ReduceAxis k = te::reduce_axis(5, "k");
  Tensor sums = te::compute(
      {5}, [&](Var i) { return te::sum(a(i, k), {k}, k <= i); }, "lower");
  Tensor out = te::compute(
      {5}, [&](Var i) { return sums(i) + a(i, i); }, "out");
  return {te::create_prim_func({a, out}, "triangular")};
}

SmallProgram layernorm() {
  Var n = te::var("n");
  Tensor x = te::placeholder({n, 4}, kFloat32, "X"),
         gamma = te::placeholder({4}, kFloat32, "gamma");
  te::ReduceAxis k = te::reduce_axis(4, "k");
  Tensor total = te::compute(
      {n}, [&](Var i) { return te::sum(x(i, k), {k}); }, "total");
  Tensor mean = te::compute(
      {n}, [&](Var i) { return total(i) * 0.25f; }, "mean");
  Tensor out = te::compute(
      {n, 4}, [&](Var i, Var j) { return (x(i, j) - mean(i)) * gamma(j); }, "layernorm");
  return {te::create_prim_func({x, gamma, out}, "layernorm"), {{{"n", 7}}, {{"n", 1}}, {{"n", 4}}}};
}

// A chain with a transposed, a shifted and a broadcast read, and two consumers of one tensor.
SmallProgram chain() {
  Tensor a = te::placeholder({4, 6}, kInt32, "A");
  Tensor b = te::compute(
      {4, 6}, [&](Var i, Var j) { return a(i, j) * 3; }, "B");
  Tensor c = te::compute(
      {6, 4}, [&](Var i, Var j) { return b(j, i) + 1; }, "C");
  Tensor d = te::compute(
      {5, 4}, [&](Var i, Var j) { return c(i + 1, j) - c(i, j); }, "D");
  Tensor e = te::compute(
      {5, 4}, [&](Var i, Var j) { return d(i, j) + b(0, j); }, "E");
  return {te::create_prim_func({a, e}, "chain")};
}

// A reducer that is not declared associative or commutative.
SmallProgram horner() {
  const ir::Reducer reducer = te::reducer(
      "horner", [](te::Expr x, te::Expr y) { return x * 3 + y; }, ir::make_int(kInt32, 0));
  Tensor a = te::placeholder({3, 4, 2}, kInt32, "A");
  te::ReduceAxis k = te::reduce_axis(4, "k"), l = te::reduce_axis(2, "l");
  Tensor b = te::compute(
      {3},
      [&](Var i) {
        return te::reduce(reducer, {a(i, k, l)}, {k, l});
      },
      "B");
  Tensor c = te::compute(
      {3}, [&](Var i) { return b(2 - i); }, "C");
  return {te::create_prim_func({a, c}, "horner")};
}

}  // namespace

const std::vector<SmallProgram>& small_programs() {
  static const std::vector<SmallProgram> programs = {matmul(),    conv(),    softmax(),
                                                     argmax(),    stencil(), triangular(),
                                                     layernorm(), chain(),   horner()};
  return programs;
}

}  // namespace tilewright::fuzz
