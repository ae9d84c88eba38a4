#include "support/expect_error.h"
#include "tilewright/te/te.h"
#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using schedule::Schedule;
using te::Tensor;
using te::Var;

namespace {

ir::PrimFunc matmul(int m, int n, int k) {
  Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {m, n}, [&](Var i, Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return te::create_prim_func({a, b, c}, "matmul");
}

struct Tile {
  explicit Tile(const ir::PrimFunc& func) : sch(func) {
    auto c = sch.get_block("C");
    auto loops = sch.get_loops(c);
    auto i = sch.split_factor(loops[0], 4), j = sch.split_factor(loops[1], 8);
    sch.reorder({i[0], j[0], loops[2], i[1], j[1]});
    auto copy = sch.cache_write(c, "register");
    sch.reverse_compute_at(copy, j[0]);
    auto out = sch.get_loops(copy);
    rows = i[1];
    columns = j[1];
    out_rows = out[out.size() - 2];
    out_columns = out.back();
  }
  Schedule sch;
  schedule::Loop rows, columns, out_rows, out_columns;
};

}  // namespace

TEST_CASE("registers: every value gets its own buffer") {
  ir::PrimFunc func = matmul(8, 16, 5);
  Tile t(func);
  for (auto loop : {t.rows, t.out_rows}) t.sch.unroll(loop);
  for (auto loop : {t.columns, t.out_columns}) t.sch.vectorize(loop);
  CHECK(lowering_difference(func, t.sch.func()) == "");
  int allocs = 0;
  ir::walk_stmts(lowered(t.sch.func())->body, [&](const ir::Stmt& s) {
    auto* alloc = s.as<ir::AllocNode>();
    if (!alloc) return;
    ++allocs;
    CHECK(alloc->buffer->scope == ir::Scope::kRegister);
    CHECK(ir::is_const_int(alloc->buffer->shape[0], 8));
  });
  CHECK(allocs == 4);
}

TEST_CASE("registers: rows as lanes (a strided register layout)") {
  ir::PrimFunc func = matmul(8, 16, 5);
  Tile t(func);
  for (auto loop : {t.rows, t.out_rows}) t.sch.vectorize(loop);
  for (auto loop : {t.columns, t.out_columns}) t.sch.unroll(loop);
  CHECK(lowering_difference(func, t.sch.func()) == "");
}

TEST_CASE("registers: vector in the loop, scalars in the copy") {
  ir::PrimFunc func = matmul(8, 16, 5);
  Tile t(func);
  for (auto loop : {t.rows, t.out_rows, t.out_columns}) t.sch.unroll(loop);
  t.sch.vectorize(t.columns);
  CHECK(lowering_difference(func, t.sch.func()) == "");
}

TEST_CASE("registers: a serial loop over elements is an error that names it") {
  Tile t(matmul(8, 16, 5));
  for (auto loop : {t.columns, t.out_columns}) t.sch.vectorize(loop);
  t.sch.unroll(t.out_rows);
  const std::string name = t.sch.loop_name(t.rows);
  (void)name;
  expect_error("lower.register_index",
               {"buffer 'C_register' has scope register", "loop i_1", "unroll or vectorize it",
                "scope local"},
               [&] { lowered(t.sch.func()); });
}

TEST_CASE("registers: vectors of different widths over the same elements") {
  Tile t(matmul(8, 16, 5));
  auto narrow = t.sch.split_factor(t.out_columns, 4);
  t.sch.unroll(narrow[0]);
  t.sch.vectorize(narrow[1]);
  for (auto loop : {t.rows, t.out_rows}) t.sch.unroll(loop);
  t.sch.vectorize(t.columns);
  expect_error("lower.register_lanes", {"C_register", "8 lanes", "vectorize all its loops"},
               [&] { lowered(t.sch.func()); });
}

TEST_CASE("registers: masked tiles keep no selects in the loop") {
  ir::PrimFunc func = matmul(8, 13, 5);
  Tile t(func);
  for (auto loop : {t.rows, t.out_rows}) t.sch.unroll(loop);
  for (auto loop : {t.columns, t.out_columns}) t.sch.vectorize(loop);
  CHECK(lowering_difference(func, t.sch.func()) == "");
  ir::walk_exprs(lowered(t.sch.func())->body,
                 [](const ir::Expr& e) { CHECK(e.as<ir::SelectNode>() == nullptr); });
}

TEST_CASE("registers: rows of a masked tile never share elements") {
  // The tile is wider than the whole matrix: in a buffer of the matrix's width the first row's surplus lanes would be
  // the second row's elements.
  for (int n : {2, 5, 7}) {
    ir::PrimFunc func = matmul(8, n, 5);
    Tile t(func);
    for (auto loop : {t.rows, t.out_rows}) t.sch.unroll(loop);
    auto lanes = t.sch.split_factor(t.out_columns, 8);
    for (auto loop : {t.columns, lanes[1]}) t.sch.vectorize(loop);
    t.sch.unroll(lanes[0]);
    CHECK(lowering_difference(func, t.sch.func()) == "");
  }
}

TEST_CASE("registers: lanes that only some stores reach are never read before they have a value") {
  // The init stores under the tail's mask, the updates under that and the reduction's own condition.
  Tensor a = te::placeholder({5, 3}, kFloat32, "A");
  te::ReduceAxis rk = te::reduce_axis(5, "k");
  Tensor c = te::compute(
      {3}, [&](Var i) { return te::sum(a(rk, i), {rk}, i < 2); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c});
  Schedule sch(func);
  auto main = sch.get_block("C");
  auto loops = sch.get_loops(main);
  auto i = sch.split_factor(loops[0], 8);
  sch.reorder({i[0], loops[1], i[1]});
  auto copy = sch.cache_write(main, "register");
  sch.reverse_compute_at(copy, i[0]);
  sch.vectorize(i[1]);
  sch.vectorize(sch.split_factor(sch.get_loops(copy).back(), 8)[1]);
  CHECK(lowering_difference(func, sch.func()) == "");
}
