#include "tilewright/tuner/space/generated.h"

#include <catch2/catch.hpp>
#include <set>

#include "tilewright/te/te.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::tuner {
namespace {

using schedule::Schedule;
using testing::Sizes;

// A machine with few registers, so that tiles stay small and several.
Target small_target() {
  Target target = Target::host();
  target.vector_bits = 128;
  target.vector_registers = 16;
  return target;
}

ir::PrimFunc batched_product(bool transposed, int64_t b, int64_t m, int64_t k, int64_t n) {
  te::Tensor x = te::placeholder({b, transposed ? k : m, transposed ? m : k}, kFloat32, "X");
  te::Tensor y = te::placeholder({b, transposed ? n : k, transposed ? k : n}, kFloat32, "Y");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  te::Tensor z = te::compute(
      {b, m, n},
      [&](te::Var p, te::Var i, te::Var j) {
        return te::sum(transposed ? x(p, rk, i) * y(p, j, rk) : x(p, i, rk) * y(p, rk, j), {rk});
      },
      "Z");
  te::Tensor out = te::compute(
      {b, m, n}, [&](te::Var p, te::Var i, te::Var j) { return ir::max(z(p, i, j), 0); }, "Out");
  return te::create_prim_func({x, y, out}, "batched_product");
}

ir::PrimFunc stencil_chain(int64_t h, int64_t w) {
  te::Tensor a = te::placeholder({h, w}, kFloat32, "A");
  te::ReduceAxis ry = te::reduce_axis(3, "ry"), rx = te::reduce_axis(3, "rx");
  te::Tensor blur = te::compute(
      {h - 2, w - 2},
      [&](te::Var i, te::Var j) {
        return te::sum(a(i + ry, j + rx), {ry, rx});
      },
      "blur");
  te::Tensor slope = te::compute(
      {h - 4, w - 4},
      [&](te::Var i, te::Var j) {
        return ir::max(blur(i + 2, j) - blur(i, j), blur(i, j + 2) - blur(i, j));
      },
      "slope");
  te::Tensor out = te::compute(
      {h - 6, w - 6},
      [&](te::Var i, te::Var j) { return slope(i, j) + slope(i + 1, j + 1) + slope(i + 2, j + 2); },
      "out");
  return te::create_prim_func({a, out}, "stencil_chain");
}

// Row sums, then each row less its sum: the shape of a normalization.
ir::PrimFunc centred_rows(const te::Expr& rows, int64_t width) {
  te::Tensor a = te::placeholder({rows, width}, kFloat32, "A");
  te::ReduceAxis rk = te::reduce_axis(width, "k"), rl = te::reduce_axis(width, "l");
  te::Tensor total = te::compute(
      {rows}, [&](te::Var i) { return te::sum(a(i, rk), {rk}); }, "total");
  te::Tensor moved = te::compute(
      {rows, width}, [&](te::Var i, te::Var j) { return a(i, j) * 2 - total(i); }, "moved");
  te::Tensor most = te::compute(
      {rows}, [&](te::Var i) { return te::max(moved(i, rl), {rl}); }, "most");
  te::Tensor out = te::compute(
      {rows, width}, [&](te::Var i, te::Var j) { return moved(i, j) + most(i); }, "out");
  return te::create_prim_func({a, out}, "centred_rows");
}

ir::PrimFunc total(int64_t m, int64_t n) {
  te::Tensor a = te::placeholder({m, n}, kFloat32, "A");
  te::ReduceAxis ri = te::reduce_axis(m, "i"), rj = te::reduce_axis(n, "j");
  te::Tensor sum = te::compute(
      {1},
      [&](te::Var) {
        return te::sum(a(ri, rj), {ri, rj});
      },
      "total");
  return te::create_prim_func({a, sum}, "total");
}

std::set<std::string> steps_of(const schedule::Trace& trace) {
  std::set<std::string> steps;
  for (const schedule::Instruction& step : trace.instructions) steps.insert(step.op);
  return steps;
}

// Draws a few points of every sketch and checks each; gives the primitives that were used.
std::set<std::string> check_points(const ir::PrimFunc& func, const std::vector<Sizes>& sizes = {{}},
                                   int points = 4) {
  std::set<std::string> used;
  const Target target = small_target();
  for (const Sketch& sketch : generated_sketches(func, target, 2)) {
    for (int point = 0; point < points; ++point) {
      Schedule sch(func, static_cast<uint64_t>(point) + 1);
      sch.set_sketch(sketch.name);
      sketch.apply(sch, target, 1 + point % 2);
      INFO(sketch.name);
      testing::check_schedule(sch, sizes);
      used.merge(steps_of(sch.trace()));
    }
  }
  return used;
}

TEST_CASE(
    "sketches: a product of odd sizes gets a register tile, packed operands and its epilogue") {
  for (bool transposed : {false, true}) {
    const auto used = check_points(batched_product(transposed, 2, 9, 5, 19));
    for (const char* step :
         {"compute_at", "set_scope", "pack", "vectorize", "unroll", "parallel"}) {
      INFO(step);
      CHECK(used.count(step) == 1);
    }
    CHECK(used.count("cache_write") == 0);
  }
}

TEST_CASE("sketches: a deep product is cut into panels") {
  const auto used = check_points(batched_product(false, 1, 7, 150, 17), {{}}, 8);
  CHECK(used.count("rfactor") == 1);
}

TEST_CASE("sketches: panels of a deep sum that has an axis of one term as well") {
  te::Tensor x = te::placeholder({7, 150, 1}, kFloat32, "X"),
             w = te::placeholder({17, 150, 1}, kFloat32, "W");
  te::ReduceAxis rc = te::reduce_axis(150, "rc"), rx = te::reduce_axis(1, "rx");
  te::Tensor y = te::compute(
      {7, 17},
      [&](te::Var i, te::Var j) {
        return te::sum(x(i, rc, rx) * w(j, rc, rx), {rc, rx});
      },
      "Y");
  const auto used = check_points(te::create_prim_func({x, w, y}, "pointwise"), {{}}, 8);
  CHECK(used.count("rfactor") == 1);
}

TEST_CASE("sketches: stages of a stencil chain, each in the strips of the last") {
  const auto used = check_points(stencil_chain(17, 23), {{}}, 12);
  for (const char* step : {"compute_at", "rolling_buffer", "compute_inline", "vectorize"}) {
    INFO(step);
    CHECK(used.count(step) == 1);
  }
}

TEST_CASE("sketches: rows of a normalization, their number symbolic") {
  const ir::PrimFunc func = centred_rows(te::var("n"), 37);
  const auto used = check_points(func, {{{"n", 1}}, {{"n", 13}}, {{"n", 0}}});
  CHECK(used.count("rfactor") == 1);
  CHECK(generated_sketches(func, small_target(), 1).size() == 2);
}

TEST_CASE("sketches: a sum over everything, and a program without loops") {
  check_points(total(7, 45));
  te::Tensor a = te::placeholder({}, kFloat32, "A");
  te::Tensor b = te::compute(
      {}, [&](const std::vector<te::Var>&) { return te::Expr(a() + 1); }, "B");
  check_points(te::create_prim_func({a, b}, "scalar"));
}

TEST_CASE("sketches: the same decisions give the same program") {
  const ir::PrimFunc func = batched_product(false, 2, 9, 5, 19);
  const Target target = small_target();
  const Space space(func, target, 1, generated_sketches(func, target, 1));
  for (size_t sketch = 0; sketch < space.size(); ++sketch) {
    const Draw first = space.draw(sketch, {}, 3);
    REQUIRE(first.error.empty());
    CHECK(space.draw(sketch, first.trace.decisions, 99).trace.hash == first.trace.hash);
    const auto found = space.find(first.trace);
    REQUIRE(found);
    CHECK(found->first == sketch);
  }
}

TEST_CASE("sketches: steps made by hand stay, and the rules do the rest") {
  const ir::PrimFunc func = stencil_chain(17, 23);
  Schedule by_hand(func);
  const auto slope = by_hand.get_block("slope");
  const auto loops = by_hand.get_loops(slope);
  const auto parts = by_hand.split_factor(loops[0], 5);
  by_hand.reorder({parts[0], loops[1], parts[1]});
  by_hand.unroll(parts[1]);
  const Target target = small_target();
  for (const Sketch& sketch : generated_sketches(func, target, 2, by_hand.trace())) {
    for (int point = 0; point < 3; ++point) {
      Schedule sch(func, static_cast<uint64_t>(point));
      sketch.apply(sch, target, 2);
      testing::check_schedule(sch);
      const schedule::Trace& trace = sch.trace();
      REQUIRE(trace.instructions.size() > by_hand.trace().instructions.size());
      for (size_t i = 0; i < by_hand.trace().instructions.size(); ++i) {
        CHECK(trace.instructions[i] == by_hand.trace().instructions[i]);
      }
      // The loops made by hand are still there, in their order.
      CHECK(sch.loop_extent_or(parts[1], 0) == 5);
      CHECK(steps_of(trace).count("vectorize") == 1);
    }
  }
}

TEST_CASE("sketches: numbers that a start leaves open are searched") {
  const ir::PrimFunc func = stencil_chain(17, 23);
  Schedule by_hand(func);
  const auto loops = by_hand.get_loops(by_hand.get_block("out"));
  by_hand.split_factor(loops[0], by_hand.sample_categorical({2, 3, 4}, {}, "mine"));
  const Target target = small_target();
  const Space space(func, target, 1, generated_sketches(func, target, 1, by_hand.trace()));
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Draw draw = space.draw(0, {}, seed);
    REQUIRE(draw.error.empty());
    REQUIRE(draw.trace.decisions[0].name == "mine");
    seen.insert(std::get<int64_t>(draw.trace.decisions[0].value.data));
  }
  CHECK(seen.size() == 3);
}

TEST_CASE("sketches: a start that does not fit is an error at once") {
  Schedule other(total(7, 45));
  other.get_block("total");
  CHECK_THROWS_AS(generated_sketches(stencil_chain(17, 23), small_target(), 1, other.trace()),
                  schedule::ScheduleException);
}

}  // namespace
}  // namespace tilewright::tuner
