#include "tilewright/te/te.h"
#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using schedule::Schedule;
using te::Tensor;
using te::Var;

namespace {

// Number of loops whose variable's name starts with `name`.
int count_loops(const ir::PrimFunc& func, const std::string& name) {
  int count = 0;
  ir::walk_stmts(func->body, [&](const ir::Stmt& s) {
    auto* loop = s.as<ir::ForNode>();
    count += loop && loop->var.name().rfind(name, 0) == 0;
  });
  return count;
}

// Stores without a mask into parameter `name` inside of which no condition is left.
int plain_vector_stores(const ir::PrimFunc& func, const std::string& name) {
  int count = 0;
  ir::walk_stmts(func->body, [&](const ir::Stmt& s) {
    auto* store = s.as<ir::StoreNode>();
    count += store && store->buffer->name == name && !store->predicate.defined() &&
             store->value.dtype().lanes > 1;
  });
  return count;
}

ir::PrimFunc matmul(int m, int n, int k) {
  Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {m, n}, [&](Var i, Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return te::create_prim_func({a, b, c}, "matmul");
}

}  // namespace

TEST_CASE("guards: each stays inside the loops whose variables it reads (K29)") {
  Tensor a = te::placeholder({3, 5}, kFloat32, "A");
  Tensor c = te::compute(
      {3, 5}, [&](Var y, Var z) { return a(y, z) + 1.0f; }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c});
  for (int kinds = 0; kinds < 8; ++kinds) {
    INFO(kinds);
    Schedule sch(func);
    auto loops = sch.get_loops(sch.get_block("C"));
    auto y = sch.split_factor(loops[0], 2), z = sch.split_factor(loops[1], 2);
    sch.reorder({y[0], z[0], y[1], z[1]});
    if (kinds & 1) sch.unroll(y[1]);
    if (kinds & 2) sch.vectorize(z[1]);
    if (kinds & 4) sch.parallel(y[0]);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("guards: full vectors run without masks beside a masked version") {
  ir::Var n = te::var("n");
  Tensor a = te::placeholder({n}, kFloat32, "A");
  Tensor c = te::compute(
      {n}, [&](Var i) { return a(i) + 1.0f; }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c});
  Schedule sch(func);
  auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 8);
  sch.vectorize(parts[1]);
  for (int size : {0, 7, 8, 30}) CHECK(lowering_difference(func, sch.func(), {{"n", size}}) == "");
  CHECK(plain_vector_stores(lowered(sch.func()), "C") == 1);
  CHECK(plain_vector_stores(lowered(sch.func(), {"hoist_guards"}), "C") == 0);
}

TEST_CASE("guards: the worst case is tested outside of the reduction") {
  ir::PrimFunc func = matmul(14, 16, 9);
  Schedule sch(func);
  auto c = sch.get_block("C");
  auto loops = sch.get_loops(c);
  auto i = sch.split_factor(loops[0], 4);
  sch.reorder({i[0], loops[2], i[1], loops[1]});
  sch.unroll(i[1]);
  sch.vectorize(loops[1]);
  CHECK(lowering_difference(func, sch.func()) == "");
  ir::PrimFunc result = lowered(sch.func());
  // One reduction loop in the full tile, one in the other; no condition in the first.
  CHECK(count_loops(result, "k") == 2);
  int plain = 0;
  ir::walk_stmts(result->body, [&](const ir::Stmt& s) {
    auto* loop = s.as<ir::ForNode>();
    if (!loop || loop->var.name().rfind("k", 0) != 0) return;
    bool guarded = false;
    ir::walk_stmts(loop->body,
                   [&](const ir::Stmt& t) { guarded |= t.as<ir::IfNode>() != nullptr; });
    plain += !guarded;
  });
  CHECK(plain >= 1);
}

TEST_CASE("guards: work without guards is not copied") {
  ir::PrimFunc func = matmul(14, 35, 9);
  Schedule sch(func);
  auto c = sch.get_block("C");
  auto copy = sch.cache_write(c, "register");
  sch.pack(c, "A", "(m, k) -> (m // 4, k, m % 4)", {{0, 8}});
  sch.pack(c, "B", "(k, n) -> (n // 16, k, n % 16)", {{1, 16}});
  auto loops = sch.get_loops(c);
  auto i = sch.split(loops[0], {std::nullopt, schedule::Int(2), schedule::Int(4)}, "pad");
  auto j = sch.split_factor(loops[1], 16, "pad");
  sch.reorder({j[0], i[0], i[1], loops[2], i[2], j[1]});
  sch.reverse_compute_at(copy, i[1]);
  auto out = sch.get_loops(copy);
  sch.vectorize(out.back());
  sch.unroll(out[out.size() - 2]);
  sch.vectorize(j[1]);
  sch.unroll(i[2]);
  CHECK(lowering_difference(func, sch.func()) == "");
  ir::PrimFunc result = lowered(sch.func());
  INFO(ir::to_pretty(result));
  CHECK(count_loops(result, "k") == 1);
  CHECK(plain_vector_stores(result, "C") >= 4);
  ir::walk_exprs(result->body, [](const ir::Expr& e) { CHECK(e.as<ir::SelectNode>() == nullptr); });
}

TEST_CASE("guards: what holds in the version without masks says nothing about the other") {
  // The copy of B is conditional inside a loop whose variable the tile's own guard does not read: both versions of the
  // tile contain it.
  te::Expr n = te::var("n");
  Tensor a = te::placeholder({3, 5}, kFloat32, "A"), b = te::placeholder({5, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(5, "k");
  Tensor c = te::compute(
      {3, n}, [&](Var i, Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, b, c});
  Schedule sch(func);
  auto main = sch.get_block("C");
  auto loops = sch.get_loops(main);
  auto j = sch.split(loops[1], {std::nullopt, schedule::Int(3), schedule::Int(8)});
  sch.reorder({j[0], loops[0], loops[2], j[1], j[2]});
  auto pack = sch.pack(main, "B", "(k, n) -> (n // 24, k, n % 24)", {{1, 24}});
  sch.compute_at(pack, j[0]);
  sch.vectorize(sch.split_factor(sch.get_loops(pack).back(), 8)[1]);
  sch.unroll(j[1]);
  sch.vectorize(j[2]);
  for (int size : {0, 9, 24, 31, 48})
    CHECK(lowering_difference(func, sch.func(), {{"n", size}}) == "");
}

TEST_CASE("guards: inner split larger than the outer one (K01)") {
  for (int n : {16, 15, 1}) {
    for (int place = 0; place < 3; ++place) {
      for (int order = 0; order < 3; ++order) {
        INFO(n << " " << place << " " << order);
        Tensor f = te::compute(
            {n}, [&](Var i) { return te::cast(kInt32, i) * 3 + 1; }, "f");
        Tensor g = te::compute(
            {n}, [&](Var i) { return f(i); }, "g");
        ir::PrimFunc func = te::create_prim_func({g});
        Schedule sch(func);
        auto outer = sch.split_factor(sch.get_loops(sch.get_block("g"))[0], 2);
        auto inner = sch.split_factor(outer[1], 4);
        if (order == 1) sch.reorder({inner[1], inner[0]});
        if (place == 1) sch.compute_inline(sch.get_block("f"));
        if (place == 2) sch.compute_at(sch.get_block("f"), outer[0]);
        if (order == 2) sch.vectorize(inner[1]);
        CHECK(lowering_difference(func, sch.func()) == "");
      }
    }
  }
}

TEST_CASE("guards: the init is guarded like the update (K03)") {
  for (bool parallel : {false, true}) {
    Tensor x = te::placeholder({10}, kInt32, "X");
    te::ReduceAxis k = te::reduce_axis(10, "k");
    Tensor y = te::compute(
        {1}, [&](Var) { return te::sum(x(k), {k}); }, "Y");
    ir::PrimFunc func = te::create_prim_func({x, y});
    Schedule sch(func);
    auto parts = sch.split_nparts(sch.get_loops(sch.get_block("Y"))[0], 20);
    if (parallel) sch.parallel(parts[0]);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("unsigned differences wrap under every placement (K09)") {
  for (DType dtype : {kUInt8, kUInt16, kUInt32, kUInt64}) {
    for (int variant = 0; variant < 3; ++variant) {
      Tensor t0 = te::placeholder({8}, dtype, "T0");
      Tensor t1 = te::compute(
          {8}, [&](Var) { return te::constant(dtype, 0); }, "T1");
      Tensor c = te::compute(
          {8, 8}, [&](Var i, Var j) { return t1(i) - t0(j); }, "C");
      ir::PrimFunc func = te::create_prim_func({t0, c});
      Schedule sch(func);
      auto loops = sch.get_loops(sch.get_block("C"));
      if (variant == 0) sch.compute_inline(sch.get_block("T1"));
      if (variant == 1) sch.compute_at(sch.get_block("T1"), loops[0]);
      if (variant == 2) sch.compute_at(sch.get_block("T1"), loops[1]);
      if (variant != 2) sch.vectorize(loops[1]);
      CHECK(lowering_difference(func, sch.func()) == "");
    }
  }
}

TEST_CASE("64-bit values stay 64-bit (K15)") {
  ir::Var s = te::scalar("s", kInt64);
  Tensor out = te::compute(
      {11}, [&](Var i) { return te::cast(kInt64, i) * s; }, "C");
  ir::PrimFunc func = te::create_prim_func({out, s});
  Schedule sch(func);
  auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 4);
  sch.vectorize(parts[1]);
  CHECK(lowering_difference(func, sch.func(), {}, 0, {{"s", 1e9}}) == "");
}
