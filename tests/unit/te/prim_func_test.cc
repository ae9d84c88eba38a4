#include <catch2/catch.hpp>

#include "support/host_tensor.h"
#include "tilewright/ir/text.h"
#include "tilewright/te/te.h"

namespace tilewright::te {
namespace {

using testing::HostTensor;
using testing::interpret_on;
using testing::make_arguments;

std::vector<HostTensor> run(const ir::PrimFunc& func, const testing::Sizes& sizes = {},
                            const std::map<std::string, double>& scalars = {}) {
  CHECK(ir::verify(func) == std::vector<std::string>{});
  CHECK(ir::structural_equal(ir::parse_func(ir::to_text(func)), func));
  std::vector<HostTensor> tensors = make_arguments(func, sizes);
  ir::InterpOptions options;
  options.check_init = true;
  interpret_on(func, tensors, scalars, options);
  return tensors;
}

std::vector<double> values(const HostTensor& t) {
  std::vector<double> result;
  for (size_t i = 0; i < t.size(); ++i) result.push_back(t.get(i));
  return result;
}

std::vector<std::string> param_names(const ir::PrimFunc& func) {
  std::vector<std::string> names;
  for (const ir::Param& p : func->params) {
    names.push_back(std::string(ir::spelling(p.role)) + " " +
                    (p.buffer ? p.buffer->name : p.var.name()));
  }
  return names;
}

std::vector<std::string> printed_assumptions(const ir::PrimFunc& func) {
  std::vector<std::string> result;
  for (const Expr& e : func->assumptions) result.push_back(ir::to_pretty(e));
  return result;
}

TEST_CASE("parameters come in the caller's order, then the sizes", "[te]") {
  Var m = var("m"), n = var("n"), s = scalar("s", kFloat32);
  Tensor a = placeholder({m, n}, kFloat32, "A"), b = placeholder({n}, kFloat32, "B");
  Tensor mid = compute(
      {m, n}, [&](Var i, Var j) { return a(i, j) * s; }, "M");
  Tensor c = compute(
      {m, n}, [&](Var i, Var j) { return mid(i, j) + b(j); }, "C");
  ir::PrimFunc func = create_prim_func({b, s, a, c}, "scaled");
  CHECK(func->name == "scaled");
  CHECK(param_names(func) == std::vector<std::string>{"input B", "input s", "input A", "output C",
                                                      "shape n", "shape m"});
  REQUIRE(func->allocs.size() == 1);
  CHECK(func->allocs[0]->name == "M");
  CHECK(func->allocs[0]->alloc_at.kind == ir::AllocAt::Kind::kRoot);
  const auto t = run(func, {{"m", 2}, {"n", 3}}, {{"s", 2.0}});
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) CHECK(t[2]({i, j}) == t[1]({i, j}) * 2 + t[0]({j}));
  }
}

TEST_CASE("an output that another output reads stays an output", "[te]") {
  Tensor a = placeholder({4}, kInt32, "A");
  Tensor b = compute(
      {4}, [&](Var i) { return a(i) + 1; }, "B");
  Tensor c = compute(
      {4}, [&](Var i) { return b(i) * 2; }, "C");
  ir::PrimFunc func = create_prim_func({a, c, b});
  CHECK(func->allocs.empty());
  const auto t = run(func);
  for (int64_t i = 0; i < 4; ++i) {
    CHECK(t[2]({i}) == t[0]({i}) + 1);
    CHECK(t[1]({i}) == t[2]({i}) * 2);
  }
}

TEST_CASE("names are made unique", "[te]") {
  Tensor a = placeholder({4}, kInt32, "A"), other = placeholder({4}, kInt32, "A");
  Tensor b = compute({4}, [&](Var i) { return a(i) + other(i); });
  Tensor c = compute({4}, [&](Var i) { return b(i) + 1; });
  ir::PrimFunc func = create_prim_func({a, other, c});
  CHECK(param_names(func) == std::vector<std::string>{"input A", "input A_1", "output compute"});
  CHECK(func->allocs[0]->name == "compute_1");
  run(func);
}

TEST_CASE("an unread placeholder may be an argument", "[te]") {
  Tensor a = placeholder({4}, kInt32, "A"), unread = placeholder({7}, kInt8, "unread");
  Tensor c = compute(
      {4}, [&](Var i) { return a(i) + 1; }, "C");
  run(create_prim_func({unread, a, c}));
}

TEST_CASE("rank 0", "[te]") {
  Tensor a = placeholder({5}, kInt32, "A"), s = placeholder({}, kInt32, "S");
  ReduceAxis k = reduce_axis(5, "k");
  Tensor total = compute(
      {}, [&] { return sum(a(k), {k}); }, "total");
  Tensor out = compute(
      {}, [&] { return total() + s(); }, "out");
  const auto t = run(create_prim_func({a, s, out}));
  double wanted = t[1].get(0);
  for (int i = 0; i < 5; ++i) wanted += t[0].get(i);
  CHECK(t[2].get(0) == wanted);
}

TEST_CASE("a vector of variables, up to eight of them", "[te]") {
  Tensor a = placeholder({2, 1, 2, 1, 2, 1, 2, 1}, kInt32, "A");
  Tensor b = compute(
      a.shape(), [&](const std::vector<Var>& i) { return a(i) + 1; }, "B");
  Tensor c = compute(
      a.shape(),
      [&](Var i, Var j, Var k, Var l, Var m, Var n, Var o, Var p) {
        return b(i, j, k, l, m, n, o, p) * 2;
      },
      "C");
  const auto t = run(create_prim_func({a, c}));
  for (size_t i = 0; i < t[0].size(); ++i) CHECK(t[1].get(i) == (t[0].get(i) + 1) * 2);
}

TEST_CASE("several outputs of one compute", "[te]") {
  Tensor a = placeholder({6}, kInt32, "A");
  std::vector<Tensor> two = compute(
      {6},
      [&](Var i) {
        return std::vector<Expr>{a(i) + 1, cast(kFloat64, a(i)) * 0.5};
      },
      "two");
  CHECK(two[0].dtype() == kInt32);
  CHECK(two[1].dtype() == kFloat64);
  SECTION("both") {
    const auto t = run(create_prim_func({a, two[0], two[1]}));
    for (int64_t i = 0; i < 6; ++i) {
      CHECK(t[1]({i}) == t[0]({i}) + 1);
      CHECK(t[2]({i}) == t[0]({i}) * 0.5);
    }
  }
  SECTION("one: the other is an intermediate") {
    ir::PrimFunc func = create_prim_func({a, two[1]});
    CHECK(func->allocs.size() == 1);
    CHECK(run(func)[1]({3}) == make_arguments(func, {})[0]({3}) * 0.5);
  }
}

TEST_CASE("reducers", "[te]") {
  Tensor a = placeholder({5, 7}, kFloat32, "A");
  ReduceAxis k = reduce_axis(7, "k");
  const auto reduce_rows = [&](const std::function<Expr(Expr)>& make) {
    Tensor out = compute(
        {5}, [&](Var i) { return make(a(i, k)); }, "out");
    return run(create_prim_func({a, out}));
  };
  const auto fold = [](const HostTensor& t, int64_t row, double start, auto step) {
    for (int64_t j = 0; j < 7; ++j) start = step(start, t({row, j}));
    return start;
  };
  auto t = reduce_rows([&](Expr x) { return prod(x, k); });
  for (int64_t i = 0; i < 5; ++i) CHECK(t[1]({i}) == fold(t[0], i, 1, std::multiplies<>()));
  t = reduce_rows([&](Expr x) { return max(x, k); });
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(t[1]({i}) == fold(t[0], i, -99, [](double x, double y) { return std::max(x, y); }));
  }
  t = reduce_rows([&](Expr x) { return min(x, k); });
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(t[1]({i}) == fold(t[0], i, 99, [](double x, double y) { return std::min(x, y); }));
  }
  t = reduce_rows([&](Expr x) { return any(x == 4.0f, k); });
  CHECK(t[1].dtype == kBool);
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(t[1]({i}) == fold(t[0], i, 0, [](double x, double y) { return x || y == 4; }));
  }
  t = reduce_rows([&](Expr x) { return all(x > -4.0f, k); });
  for (int64_t i = 0; i < 5; ++i) {
    CHECK(t[1]({i}) == fold(t[0], i, 1, [](double x, double y) { return x && y > -4; }));
  }
  t = reduce_rows([&](Expr x) { return argmin(x, k)[0]; });
  CHECK(t[1].dtype == kInt64);
  for (int64_t i = 0; i < 5; ++i) {
    int64_t best = 0;
    for (int64_t j = 1; j < 7; ++j) best = t[0]({i, j}) < t[0]({i, best}) ? j : best;
    CHECK(t[1]({i}) == best);
  }
  t = reduce_rows([&](Expr x) { return sum(x, {k}, {}, kFloat64); });
  CHECK(t[1].dtype == kFloat64);
  for (int64_t i = 0; i < 5; ++i) CHECK(t[1]({i}) == fold(t[0], i, 0, std::plus<>()));
  ir::Reducer minus = reducer(
      "minus", [](Expr acc, Expr x) { return acc - x; }, constant(kFloat32, 0));
  t = reduce_rows([&](Expr x) { return reduce(minus, x, {k}); });
  for (int64_t i = 0; i < 5; ++i) CHECK(t[1]({i}) == fold(t[0], i, 0, std::minus<>()));
}

TEST_CASE("a tuple reducer", "[te]") {
  // (smallest, how often), in order.
  ir::Reducer count_min = reducer(
      "count_min",
      [](const std::vector<Var>& x, const std::vector<Var>& y) {
        return std::vector<Expr>{ir::min(x[0], y[0]),
                                 select(x[0] < y[0], x[1], select(y[0] < x[0], y[1], x[1] + y[1]))};
      },
      {ir::max_value(kFloat32), constant(kInt32, 0)}, {true, true});
  Tensor a = placeholder({4, 30}, kFloat32, "A");
  ReduceAxis k = reduce_axis(30, "k");
  std::vector<Tensor> out = compute(
      {4},
      [&](Var i) {
        return reduce(count_min, {a(i, k), constant(kInt32, 1)}, {k});
      },
      "out");
  const auto t = run(create_prim_func({a, out[0], out[1]}));
  for (int64_t i = 0; i < 4; ++i) {
    double smallest = 99, count = 0;
    for (int64_t j = 0; j < 30; ++j) smallest = std::min(smallest, t[0]({i, j}));
    for (int64_t j = 0; j < 30; ++j) count += t[0]({i, j}) == smallest;
    CHECK(t[1]({i}) == smallest);
    CHECK(t[2]({i}) == count);
  }
}

TEST_CASE("a reduce axis with a begin, and one shared by two computes", "[te]") {
  Tensor a = placeholder({4, 10}, kInt32, "A");
  ReduceAxis k = reduce_axis(range(2, 9), "k");
  Tensor s = compute(
      {4}, [&](Var i) { return sum(a(i, k), {k}); }, "S");
  Tensor m = compute(
      {4}, [&](Var i) { return max(a(i, k) + s(i), {k}); }, "M");
  const auto t = run(create_prim_func({a, m}));
  for (int64_t i = 0; i < 4; ++i) {
    double total = 0, best = -99;
    for (int64_t j = 2; j < 9; ++j) {
      total += t[0]({i, j});
      best = std::max(best, t[0]({i, j}));
    }
    CHECK(t[1]({i}) == total + best);
  }
}

TEST_CASE("empty reductions give the identity", "[te][k12]") {
  const double inf = std::numeric_limits<double>::infinity();
  Var size = var("K");
  for (const bool symbolic : {false, true}) {
    const Expr extent = symbolic ? Expr(size) : Expr(0);
    Tensor x = placeholder({3, extent}, kFloat32, "X");
    ReduceAxis k = reduce_axis(extent, "k");
    const auto rows = [&](const std::function<Expr(Expr)>& make) {
      Tensor out = compute(
          {3}, [&](Var i) { return make(x(i, k)); }, "out");
      return values(run(create_prim_func({x, out}), {{"K", 0}})[1]);
    };
    CHECK(rows([&](Expr e) { return sum(e, k); }) == std::vector<double>{0, 0, 0});
    CHECK(rows([&](Expr e) { return prod(e, k); }) == std::vector<double>{1, 1, 1});
    CHECK(rows([&](Expr e) { return max(e, k); }) == std::vector<double>{-inf, -inf, -inf});
    CHECK(rows([&](Expr e) { return min(e, k); }) == std::vector<double>{inf, inf, inf});
    Tensor keep = compute(
        {3, 1}, [&](Var i, Var) { return sum(x(i, k), k); }, "keep");
    CHECK(run(create_prim_func({x, keep}), {{"K", 0}})[1].shape == std::vector<int64_t>{3, 1});
    if (symbolic) {
      Tensor out = compute(
          {3}, [&](Var i) { return sum(x(i, k), k); }, "out");
      const auto t = run(create_prim_func({x, out}), {{"K", 5}});
      double wanted = 0;
      for (int64_t j = 0; j < 5; ++j) wanted += t[0]({1, j});
      CHECK(t[1]({1}) == wanted);
      Tensor best = compute(
          {3}, [&](Var i) { return argmax(x(i, k), k)[0]; }, "best");
      CHECK(printed_assumptions(create_prim_func({x, best})).size() == 1);
    }
  }
  Tensor none = placeholder({0, 4}, kFloat32, "X");
  ReduceAxis k = reduce_axis(4, "k");
  Tensor out = compute(
      {0}, [&](Var i) { return sum(none(i, k), k); }, "out");
  CHECK(run(create_prim_func({none, out}))[1].shape == std::vector<int64_t>{0});
}

TEST_CASE("floor and truncating division", "[te][k06]") {
  for (const DType dtype : {kInt32, kInt64}) {
    Tensor x = placeholder({80}, dtype, "X");
    for (const int64_t d : {1, 2, 3, 7, 8, -3, -8}) {
      std::vector<Tensor> out = compute(
          {80},
          [&](Var i) {
            Expr e = x(i), by = constant(dtype, static_cast<double>(d));
            return std::vector<Expr>{floor_div(e, by), floor_mod(e, by), trunc_div(e, by),
                                     trunc_mod(e, by)};
          },
          "out");
      ir::PrimFunc func = create_prim_func({x, out[0], out[1], out[2], out[3]});
      auto t = make_arguments(func, {});
      for (int64_t i = 0; i < 80; ++i) t[0].set({i}, static_cast<double>(i - 40));
      interpret_on(func, t);
      for (int64_t i = 0; i < 80; ++i) {
        const int64_t v = i - 40;
        const auto q =
            static_cast<int64_t>(std::floor(static_cast<double>(v) / static_cast<double>(d)));
        REQUIRE(t[1]({i}) == q);
        REQUIRE(t[2]({i}) == v - q * d);
        REQUIRE(t[3]({i}) == v / d);
        REQUIRE(t[4]({i}) == v % d);
      }
    }
  }
  // As an index.
  Tensor z = placeholder({28}, kInt32, "Z");
  Tensor y = compute(
      {80}, [&](Var i) { return z(floor_div(i - 40, 3) + 14); }, "Y");
  const auto t = run(create_prim_func({z, y}));
  CHECK(t[1]({0}) == t[0]({0}));
  CHECK(t[1]({79}) == t[0]({27}));
}

TEST_CASE("unsigned subtraction wraps", "[te][k09]") {
  for (const DType dtype : {kUInt8, kUInt16, kUInt32, kUInt64}) {
    Tensor t0 = placeholder({8}, dtype, "T0");
    Tensor t1 = compute(
        {8}, [&](Var) { return constant(dtype, 0); }, "T1");
    Tensor t2 = compute(
        {8, 8}, [&](Var i, Var) { return t1(i) - t0(i); }, "T2");
    ir::PrimFunc func = create_prim_func({t0, t2});
    auto t = make_arguments(func, {});
    const int64_t data[8] = {0, 3, 2, 0, 4, 0, 2, 0};
    for (size_t i = 0; i < 8; ++i) t[0].put_int(i, data[i]);
    interpret_on(func, t);
    const uint64_t mask = dtype.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << dtype.bits) - 1;
    for (size_t i = 0; i < 64; ++i) {
      CHECK(static_cast<uint64_t>(t[1].get_int(i)) == ((0 - uint64_t(data[i / 8])) & mask));
    }
  }
}

TEST_CASE("64-bit values stay 64-bit", "[te][k15]") {
  Var s = scalar("s", kInt64);
  Tensor out = compute(
      {11}, [](Var i) { return cast(kInt64, i) * 1000000000; }, "out");
  Tensor scaled = compute(
      {11}, [&](Var i) { return cast(kInt64, i) * s; }, "scaled");
  Tensor out2 = compute(
      {11, 11}, [](Var i, Var j) { return cast(kInt64, i) * cast(kInt64, j) * 300000000; }, "out2");
  const auto t = run(create_prim_func({s, out, scaled, out2}), {}, {{"s", 1e9}});
  for (size_t i = 0; i < 11; ++i) {
    CHECK(t[0].get_int(i) == int64_t(i) * 1000000000);
    CHECK(t[1].get_int(i) == int64_t(i) * 1000000000);
    for (size_t j = 0; j < 11; ++j) {
      CHECK(t[2].get_int(i * 11 + j) == int64_t(i) * int64_t(j) * 300000000);
    }
  }
}

TEST_CASE("boundary conditions", "[te]") {
  Tensor a = placeholder({5}, kInt32, "A");
  const auto exterior = [&](const Boundary& b) {
    Tensor out = compute(
        {25}, [&](Var i) { return b(i - 10); }, "out");
    return run(create_prim_func({a, out}));
  };
  const auto check = [&](const Boundary& b, auto source) {
    const auto t = exterior(b);
    for (int64_t i = 0; i < 25; ++i) CHECK(t[1]({i}) == t[0]({source(i - 10)}));
  };
  check(repeat_edge(a), [](int64_t i) { return std::max<int64_t>(0, std::min<int64_t>(i, 4)); });
  check(mirror_image(a), [](int64_t i) {
    const int64_t p = ((i % 10) + 10) % 10;
    return p < 5 ? p : 9 - p;
  });
  check(mirror_interior(a), [](int64_t i) {
    const int64_t p = ((i % 8) + 8) % 8;
    return p < 5 ? p : 8 - p;
  });
  const auto t = exterior(constant_exterior(a, 7));
  for (int64_t i = 0; i < 25; ++i) {
    CHECK(t[1]({i}) == (i >= 10 && i < 15 ? t[0]({i - 10}) : 7));
  }
}

TEST_CASE("symbolic reads that can't be proved become assumptions", "[te]") {
  Var m = var("m"), n = var("n");
  Tensor a = placeholder({m}, kFloat32, "A"), b = placeholder({n}, kFloat32, "B");
  Tensor c = compute(
      {n}, [&](Var i) { return a(i) + b(i); }, "C");
  ir::PrimFunc func = create_prim_func({a, b, c});
  REQUIRE(func->assumptions.size() == 1);
  run(func, {{"m", 5}, {"n", 4}});
  CHECK(create_prim_func({a, b, c}, "f", {m >= n}).get()->assumptions.size() == 1);
  CHECK(create_prim_func({a, b, c}, "f", {m >= n + 2}).get()->assumptions.size() == 1);
  Tensor d = compute(
      {n}, [&](Var i) { return b(n - 1 - i); }, "D");
  CHECK(create_prim_func({b, d})->assumptions.empty());
  Tensor valid = compute(
      {n - 2}, [&](Var i) { return b(i) + b(i + 1) + b(i + 2); }, "V");
  ir::PrimFunc stencil = create_prim_func({b, valid});
  CHECK(stencil->assumptions.size() == 1);
  run(stencil, {{"n", 6}});
  run(stencil, {{"n", 2}});
}

TEST_CASE("the canonical text depends on the computation alone", "[te]") {
  const auto matmul = [](const std::string& prefix, DType dtype, double scale) {
    Var n = var(prefix + "n");
    Tensor a = placeholder({n, 8}, dtype, prefix + "a"),
           b = placeholder({8, 4}, dtype, prefix + "b");
    ReduceAxis k = reduce_axis(8, prefix + "k");
    Tensor c = compute(
        {n, 4}, [&](Var i, Var j) { return sum(a(i, k) * b(k, j), {k}); }, prefix + "c");
    Tensor d = compute(
        {n, 4}, [&](Var i, Var j) { return c(i, j) * constant(dtype, scale); }, prefix + "d");
    return std::vector<Tensor>{d};
  };
  const auto base = matmul("zq_", kFloat32, 2);
  CHECK(canonical_text(base) == canonical_text(matmul("other_", kFloat32, 2)));
  CHECK(canonical_hash(base) == canonical_hash(matmul("other_", kFloat32, 2)));
  CHECK(canonical_hash(base) != canonical_hash(matmul("zq_", kFloat64, 2)));
  CHECK(canonical_hash(base) != canonical_hash(matmul("zq_", kFloat32, 3)));
  CHECK(canonical_hash(base).size() == 20);
  CHECK(canonical_text(base).find("zq") == std::string::npos);
}

}  // namespace
}  // namespace tilewright::te
