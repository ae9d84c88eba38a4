#include "tilewright/ir/interpreter.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "interp_support.h"

using namespace tilewright;
using namespace tilewright::ir;
using namespace tilewright::ir::testing;

namespace {

std::vector<float> iota(int n, float scale = 1) {
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>((i * 7) % 23 - 11) * scale;
  return values;
}

std::vector<float> reference_matmul(const std::vector<float>& a, const std::vector<float>& b, int m,
                                    int n, int k) {
  std::vector<float> c(m * n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
  return c;
}

}  // namespace

TEST_CASE("interpreter: elementwise over two dimensions") {
  Buffer a = make_buffer("A", kFloat32, {3, 5}), b = make_buffer("B", kFloat32, {3, 5});
  Var i("i"), j("j");
  Stmt body = make_for(
      0, i, 3, make_for(1, j, 5, store(b, {i, j}, load(a, {i, j}) * 2.0 + cast(kFloat32, i))));
  std::vector<float> x = iota(15), y(15);
  interpret(make_func({input(a), output(b)}, body), {arg(x, {3, 5}), arg(y, {3, 5})});
  for (int e = 0; e < 15; ++e) CHECK(y[e] == x[e] * 2 + static_cast<float>(e / 5));
}

TEST_CASE("interpreter: matmul, every loop order, splits that overshoot are guarded") {
  const int m = 5, n = 6, k = 7, t = 4;
  Buffer a = make_buffer("A", kFloat32, {m, k}), b = make_buffer("B", kFloat32, {k, n});
  Buffer c = make_buffer("C", kFloat32, {m, n});
  std::vector<float> x = iota(m * k), y = iota(k * n);
  const std::vector<float> expected = reference_matmul(x, y, m, n, k);

  std::vector<int> order{0, 1, 2, 3};
  int orders = 0;
  do {
    Var i("i"), j("j"), ko("ko"), ki("ki");
    const Expr kk = ko * t + ki;
    Stmt block = reduce_block(
        "C", reducers::sum(kFloat32), {c},
        {{"vi", m, IterKind::kSpatial, i},
         {"vj", n, IterKind::kSpatial, j},
         {"vk", k, IterKind::kReduce, kk}},
        [&](const std::vector<Var>& v) {
          return UpdateParts{{v[0], v[1]}, {load(a, {v[0], v[2]}) * load(b, {v[2], v[1]})}};
        },
        {{kk < k, 2, Tail::kGuard}});
    const Var vars[] = {i, j, ko, ki};
    const int extents[] = {m, n, 2, t};
    for (int at : order) block = make_for(at, vars[at], extents[at], block);
    std::vector<float> z(m * n, -1);
    interpret(make_func({input(a), input(b), output(c)}, block),
              {arg(x, {m, k}), arg(y, {k, n}), arg(z, {m, n})});
    CHECK(z == expected);
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(orders == 24);
}

TEST_CASE("interpreter: a split spatial loop's guard also limits the init") {
  const int m = 5, k = 3;
  Buffer a = make_buffer("A", kFloat32, {m, k}), c = make_buffer("C", kFloat32, {m});
  std::vector<float> x = iota(m * k);
  for (bool reduce_outside : {false, true}) {
    Var io("io"), ii("ii"), r("r");
    const Expr row = io * 4 + ii;
    Stmt block = reduce_block("C", reducers::max(kFloat32), {c},
                              {{"vi", m, IterKind::kSpatial, row}, {"vk", k, IterKind::kReduce, r}},
                              [&](const std::vector<Var>& v) {
                                return UpdateParts{{v[0]}, {load(a, {v[0], v[1]})}};
                              },
                              {{row < m, 0, Tail::kGuard}});
    Stmt nest = reduce_outside ? make_for(2, r, k, make_for(0, io, 2, make_for(1, ii, 4, block)))
                               : make_for(0, io, 2, make_for(1, ii, 4, make_for(2, r, k, block)));
    std::vector<float> z(m, 99);
    interpret(make_func({input(a), output(c)}, nest), {arg(x, {m, k}), arg(z)});
    for (int i = 0; i < m; ++i) CHECK(z[i] == *std::max_element(&x[i * k], &x[i * k] + k));
  }
}

TEST_CASE("interpreter: `where` masks the update, not the init") {
  const int n = 4;
  Buffer a = make_buffer("A", kInt32, {n, n}), c = make_buffer("C", kInt32, {n});
  Var i("i"), r("r");
  Var vi("vi"), vr("vr");
  Reducer sum = reducers::sum(kInt32);
  Stmt update(new UpdateNode(sum, {c}, {vi}, {load(a, {vi, vr})}));
  Block block(new BlockNode(7, "C", BlockKind::kCompute,
                            {{vi, {Expr(int64_t{0}), n}, IterKind::kSpatial},
                             {vr, {Expr(int64_t{0}), n}, IterKind::kReduce}},
                            vr < vi, {}, {}, sum, store(c, {vi}, 0), update, {}, ""));
  Stmt realize(new BlockRealizeNode({i, r}, {}, block));
  std::vector<int32_t> x(n * n), z(n, -5);
  std::iota(x.begin(), x.end(), 1);
  interpret(make_func({input(a), output(c)}, make_for(0, i, n, make_for(1, r, n, realize))),
            {arg(x, {n, n}), arg(z)});
  CHECK(z == std::vector<int32_t>{0, 5, 9 + 10, 13 + 14 + 15});
}

TEST_CASE("interpreter: empty reductions give the identity (K12)") {
  Var n("n"), k("k"), i("i"), ko("ko"), ki("ki");
  Buffer x = make_buffer("X", kFloat32, {n, k}), y = make_buffer("Y", kFloat32, {n});
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<Reducer, float>> table = {{reducers::sum(kFloat32), 0.0f},
                                                        {reducers::prod(kFloat32), 1.0f},
                                                        {reducers::max(kFloat32), -inf},
                                                        {reducers::min(kFloat32), inf}};
  for (const auto& [reducer, identity] : table) {
    const Expr kk = ko * 4 + ki;
    Stmt block = reduce_block("Y", reducer, {y},
                              {{"vi", n, IterKind::kSpatial, i}, {"vk", k, IterKind::kReduce, kk}},
                              [&](const std::vector<Var>& v) {
                                return UpdateParts{{v[0]}, {load(x, {v[0], v[1]})}};
                              },
                              {{kk < k, 1, Tail::kGuard}});
    Stmt nest = make_for(0, i, n, make_for(1, ko, ceil_div(k, 4), make_for(2, ki, 4, block)));
    PrimFunc f = make_func({input(x), output(y), shape_param(n), shape_param(k)}, nest);
    std::vector<float> empty, z(3, 77);
    interpret(f, {arg(empty, {3, 0}), arg(z)});
    CHECK(z == std::vector<float>(3, identity));
    std::vector<float> ones(3 * 5, 1.0f);
    interpret(f, {arg(ones, {3, 5}), arg(z)});
    CHECK(z == std::vector<float>(3, reducer->name == "sum" ? 5.0f : 1.0f));
    std::vector<float> none;
    interpret(f, {arg(empty, {0, 4}), arg(none)});
  }
}

TEST_CASE("interpreter: argmax updates both accumulators at once") {
  const int m = 4, k = 5;
  Buffer x = make_buffer("X", kFloat32, {m, k});
  Buffer at = make_buffer("at", kInt64, {m}), best = make_buffer("best", kFloat32, {m});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> v = {1,    3,    2,    3,    0,     //
                          nan,  1,    nan,  9,    9,     //
                          -inf, -inf, -inf, -inf, -inf,  //
                          -4,   -2,   -9,   -3,   -2};
  for (bool reversed : {false, true}) {
    Var i("i"), r("r");
    const Expr column = reversed ? Expr(k - 1) - r : Expr(r);
    Stmt block = reduce_block(
        "argmax", reducers::argmax(kInt64, kFloat32), {at, best},
        {{"vi", m, IterKind::kSpatial, i}, {"vk", k, IterKind::kReduce, cast(kInt64, column)}},
        [&](const std::vector<Var>& vars) {
          return UpdateParts{{vars[0]}, {vars[1], load(x, {vars[0], vars[1]})}};
        });
    std::vector<int64_t> index(m, -1);
    std::vector<float> value(m);
    interpret(make_func({input(x), output(at), output(best)},
                        make_for(0, i, m, make_for(1, r, k, block))),
              {arg(v, {m, k}), arg(index), arg(value)});
    CHECK(index == std::vector<int64_t>{1, 0, 0, 1});
    CHECK(value[0] == 3);
    CHECK(std::isnan(value[1]));
    CHECK(value[2] == -inf);
    CHECK(value[3] == -2);
  }
}

TEST_CASE("interpreter: all reads of an update precede its writes") {
  // (a, b) <- (b + x, a): a swap that goes wrong when a is written first.
  Var la("la", kInt32), lb("lb", kInt32), ra("ra", kInt32), rb("rb", kInt32);
  Reducer swap(
      new ReducerNode("swap", {la, lb}, {ra, rb}, {lb + ra, la}, {Expr(1), Expr(2)}, false, false));
  Buffer a = make_buffer("a", kInt32, {1}), b = make_buffer("b", kInt32, {1});
  Var r("r");
  Stmt block = reduce_block("swap", swap, {a, b}, {{"vk", 3, IterKind::kReduce, r}},
                            [&](const std::vector<Var>&) {
                              return UpdateParts{{Expr(0)}, {Expr(10), Expr(0)}};
                            });
  std::vector<int32_t> x(1), y(1);
  interpret(make_func({output(a), output(b)}, make_for(0, r, 3, block)), {arg(x), arg(y)});
  CHECK(x[0] == 22);  // (1,2) -> (12,1) -> (11,12) -> (22,11)
  CHECK(y[0] == 11);
}

TEST_CASE("interpreter: loop extents may depend on outer variables; shifted domains") {
  Buffer c = make_buffer("C", kInt64, {5, 5});
  Var i("i"), j("j");
  Stmt body = make_for(0, i, 5, make_for(1, j, i + 1, store(c, {i, j}, i * 10 + j)));
  std::vector<int64_t> z(25, -1);
  interpret(make_func({output(c)}, body), {arg(z, {5, 5})});
  for (int e = 0; e < 25; ++e) CHECK(z[e] == (e % 5 <= e / 5 ? e / 5 * 10 + e % 5 : -1));
}

TEST_CASE("interpreter: IfThenElse evaluates one side only, Select both") {
  Buffer a = make_buffer("A", kInt32, {4}), c = make_buffer("C", kInt32, {6});
  Var i("i");
  std::vector<int32_t> x = {1, 2, 3, 4}, z(6);
  const auto program = [&](Expr value) {
    return make_func({input(a), output(c)}, make_for(0, i, 6, store(c, {i}, value)));
  };
  const Expr inside = Expr(i) >= 1 && Expr(i) < 5;
  interpret(program(if_then_else(inside, load(a, {i - 1}), -7)), {arg(x), arg(z)});
  CHECK(z == std::vector<int32_t>{-7, 1, 2, 3, 4, -7});
  CHECK(error_code([&] {
          interpret(program(select(inside, load(a, {i - 1}), -7)), {arg(x), arg(z)});
        }) == "interp.out_of_bounds");
}

TEST_CASE("interpreter: an intermediate buffer per loop iteration is fresh and poisoned") {
  AllocAt in_loop;
  in_loop.kind = AllocAt::Kind::kLoop;
  in_loop.loop = 0;
  Buffer t(new BufferNode("T", kFloat32, {2}, Scope::kGlobal, {}, {}, 0, in_loop));
  Buffer u(new BufferNode("U", kInt16, {2}, Scope::kGlobal, {}, {}, 0, in_loop));
  Buffer c = make_buffer("C", kFloat32, {3}), d = make_buffer("D", kInt16, {3});
  Var i("i");
  // Reads element 1, then writes it: the next iteration must not see the value.
  Stmt body = make_for(0, i, 3,
                       seq({store(c, {i}, load(t, {1})), store(d, {i}, load(u, {1})),
                            store(t, {1}, 5.0), store(u, {1}, cast(kInt16, 5))}));
  PrimFunc f = make_func({output(c), output(d)}, body, Level::kScheduled, {t, u});
  std::vector<float> z(3);
  std::vector<int16_t> w(3);
  interpret(f, {arg(z), arg(w)});
  for (float v : z) CHECK(std::isnan(v));
  CHECK(w == std::vector<int16_t>(3, 0x7F7F));
  InterpOptions zeros;
  zeros.poison = false;
  interpret(f, {arg(z), arg(w)}, zeros);
  CHECK(z == std::vector<float>(3, 0.0f));

  Buffer root = make_buffer("R", kFloat32, {2});
  Stmt kept = make_for(0, i, 3, seq({store(c, {i}, load(root, {1})), store(root, {1}, 5.0)}));
  interpret(make_func({output(c)}, kept, Level::kScheduled, {root}), {arg(z)});
  CHECK(std::isnan(z[0]));
  CHECK(z[1] == 5);
  CHECK(z[2] == 5);
}

TEST_CASE("interpreter: symbolic shapes bind, composed extents and assumptions are checked") {
  Var n("n"), i("i");
  Buffer a = make_buffer("A", kInt32, {n}), b = make_buffer("B", kInt32, {n * 2});
  Stmt body = make_for(0, i, n * 2, store(b, {i}, load(a, {floor_div(i, 2)})));
  const std::vector<Param> params = {input(a), output(b), shape_param(n)};
  PrimFunc f = make_func(params, body, Level::kScheduled, {}, {floor_mod(n, 3) == 0});
  std::vector<int32_t> x = {4, 5, 6}, z(6);
  interpret(f, {arg(x), arg(z)});
  CHECK(z == std::vector<int32_t>{4, 4, 5, 5, 6, 6});

  std::string text;
  std::vector<int32_t> wrong(5), two(2), four(4);
  CHECK(error_code([&] { interpret(f, {arg(x), arg(wrong)}); }, &text) == "interp.argument");
  CHECK(text.find("'B'") != std::string::npos);
  CHECK(text.find("is 5, but must be") != std::string::npos);
  CHECK(error_code([&] { interpret(f, {arg(two), arg(four)}); }, &text) == "interp.assumption");
  CHECK(text.find("n = 2") != std::string::npos);
  CHECK(error_code([&] { interpret(f, {arg(x)}); }) == "interp.argument");
  CHECK(error_code([&] { interpret(f, {arg(x, {3, 1}), arg(z)}); }) == "interp.argument");
  std::vector<int32_t> none;
  interpret(f, {arg(none), arg(none)});

  // A composed extent does not determine n.
  PrimFunc open = make_func({output(b), shape_param(n)}, nop());
  CHECK(error_code([&] { interpret(open, {arg(z)}); }) == "interp.malformed");
}

TEST_CASE("interpreter: scalar arguments take the dtype of their parameter") {
  Var s("s", kInt8), t("t", kFloat16);
  Buffer b = make_buffer("B", kInt32, {1}), c = make_buffer("C", kFloat32, {1});
  PrimFunc f =
      make_func({{{}, s, ParamRole::kInput}, {{}, t, ParamRole::kInput}, output(b), output(c)},
                seq({store(b, {0}, cast(kInt32, s)), store(c, {0}, cast(kFloat32, t))}));
  std::vector<int32_t> x(1);
  std::vector<float> y(1);
  InterpArg half;
  half.float_value = 1.0 / 3;
  interpret(f, {int_arg(300), half, arg(x), arg(y)});
  CHECK(x[0] == 44);
  CHECK(y[0] == 0.333251953125f);
}

TEST_CASE("interpreter: print and assert") {
  Buffer a = make_buffer("A", kFloat32, {2});
  Var i("i");
  const Expr line(new CallNode(kInt32, Intrinsic::kPrint,
                               {Expr(new StringImmNode("i={} a={}")), i, load(a, {i}), i > 0}));
  Stmt check(new AssertNode(i < 1, 3, "i is {}, too large", {i}));
  PrimFunc f = make_func({input(a)}, make_for(0, i, 2, seq({evaluate(line), check})));
  std::vector<float> x = {1.5f, -2};
  std::ostringstream out;
  InterpOptions options;
  options.print_stream = &out;
  std::string text;
  CHECK(error_code([&] { interpret(f, {arg(x)}, options); }, &text) == "interp.assert");
  CHECK(text == "i is 1, too large");
  CHECK(out.str() == "i=0 a=1.5 false\ni=1 a=-2 true\n");
}

TEST_CASE("interpreter: thread-bound loops run as loops, barriers are refused") {
  Buffer c = make_buffer("C", kInt64, {12});
  Var bx("bx"), tx("tx");
  const auto program = [&](Stmt body) {
    Stmt inner = make_for(1, tx, 4, body, ForKind::kThread, {}, ThreadAxis::kThreadX);
    Stmt outer = make_for(0, bx, 3, inner, ForKind::kThread, {}, ThreadAxis::kBlockX);
    return make_func({output(c)}, outer, Level::kDevice);
  };
  Stmt write = store(c, {bx * 4 + tx}, bx * 100 + tx);
  std::vector<int64_t> z(12);
  interpret(program(write), {arg(z)});
  for (int e = 0; e < 12; ++e) CHECK(z[e] == e / 4 * 100 + e % 4);
  Stmt with_barrier = seq({write, Stmt(new BarrierNode(Scope::kShared))});
  CHECK(error_code([&] { interpret(program(with_barrier), {arg(z)}); }) == "interp.unsupported");
}

TEST_CASE("interpreter: zero-dimensional buffers, let and if statements") {
  Buffer s = make_buffer("S", kInt64, {}), c = make_buffer("C", kInt64, {4});
  Var i("i"), v("v"), w("w");
  Stmt body = seq(
      {store(s, {}, Expr(int64_t{5})),
       make_for(0, i, 4,
                let_stmt(v, load(s, {}) + i,
                         if_then(v > 6, store(c, {i}, let(w, v * v, w + w)), store(c, {i}, -v))))});
  std::vector<int64_t> x(1), z(4);
  interpret(make_func({output(s), output(c)}, body), {arg(x, {}), arg(z)});
  CHECK(x[0] == 5);
  CHECK(z == std::vector<int64_t>{-5, -6, 98, 128});
}

TEST_CASE("evaluate_int agrees with Python's floor division and the declared widths") {
  Var x("x"), y("y"), b("b", kUInt8);
  const auto eval = [&](Expr e, int64_t vx, int64_t vy) {
    return evaluate_int(e, {{x, vx}, {y, vy}});
  };
  CHECK(eval(floor_div(x, y), -7, 2) == -4);
  CHECK(eval(floor_mod(x, y), -7, 2) == 1);
  CHECK(eval(floor_mod(x, y), 7, -2) == -1);
  CHECK(eval(trunc_div(x, y), -7, 2) == -3);
  CHECK(eval(trunc_mod(x, y), -7, 2) == -1);
  CHECK(eval(floor_div(x, y), 3, 0) == 0);
  CHECK(eval(min(x, y) + max(x, y) * 10, 3, 5) == 53);
  CHECK(eval(select(x < y, x << 2, y >> 1), 3, 5) == 12);
  CHECK(eval(select(x < y, x << 2, y >> 1), 8, 5) == 2);
  CHECK(eval(cast(kInt64, cast(kInt8, x)), 200, 0) == -56);
  CHECK(eval(cast(kInt64, cast(kFloat32, x) * 2.5), 3, 0) == 7);
  CHECK(eval(x == 3 && !(y == 3), 3, 4) == 1);
  CHECK(evaluate_int(b - 5, {{b, 3}}) == 254);
  CHECK(error_code([&] { evaluate_int(x + y, {{x, 1}}); }) == "interp.argument");
  CHECK(error_code([&] { evaluate_int(cast(kFloat32, x), {{x, 1}}); }) == "interp.argument");
}
