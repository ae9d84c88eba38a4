#include <catch2/catch.hpp>

#include "support/expect_error.h"
#include "tilewright/te/te.h"

namespace tilewright::te {
namespace {

using testing::expect_error;

const Tensor kNoTensor;

TEST_CASE("shapes", "[te][error]") {
  expect_error("te.bad_shape", {"placeholder 'A'", "dimension 1", "-3"}, [] {
    placeholder({2, -3}, kFloat32, "A");
  });
  expect_error("te.bad_shape", {"compute 'C'", "-1"}, [] {
    compute(
        {-1}, [](Var) { return constant(kFloat32, 0); }, "C");
  });
  expect_error("te.bad_shape", {"float32", "integer"},
               [] { placeholder({Expr(1.5f)}, kFloat32, "A"); });
  expect_error("te.bad_shape", {"scalar s", "te::var"},
               [] { placeholder({scalar("s", kInt64)}, kFloat32, "A"); });
  expect_error("te.bad_shape", {"reduce axis k"},
               [] { placeholder({reduce_axis(4, "k")}, kFloat32, "A"); });
  expect_error("te.shape_overflow", {"'A'", "4294967296", "2^63"}, [] {
    placeholder({int64_t{1} << 32, int64_t{1} << 32}, kFloat32, "A");
  });
  expect_error("te.shape_overflow", {"compute 'C'"}, [] {
    compute(
        {int64_t{1} << 60, 8}, [](Var, Var) { return constant(kInt8, 0); }, "C");
  });
  CHECK_NOTHROW(placeholder({0, int64_t{1} << 62, int64_t{1} << 62}, kFloat32, "A"));
  CHECK_NOTHROW(placeholder({}, kFloat32, "A"));
}

TEST_CASE("names and dtypes", "[te][error]") {
  expect_error("te.bad_name", {"'a b'"}, [] { placeholder({1}, kFloat32, "a b"); });
  expect_error("te.bad_name", {"''"}, [] { var(""); });
  expect_error("te.bad_dtype", {"float32x8"},
               [] { placeholder({1}, kFloat32.with_lanes(8), "A"); });
  expect_error("te.bad_dtype", {"handle"}, [] { scalar("s", kHandle); });
  Tensor a = placeholder({8}, kFloat32, "A"), b = placeholder({8}, kFloat64, "B");
  expect_error("ir.dtype", {"float32", "float64"},
               [&] { compute({8}, [&](Var i) { return a(i) + b(i); }); });
  expect_error("te.index_dtype", {"'A'", "index 0", "float32"},
               [&] { compute({8}, [&](Var i) { return a(a(i)); }); });
}

TEST_CASE("ranks", "[te][error]") {
  Tensor a = placeholder({8, 4}, kFloat32, "A");
  expect_error("te.rank_mismatch", {"'A'", "2 dimension(s)", "1 index"},
               [&] { compute({8}, [&](Var i) { return a(i); }); });
  expect_error("te.rank_mismatch", {"'C'", "2 dimension(s)", "takes 1"}, [&] {
    compute(
        {8, 4}, [&](Var i) { return a(i, i); }, "C");
  });
  expect_error("te.rank_mismatch", {"'A'", "3 index"}, [&] {
    auto edge = repeat_edge(a);
    compute({8}, [&](Var i) { return edge(i, i, i); });
  });
  expect_error("te.null_tensor", {}, [&] { compute({8}, [&](Var i) { return kNoTensor(i); }); });
}

TEST_CASE("reads that are surely out of range", "[te][error]") {
  Tensor a = placeholder({16}, kFloat32, "A");
  expect_error("te.out_of_range", {"'C'", "A[", "is 16 at i = 15", "extent 16"}, [&] {
    compute(
        {16}, [&](Var i) { return a(i + 1); }, "C");
  });
  expect_error("te.out_of_range", {"is -1 at i = 0"},
               [&] { compute({16}, [&](Var i) { return a(i - 1); }); });
  expect_error("te.out_of_range", {"is 16"}, [&] { compute({}, [&] { return a(16); }); });
  // The second side of a select is read everywhere.
  expect_error("te.out_of_range", {"is -1"},
               [&] { compute({16}, [&](Var i) { return select(i > 0, a(i - 1), 0.0f); }); });
  // Not affine: found by trying all iterations.
  expect_error("te.out_of_range", {"is 18", "i = 6"},
               [&] { compute({8}, [&](Var i) { return a(floor_mod(i * 3, 19)); }); });
  expect_error("te.out_of_range", {"is 17", "i = 12", "k = 5"}, [&] {
    ReduceAxis k = reduce_axis(6, "k");
    compute({13}, [&](Var i) { return sum(a(i + k), {k}); });
  });
  expect_error("te.out_of_range", {"'A'"}, [&] {
    ReduceAxis k = reduce_axis(range(-1, 4), "k");
    compute({}, [&] { return sum(a(k), {k}); });
  });
  SECTION("symbolic") {
    Var n = var("n");
    Tensor b = placeholder({n}, kFloat32, "B");
    expect_error("te.out_of_range", {"is n", "extent n"},
                 [&] { compute({n}, [&](Var i) { return b(i + 1); }); });
    CHECK_NOTHROW(compute({n}, [&](Var i) { return b(n - 1 - i); }));
  }
  SECTION("what may be out of range but is guarded, masked, unknown or never happens") {
    Tensor index = placeholder({16}, kInt32, "index");
    ReduceAxis k = reduce_axis(20, "k");
    CHECK_NOTHROW(compute({20}, [&](Var i) { return if_then_else(i < 16, a(i), 0.0f); }));
    CHECK_NOTHROW(compute({4}, [&](Var) { return sum(a(k), {k}, k < 16); }));
    CHECK_NOTHROW(compute({16}, [&](Var i) { return a(index(i)); }));
    CHECK_NOTHROW(compute({16}, [&](Var i) { return a(max(i - 1, 0)); }));
    CHECK_NOTHROW(compute({0}, [&](Var i) { return a(i + 99); }));
    CHECK_NOTHROW(compute({16}, [&](Var i) { return a(i - i + 15); }));
  }
}

TEST_CASE("reductions in the wrong place", "[te][error]") {
  Tensor a = placeholder({8, 8}, kFloat32, "A");
  ReduceAxis k = reduce_axis(8, "k"), r = reduce_axis(8, "r");
  expect_error("te.nested_reduce", {"'C'", "'sum'", "two computes"}, [&] {
    compute(
        {8}, [&](Var i) { return sum(a(i, k), {k}) * 2.0f; }, "C");
  });
  expect_error("te.nested_reduce", {"another reduction"},
               [&] { compute({}, [&] { return sum(max(a(k, r), {r}), {k}); }); });
  expect_error("te.unreduced_axis", {"'k'", "sum(expr, {k})"},
               [&] { compute({8}, [&](Var i) { return a(i, k); }); });
  expect_error("te.unreduced_axis", {"'r'"},
               [&] { compute({8}, [&](Var i) { return sum(a(i, k) + a(i, r), {k}); }); });
  expect_error("te.no_axes", {"sum"}, [&] { sum(a(0, 0), Axes{}); });
  expect_error("te.duplicate_axis", {"'k'"}, [&] { sum(a(0, k), {k, k}); });
  expect_error("te.where_dtype", {"int64", "bool"}, [&] { sum(a(0, k), {k}, k); });
  expect_error("te.where_dtype", {"any", "x != 0"}, [&] { any(a(0, k), {k}); });
  expect_error("te.mixed_outputs", {"'C'"}, [&] {
    compute(
        {8},
        [&](Var i) {
          return std::vector<Expr>{sum(a(i, k), {k}), a(i, i)};
        },
        "C");
  });
  expect_error("te.mixed_outputs", {"one and the same"}, [&] {
    compute({8}, [&](Var i) { return std::vector<Expr>{sum(a(i, k), {k}), max(a(i, k), {k})}; });
  });
  expect_error("te.not_an_axis", {"n"}, [] { ReduceAxis axis{var("n")}; });
}

TEST_CASE("axes", "[te][error]") {
  expect_error("te.bad_range", {"'k'", "-2"}, [] { reduce_axis(-2, "k"); });
  expect_error("te.bad_range", {"'k'", "-3"}, [] { reduce_axis(range(5, 2), "k"); });
  expect_error("te.bad_range", {"'k'", "where"}, [] {
    compute({4}, [](Var i) {
      ReduceAxis k = reduce_axis(i + 1, "k");
      return sum(k, {k});
    });
  });
  expect_error("te.bad_range", {"2^63"}, [] { reduce_axis(Range{int64_t{1} << 62, INT64_MAX}); });
}

TEST_CASE("unknown variables", "[te][error]") {
  Tensor a = placeholder({8}, kFloat32, "A");
  Var leaked;
  compute({8}, [&](Var i) {
    leaked = i;
    return a(i);
  });
  expect_error("te.unbound_variable", {"axis 'i'", "another compute"},
               [&] { compute({8}, [&](Var) { return a(leaked); }); });
  expect_error("te.unbound_variable", {"variable 'x'", "te::var"},
               [&] { compute({8}, [&](Var i) { return a(i) * cast(kFloat32, Var("x")); }); });
  expect_error("te.foreign_buffer", {"'raw'"}, [&] {
    compute({8}, [&](Var i) { return ir::load(ir::make_buffer("raw", kFloat32, {8}), {i}); });
  });
}

TEST_CASE("division by constant zero", "[te][error]") {
  Tensor a = placeholder({8}, kInt32, "A");
  Var n = var("n");
  expect_error("ir.division_by_zero", {},
               [&] { compute({8}, [&](Var i) { return floor_div(a(i), 0); }); });
  expect_error("te.division_by_zero", {"n"},
               [&] { compute({8}, [&](Var i) { return floor_mod(i, n - n); }); });
}

TEST_CASE("argmax over nothing", "[te][error]") {
  Tensor a = placeholder({3, 0}, kFloat32, "A");
  ReduceAxis k = reduce_axis(0, "k");
  expect_error("te.empty_argmax", {"'best'", "argmax", "'k'", "extent 0"}, [&] {
    compute(
        {3}, [&](Var i) { return argmax(k, a(i, k), {k}); }, "best");
  });
  CHECK_NOTHROW(compute({0}, [&](Var) { return argmin(constant(kFloat32, 1), k); }));
}

TEST_CASE("user reducers", "[te][error]") {
  const auto minus = [](Expr x, Expr y) { return x - y; };
  expect_error("te.bad_reducer", {"'sum'", "built-in"},
               [&] { reducer("sum", minus, constant(kFloat32, 0)); });
  expect_error("te.bad_reducer", {"float64", "float32"}, [&] {
    reducer(
        "r", [](Expr x, Expr) { return cast(kFloat64, x); }, constant(kFloat32, 0));
  });
  Var n = var("n");
  expect_error("te.bad_reducer", {"size 'n'"}, [&] {
    reducer(
        "r", [&](Expr x, Expr) { return x + n; }, constant(kInt64, 0));
  });
  Tensor a = placeholder({8}, kFloat32, "A");
  ReduceAxis k = reduce_axis(8, "k");
  ir::Reducer plain = reducer("minus", minus, constant(kFloat32, 0));
  CHECK_FALSE(plain->associative);
  CHECK_FALSE(plain->commutative);
  CHECK_NOTHROW(compute({}, [&] { return reduce(plain, a(k), {k}); }));
  expect_error("te.reducer_dtype", {"'minus'", "float32", "float16"},
               [&] { reduce(plain, cast(kFloat16, a(k)), {k}); });
  expect_error("te.bad_reducer", {"takes 1", "got 2"}, [&] {
    reduce(plain, std::vector<Expr>{a(k), a(k)}, {k});
  });

  SECTION("a false declaration is met with a counter-example") {
    ir::Reducer wrong = reducer("minus", minus, constant(kFloat32, 0), {true, false});
    expect_error("te.not_associative", {"'minus'", "a = ", "(a . b) . c = ", "a . (b . c) = "},
                 [&] { reduce(wrong, a(k), {k}); });
    wrong = reducer("minus", minus, constant(kFloat32, 0), {false, true});
    expect_error("te.not_commutative", {"'minus'", "a . b = "}, [&] { reduce(wrong, a(k), {k}); });
    // Saturation is only seen on large values.
    const auto saturate = [](Expr x, Expr y) {
      Expr wide = cast(kInt32, x) + cast(kInt32, y);
      return cast(kInt8, ir::max(ir::min(wide, 127), -128));
    };
    wrong = reducer("saturating", saturate, constant(kInt8, 0), {true, true});
    expect_error("te.not_associative", {"'saturating'"},
                 [&] { reduce(wrong, constant(kInt8, 1), {k}); });
    wrong = reducer("off_by_one", [](Expr x, Expr y) { return x + y; }, constant(kInt32, 1),
                    {true, true});
    expect_error("te.not_associative", {"identity e = 1", "e . e = 2"},
                 [&] { reduce(wrong, constant(kInt32, 1), {k}); });
    // A tie that keeps the accumulator is not commutative.
    wrong =
        reducer("first_max",
                [](const std::vector<Var>& x, const std::vector<Var>& y) {
                  return std::vector<Expr>{select(x[1] >= y[1], x[0], y[0]), ir::max(x[1], y[1])};
                },
                {constant(kInt32, -1), ir::min_value(kFloat32)}, {true, true});
    expect_error("te.not_commutative", {"'first_max'"}, [&] {
      reduce(wrong, {constant(kInt32, 0), a(k)}, {k});
    });
  }
  SECTION("a true declaration holds") {
    const std::vector<std::pair<const char*, std::function<Expr(Expr, Expr)>>> good = {
        {"add", [](Expr x, Expr y) { return x + y; }},
        {"larger", [](Expr x, Expr y) { return ir::max(x, y); }},
        {"either", [](Expr x, Expr y) { return x + y - x * y; }},
    };
    for (const auto& [name, combine] : good) {
      const Expr identity =
          std::string(name) == "larger" ? ir::min_value(kFloat32) : constant(kFloat32, 0);
      INFO(name);
      CHECK_NOTHROW(reduce(reducer(name, combine, identity, {true, true}), a(k), {k}));
    }
    ir::Reducer xor_all = reducer("xor_all", [](Expr x, Expr y) { return x ^ y; },
                                  constant(kUInt32, 0), {true, true});
    CHECK_NOTHROW(reduce(xor_all, constant(kUInt32, 1), {k}));
    // The second component of a product of 2x2 upper triangular matrices: not commutative.
    ir::Reducer affine = reducer("affine",
                                 [](const std::vector<Var>& x, const std::vector<Var>& y) {
                                   return std::vector<Expr>{x[0] * y[0], x[0] * y[1] + x[1]};
                                 },
                                 {constant(kFloat32, 1), constant(kFloat32, 0)}, {true, false});
    CHECK_NOTHROW(reduce(affine, {a(k), a(k)}, {k}));
  }
}

TEST_CASE("expressions that grow without bound are refused at once", "[te][error]") {
  Tensor a = placeholder({8}, kFloat32, "A");
  const auto doubled = [&](int times) {
    return compute(
        {8},
        [&](Var i) {
          Expr x = a(i);
          for (int n = 0; n < times; ++n) x = x + x;
          return x;
        },
        "C");
  };
  CHECK_NOTHROW(doubled(10));
  expect_error("te.expression_too_large", {"'C'", "tensor of its own"}, [&] { doubled(40); });
  const auto nested = [&](int depth) {
    return compute(
        {8},
        [&](Var i) {
          Expr x = a(i);
          for (int n = 0; n < depth; ++n) x = x * 3.0f + 1.0f;
          return x;
        },
        "C");
  };
  CHECK_NOTHROW(create_prim_func({a, nested(500)}));
  expect_error("te.expression_too_large", {"'C'", "2000 deep"}, [&] { nested(20000); });
}

TEST_CASE("arguments of a function", "[te][error]") {
  Tensor a = placeholder({8}, kFloat32, "A"), b = placeholder({8}, kFloat32, "B");
  Var s = scalar("s", kFloat32), n = var("n");
  Tensor c = compute(
      {8}, [&](Var i) { return a(i) + b(i) * s; }, "C");
  expect_error("te.missing_argument", {"'B'"}, [&] { create_prim_func({a, s, c}); });
  expect_error("te.missing_argument", {"scalar 's'"}, [&] { create_prim_func({a, b, c}); });
  expect_error("te.duplicate_argument", {"'A'"}, [&] { create_prim_func({a, b, a, s, c}); });
  expect_error("te.duplicate_argument", {"'s'"}, [&] { create_prim_func({a, b, s, s, c}); });
  expect_error("te.no_output", {}, [&] { create_prim_func({a, b}); });
  expect_error("te.bad_argument", {"size 'n'"}, [&] { create_prim_func({a, b, n, s, c}); });
  expect_error("te.bad_argument", {"argument 0"}, [&] { create_prim_func({Expr(1), a, b, s, c}); });
  expect_error("te.bad_name", {"'2x'"}, [&] { create_prim_func({a, b, s, c}, "2x"); });
  expect_error("te.bad_assumption", {"int64", "n >= 1"}, [&] {
    create_prim_func({a, b, s, c}, "f", {n});
  });
  expect_error("te.bad_assumption", {"s"}, [&] {
    create_prim_func({a, b, s, c}, "f", {s >= 1.0f});
  });
  expect_error("te.unbound_size", {"'n'", "te::scalar"}, [&] {
    Tensor d = compute(
        {8}, [&](Var i) { return a(i) * cast(kFloat32, n); }, "D");
    create_prim_func({a, d});
  });
  expect_error("te.unbound_size", {"'n'"}, [&] {
    Tensor wide = placeholder({n * 2}, kFloat32, "W");
    Tensor d = compute(
        {8}, [&](Var i) { return a(i) + wide(0); }, "D");
    create_prim_func({a, wide, d});
  });
}

}  // namespace
}  // namespace tilewright::te
