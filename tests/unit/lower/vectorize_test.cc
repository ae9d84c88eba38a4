#include "support/expect_error.h"
#include "tilewright/te/te.h"
#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using schedule::Schedule;
using te::Tensor;
using te::Var;

namespace {

// Vectorizes the innermost loop of block "C" after a split by `lanes`.
ir::PrimFunc vectorized(const ir::PrimFunc& func, int lanes, const char* tail = "guard") {
  Schedule sch(func);
  auto parts = sch.split_factor(sch.get_loops(sch.get_block("C")).back(), lanes, tail);
  sch.vectorize(parts[1]);
  return sch.func();
}

std::string difference(const std::vector<te::Arg>& args, int lanes) {
  ir::PrimFunc func = te::create_prim_func(args);
  return lowering_difference(func, vectorized(func, lanes));
}

bool has_load_kind(const ir::PrimFunc& func, bool ramp) {
  bool found = false;
  ir::walk_exprs(func->body, [&](const ir::Expr& e) {
    auto* load = e.as<ir::LoadNode>();
    if (!load || load->dtype.lanes == 1) return;
    auto* r = load->indices[0].as<ir::RampNode>();
    found |= (r && ir::is_const_int(r->stride, 1)) == ramp;
  });
  return found;
}

}  // namespace

TEST_CASE("vectorize: contiguous, strided, reversed, gathered and invariant reads") {
  for (int n : {16, 19}) {
    Tensor a = te::placeholder({n}, kFloat32, "A"), wide = te::placeholder({2 * n}, kFloat32, "W");
    Tensor index = te::placeholder({n}, kUInt8, "I"), one = te::placeholder({1}, kFloat32, "one");
    auto read = [&](const std::function<ir::Expr(Var)>& f) { return te::compute({n}, f, "C"); };
    CHECK(difference({a, read([&](Var i) { return a(i) * 2.0f; })}, 8) == "");
    CHECK(difference({wide, read([&](Var i) { return wide(i * 2 + 1); })}, 8) == "");
    CHECK(difference({a, read([&](Var i) { return a(n - 1 - i); })}, 8) == "");
    CHECK(difference({a, read([&](Var i) { return a(te::floor_div(i, 2)); })}, 8) == "");
    CHECK(difference({a, read([&](Var i) { return a(te::floor_mod(i * 3, 8)); })}, 8) == "");
    CHECK(difference({a, index, read([&](Var i) { return a(te::cast(kInt64, index(i))); })}, 8) ==
          "");
    CHECK(difference({a, one, read([&](Var i) { return a(i) + one(0); })}, 8) == "");
    CHECK(difference({a, read([&](Var i) { return te::cast(kFloat32, i) + a(i); })}, 8) == "");
  }
}

TEST_CASE("vectorize: lane conditions never read outside") {
  for (int n : {13, 16, 31}) {
    Tensor a = te::placeholder({n}, kFloat32, "A");
    auto read = [&](const std::function<ir::Expr(Var)>& f) { return te::compute({n}, f, "C"); };
    // Shifted reads guarded by lazy conditions, with values from both sides.
    CHECK(difference({a, read([&](Var i) {
                        return te::if_then_else(i >= 1, a(i - 1), te::constant(kFloat32, 9));
                      })},
                     8) == "");
    CHECK(difference({a, read([&](Var i) {
                        return te::if_then_else(i < n - 3 && i >= 2, a(i + 3), a(i) * 2.0f);
                      })},
                     8) == "");
    // A scalar read under a lane condition that no lane may fulfil.
    CHECK(difference({a, read([&](Var i) {
                        return te::if_then_else(i >= 100, a(te::min(n - 1, 0)), a(i));
                      })},
                     8) == "");
    // Conditions that read data.
    CHECK(difference(
              {a, read([&](Var i) { return te::if_then_else(a(i) > 0.0f, a(n - 1 - i), -a(i)); })},
              4) == "");
  }
}

TEST_CASE("vectorize: a triangular domain, inner loops and tuples") {
  Tensor a = te::placeholder({20, 20}, kInt32, "A");
  te::ReduceAxis k = te::reduce_axis(20, "k");
  Tensor c = te::compute(
      {20}, [&](Var i) { return te::sum(a(i, k), {k}, ir::Expr(k) <= i); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c});
  Schedule sch(func);
  auto loops = sch.get_loops(sch.get_block("C"));
  auto parts = sch.split_factor(loops[0], 8, "guard");
  SECTION("reduction inside") {
    sch.reorder({parts[0], loops[1], parts[1]});
    sch.vectorize(parts[1]);
  }
  SECTION("reduction around") {
    sch.reorder({loops[1], parts[0], parts[1]});
    sch.vectorize(parts[1]);
  }
  SECTION("lanes outside of the reduction") { sch.vectorize(parts[1]); }
  CHECK(lowering_difference(func, sch.func()) == "");
}

TEST_CASE("vectorize: argmax over rows, one row a lane") {
  Tensor a = te::placeholder({12, 7}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(7, "k");
  std::vector<Tensor> c = te::compute(
      {12}, [&](Var i) { return te::argmax(a(i, k), k); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c[0], c[1]});
  Schedule sch(func);
  auto loops = sch.get_loops(sch.get_block(sch.block_names().front()));
  auto parts = sch.split_factor(loops[0], 8, "guard");
  sch.reorder({parts[0], loops[1], parts[1]});
  sch.vectorize(parts[1]);
  CHECK(lowering_difference(func, sch.func()) == "");
}

TEST_CASE("vectorize: unit-stride reads become vector loads, others gathers") {
  Tensor a = te::placeholder({64}, kFloat32, "A");
  auto func = [&](const std::function<ir::Expr(Var)>& f) {
    Tensor c = te::compute({32}, f, "C");
    return lowered(vectorized(te::create_prim_func({a, c}), 8));
  };
  CHECK(has_load_kind(func([&](Var i) { return a(i + 3); }), true));
  CHECK(!has_load_kind(func([&](Var i) { return a(i + 3); }), false));
  CHECK(has_load_kind(func([&](Var i) { return a(i * 2); }), false));
  // A tiled layout: all eight lanes are in one tile.
  auto tiled = func([&](Var i) { return a(te::floor_div(i, 16) * 16 + te::floor_mod(i, 16)); });
  CHECK(has_load_kind(tiled, true));
}

TEST_CASE("vectorize: long loops are cut into vectors") {
  for (int n : {65, 100, 256}) {
    Tensor a = te::placeholder({n}, kFloat32, "A");
    Tensor c = te::compute(
        {n}, [&](Var i) { return a(i) + 1.0f; }, "C");
    ir::PrimFunc func = te::create_prim_func({a, c});
    Schedule sch(func);
    sch.vectorize(sch.get_loops(sch.get_block("C"))[0]);
    CHECK(lowering_difference(func, sch.func()) == "");
    ir::walk_exprs(lowered(sch.func())->body,
                   [](const ir::Expr& e) { CHECK(e.dtype().lanes <= 64); });
  }
}

TEST_CASE("vectorize: widths that are no power of two become vectors of one register") {
  for (int lanes : {3, 7, 12, 24, 40, 48}) {
    for (int n : {48, 50, 97}) {
      Tensor a = te::placeholder({n}, kFloat32, "A");
      Tensor c = te::compute(
          {n}, [&](Var i) { return a(i) + 1.0f; }, "C");
      ir::PrimFunc func = te::create_prim_func({a, c});
      ir::PrimFunc scheduled = vectorized(func, lanes);
      CHECK(lowering_difference(func, scheduled) == "");
      ir::walk_exprs(lowered(scheduled)->body,
                     [](const ir::Expr& e) { CHECK(e.dtype().lanes <= 8); });
    }
  }
}

TEST_CASE("vectorize: a prefetch of a buffer that each lane has for itself") {
  Tensor a = te::placeholder({4, 6}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(6, "k");
  Tensor c = te::compute(
      {4}, [&](Var i) { return te::sum(a(i, k), {k}); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c});
  Schedule sch(func);
  auto block = sch.get_block("C");
  auto copy = sch.cache_read(block, "A");
  auto loops = sch.get_loops(block);
  sch.compute_at(copy, loops[0]);
  sch.prefetch(block, "A_global", loops[1], 1);
  sch.vectorize(loops[0]);
  CHECK(lowering_difference(func, sch.func()) == "");
}

TEST_CASE("vectorize and unroll refuse extents that are not constant") {
  ir::Var n = te::var("n");
  Tensor a = te::placeholder({n}, kFloat32, "A");
  Tensor c = te::compute(
      {n}, [&](Var i) { return a(i); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c});
  auto with_kind = [&](ir::ForKind kind) {
    auto* loop = func->body.as<ir::ForNode>();
    return ir::with_body(func, ir::make_for(loop->id, loop->var, loop->extent, loop->body, kind));
  };
  expect_error("lower.vectorize_extent", {"loop i (extent n)", "split it"},
               [&] { lower::lower(with_kind(ir::ForKind::kVectorized), test_target()); });
  expect_error("lower.unroll_extent", {"loop i (extent n)", "split it"},
               [&] { lower::lower(with_kind(ir::ForKind::kUnrolled), test_target()); });
}

TEST_CASE("unroll refuses nests of thousands of statements") {
  Tensor a = te::placeholder({100, 100}, kFloat32, "A");
  Tensor c = te::compute(
      {100, 100}, [&](Var i, Var j) { return a(i, j); }, "C");
  Schedule sch(te::create_prim_func({a, c}));
  for (auto loop : sch.get_loops(sch.get_block("C"))) sch.unroll(loop);
  expect_error("lower.unroll_size", {"10000 statements", "4096"}, [&] { lowered(sch.func()); });
}
