#include <catch2/catch.hpp>

#include "support/expect_error.h"
#include "support/host_tensor.h"
#include "tilewright/ir/text.h"
#include "tilewright/te/te.h"

namespace tilewright::te {
namespace {

using testing::expect_error;
using testing::HostTensor;

std::vector<HostTensor> run(const ir::PrimFunc& func) {
  CHECK(ir::verify(func) == std::vector<std::string>{});
  CHECK(ir::structural_equal(ir::parse_func(ir::to_text(func)), func));
  std::vector<HostTensor> tensors = testing::make_arguments(func, {});
  testing::interpret_on(func, tensors);
  return tensors;
}

TEST_CASE("constants hold their value or are refused", "[te]") {
  CHECK(*ir::as_const_int(constant(kInt64, INT64_MAX)) == INT64_MAX);
  CHECK(*ir::as_const_int(constant(kUInt8, 255)) == 255);
  CHECK(constant(kFloat16, 1).dtype() == kFloat16);
  CHECK(constant(kBool, true).dtype() == kBool);
  expect_error("te.bad_constant", {"256", "uint8"}, [] { constant(kUInt8, 256); });
  expect_error("te.bad_constant", {"-1", "uint64"}, [] { constant(kUInt64, -1); });
  expect_error("te.bad_constant", {"0.5", "int32"}, [] { constant(kInt32, 0.5); });
}

TEST_CASE("one let used twice", "[te]") {
  Tensor a = placeholder({6}, kInt32, "A");
  Tensor c = compute(
      {6},
      [&](Var i) {
        Var t("t", kInt32);
        Expr once = let(t, a(i) * 2, t * t + t);
        return once + once;
      },
      "C");
  const auto t = run(create_prim_func({a, c}));
  for (int64_t i = 0; i < 6; ++i) {
    const double twice = t[0]({i}) * 2;
    CHECK(t[1]({i}) == 2 * (twice * twice + twice));
  }
}

TEST_CASE("a mask read from a tensor", "[te]") {
  Tensor a = placeholder({4, 9}, kFloat32, "A"), mask = placeholder({4, 9}, kBool, "mask");
  ReduceAxis k = reduce_axis(9, "k");
  Tensor c = compute(
      {4}, [&](Var i) { return sum(a(i, k), {k}, mask(i, k)); }, "C");
  const auto t = run(create_prim_func({a, mask, c}));
  for (int64_t i = 0; i < 4; ++i) {
    double total = 0;
    for (int64_t j = 0; j < 9; ++j) total += t[1]({i, j}) * t[0]({i, j});
    CHECK(t[2]({i}) == total);
  }
}

TEST_CASE("indices read from a tensor", "[te]") {
  for (const DType dtype : {kInt32, kInt64, kUInt8}) {
    Tensor a = placeholder({9, 3}, kFloat32, "A"), rows = placeholder({5}, dtype, "rows");
    Tensor c = compute(
        {5, 3}, [&](Var i, Var j) { return a(rows(i), j); }, "C");
    ir::PrimFunc func = create_prim_func({a, rows, c});
    CHECK(ir::verify(func) == std::vector<std::string>{});
    auto t = testing::make_arguments(func, {});
    for (int64_t i = 0; i < 5; ++i) t[1].set({i}, static_cast<double>((i * 4) % 9));
    testing::interpret_on(func, t);
    for (int64_t i = 0; i < 5; ++i) CHECK(t[2]({i, 2}) == t[0]({(i * 4) % 9, 2}));
  }
}

TEST_CASE("every dtype goes through a compute", "[te]") {
  for (const DType dtype : {kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                            kFloat16, kBFloat16, kFloat32, kFloat64}) {
    INFO(to_string(dtype));
    Tensor a = placeholder({8}, dtype, "A");
    Tensor wide = compute(
        {8}, [&](Var i) { return cast(kFloat64, a(i)) * 2.0; }, "W");
    Tensor back = compute(
        {8}, [&](Var i) { return cast(dtype, wide(i)); }, "B");
    const auto t = run(create_prim_func({a, back}));
    for (int64_t i = 0; i < 8; ++i) {
      CHECK(t[1]({i}) == (dtype.is_bool() ? t[0]({i}) : 2 * t[0]({i})));
    }
  }
}

TEST_CASE("maths functions", "[te]") {
  Tensor a = placeholder({8}, kFloat32, "A");
  const std::vector<std::pair<Expr (*)(Expr), double (*)(double)>> functions = {
      {&te::exp, [](double x) { return std::exp(x); }},
      {&te::tanh, [](double x) { return std::tanh(x); }},
      {&te::erf, [](double x) { return std::erf(x); }},
      {&te::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {&te::abs, [](double x) { return std::abs(x); }},
      {&te::floor, [](double x) { return std::floor(x); }},
      {&te::round, [](double x) { return std::nearbyint(x); }},
      {&te::log1p, [](double x) { return std::log1p(x); }},
  };
  for (const auto& [expression, reference] : functions) {
    Tensor c = compute(
        {8}, [&](Var i) { return expression(a(i)); }, "C");
    ir::PrimFunc func = create_prim_func({a, c});
    auto t = testing::make_arguments(func, {});
    for (int64_t i = 0; i < 8; ++i) t[0].set({i}, 0.3 * static_cast<double>(i) - 0.85);
    testing::interpret_on(func, t);
    for (int64_t i = 0; i < 8; ++i) {
      CHECK(t[1]({i}) == Approx(reference(t[0]({i}))).epsilon(1e-5).margin(1e-7));
    }
  }
}

TEST_CASE("a long chain of computes", "[te]") {
  Tensor t = placeholder({4}, kInt32, "A");
  std::vector<Arg> args{t};
  for (int n = 0; n < 2000; ++n)
    t = compute(
        {4}, [&](Var i) { return t(i) + 1; }, "step");
  args.emplace_back(t);
  const auto tensors = [&] {
    ir::PrimFunc func = create_prim_func(args);
    auto result = testing::make_arguments(func, {});
    testing::interpret_on(func, result);
    return result;
  }();
  CHECK(tensors[1]({3}) == tensors[0]({3}) + 2000);
}

TEST_CASE("a 5x5 window sum over a padded input, then a division", "[te][k02]") {
  Tensor x = placeholder({136, 136}, kInt32, "x");
  ReduceAxis dr = reduce_axis(range(-2, 3), "dr"), dc = reduce_axis(range(-2, 3), "dc");
  Tensor s = compute({128, 128},
                     [&](Var r, Var c) {
                       return sum(x(r + dr + 4, c + dc + 4), {dr, dc});
                     },
                     "S", {}, {"r", "c"});
  Tensor b = compute({128, 128}, [&](Var r, Var c) { return floor_div(s(r, c), 25); }, "B", {},
                     {"r", "c"});
  ir::PrimFunc func = create_prim_func({x, b});
  CHECK(func->assumptions.empty());
  CHECK(ir::verify(func) == std::vector<std::string>{});
  auto t = testing::make_arguments(func, {});
  for (int64_t r = 0; r < 136; ++r) {
    for (int64_t c = 0; c < 136; ++c) {
      t[0].set({r, c}, static_cast<double>(2 * (c - 4) + 5 * (r - 4)));
    }
  }
  testing::interpret_on(func, t);
  bool right = true;
  for (int64_t r = 0; r < 128; ++r) {
    for (int64_t c = 0; c < 128; ++c) right = right && t[1]({r, c}) == 2 * c + 5 * r;
  }
  CHECK(right);
}

TEST_CASE("two sums in a row", "[te][k04]") {
  Tensor a = placeholder({3, 4, 5, 7}, kInt32, "A");
  ReduceAxis l = reduce_axis(7, "l"), k = reduce_axis(5, "k");
  Tensor b = compute(
      {3, 4, 5}, [&](Var i, Var j, Var m) { return sum(a(i, j, m, l), {l}); }, "B");
  Tensor c = compute(
      {3, 4}, [&](Var i, Var j) { return sum(b(i, j, k), {k}); }, "C");
  const auto t = run(create_prim_func({a, b, c}));
  for (int64_t i = 0; i < 12; ++i) {
    double total = 0;
    for (int64_t m = 0; m < 35; ++m) total += t[0].get(i * 35 + m);
    CHECK(t[2].get(i) == total);
  }
}

}  // namespace
}  // namespace tilewright::te
