#include "tuner/measure/check_plan.h"

#include <catch2/catch.hpp>

#include "tilewright/te/te.h"

namespace tilewright::tuner {
namespace {

using te::Expr;
using te::Tensor;
using te::Var;

Tensor matmul(const Tensor& a, const Tensor& b, int64_t m, int64_t n, int64_t k, DType acc) {
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  return te::compute(
      {m, n},
      [&](Var i, Var j) {
        return te::sum(te::cast(acc, a(i, rk)) * te::cast(acc, b(rk, j)), {rk});
      },
      "C");
}

ir::PrimFunc matmul_func(int64_t k, DType dtype, DType acc) {
  Tensor a = te::placeholder({4, k}, dtype, "A"), b = te::placeholder({k, 4}, dtype, "B");
  return te::create_prim_func({a, b, matmul(a, b, 4, 4, k, acc)}, "f");
}

TEST_CASE("a matmul is compared exactly") {
  const CheckPlan plan = plan_check(matmul_func(512, kFloat32, kFloat32), 5);
  CHECK(plan.check.exact);
  CHECK(plan.data.integers);
  CHECK(plan.data.magnitude == 4);
  CHECK(plan.data.seed == 5);
}

TEST_CASE("the data shrink so that sums stay representable") {
  // 2^20 * 4 * 4 = 2^24 is representable, 2^21 * 16 is not.
  CHECK(plan_check(matmul_func(1 << 20, kFloat32, kFloat32), 1).data.magnitude == 4);
  CHECK(plan_check(matmul_func(1 << 21, kFloat32, kFloat32), 1).data.magnitude == 2);
  CHECK_FALSE(plan_check(matmul_func(1 << 25, kFloat32, kFloat32), 1).check.exact);
  // Half precision sums are exact up to 2048.
  CHECK(plan_check(matmul_func(512, kFloat16, kFloat16), 1).data.magnitude == 2);
  CHECK_FALSE(plan_check(matmul_func(4096, kFloat16, kFloat16), 1).check.exact);
  CHECK(plan_check(matmul_func(4096, kInt8, kInt32), 1).check.exact);
}

TEST_CASE("one rounding at the end is exact, one in between is not") {
  Tensor a = te::placeholder({4, 4096}, kFloat16, "A"),
         b = te::placeholder({4096, 4}, kFloat16, "B");
  Tensor sums = matmul(a, b, 4, 4, 4096, kFloat32);
  Tensor rounded = te::compute(
      {4, 4}, [&](Var i, Var j) { return te::cast(kFloat16, sums(i, j)); }, "R");
  CHECK(plan_check(te::create_prim_func({a, b, rounded}, "f"), 1).check.exact);
  Tensor used = te::compute(
      {4, 4}, [&](Var i, Var j) { return rounded(i, j) + rounded(i, j); }, "U");
  CHECK_FALSE(plan_check(te::create_prim_func({a, b, used}, "f"), 1).check.exact);
}

TEST_CASE("division and functions are compared with a tolerance") {
  Tensor a = te::placeholder({8}, kFloat32, "A");
  Tensor e = te::compute(
      {8}, [&](Var i) { return te::exp(a(i)); }, "E");
  const CheckPlan plan = plan_check(te::create_prim_func({a, e}, "f"), 1);
  CHECK_FALSE(plan.check.exact);
  CHECK_FALSE(plan.data.integers);
  CHECK(plan.check.relative == 1e-4);
  Tensor d = te::compute(
      {8}, [&](Var i) { return a(i) / a(i); }, "D");
  CHECK_FALSE(plan_check(te::create_prim_func({a, d}, "f"), 1).check.exact);
}

TEST_CASE("maxima and padding keep exactness") {
  Tensor a = te::placeholder({8}, kFloat32, "A");
  Tensor padded = te::compute(
      {10},
      [&](Var i) {
        return te::if_then_else(i >= Expr(1) && i < Expr(9), a(i - Expr(1)),
                                te::constant(kFloat32, 0));
      },
      "P");
  te::ReduceAxis r = te::reduce_axis(3, "r");
  Tensor m = te::compute(
      {8}, [&](Var i) { return te::max(padded(Expr(i) + Expr(r)), {r}); }, "M");
  CHECK(plan_check(te::create_prim_func({a, m}, "f"), 1).check.exact);
}

}  // namespace
}  // namespace tilewright::tuner
