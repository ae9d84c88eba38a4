// split, fuse, reorder, tile, unroll, vectorize, parallel, add_unit_loop.

#include "tilewright/ir/builder.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Factor;
using schedule::Loop;
using schedule::Schedule;

const char* const kTails[] = {"guard", "peel", "balanced", "pad", "shift_inwards", "auto"};

ir::PrimFunc scale(int64_t n) {
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) * 2.0f + 1.0f; }, "C");
  return te::create_prim_func({a, c});
}

ir::PrimFunc symbolic_scale() {
  te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) * 2.0f + 1.0f; }, "C");
  return te::create_prim_func({a, c});
}

ir::PrimFunc row_sums(int64_t rows, int64_t cols) {
  te::Tensor a = te::placeholder({rows, cols}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(cols, "k");
  te::Tensor c = te::compute(
      {rows}, [&](te::Var i) { return te::sum(a(i, k), {k}); }, "C");
  return te::create_prim_func({a, c});
}

std::vector<Loop> loops_of(Schedule& sch, const char* block = "C") {
  return sch.get_loops(sch.get_block(block));
}

}  // namespace

TEST_CASE("split: every tail, dividing and not, factors above the extent", "[schedule]") {
  for (int64_t n : {1, 7, 12, 13}) {
    for (int factor : {1, 4, 20}) {
      for (const char* tail : kTails) {
        const std::string policy = tail;
        // A whole tile must fit to be moved inwards; an argument has no room for a padded one.
        if (n % factor != 0 && (policy == "pad" || (policy == "shift_inwards" && n < factor))) {
          continue;
        }
        INFO("n = " << n << ", factor = " << factor << ", tail = " << tail);
        Schedule sch(scale(n));
        const std::vector<Loop> parts = sch.split_factor(loops_of(sch)[0], factor, tail);
        CHECK(sch.loop_extent_or(parts[0], -1) == (n + factor - 1) / factor);
        CHECK(sch.loop_extent_or(parts[1], -1) == factor);
        check_schedule(sch);
      }
    }
  }
}

TEST_CASE("split: several factors, an open one anywhere, and by the number of parts",
          "[schedule]") {
  const std::vector<std::vector<Factor>> lists = {{std::nullopt, 3, 4},
                                                  {2, std::nullopt, 5},
                                                  {3, 2, std::nullopt},
                                                  {5, 3, 2},
                                                  {std::nullopt, 2, 2, 2}};
  for (const std::vector<Factor>& factors : lists) {
    for (const char* tail : {"guard", "peel", "auto"}) {
      Schedule sch(scale(29));
      const std::vector<Loop> parts = sch.split(loops_of(sch)[0], factors, tail);
      CHECK(parts.size() == factors.size());
      check_schedule(sch);
    }
  }
  Schedule sch(scale(3));
  const std::vector<Loop> parts = sch.split_nparts(loops_of(sch)[0], 8);
  CHECK(sch.loop_extent_or(parts[0], -1) == 8);
  CHECK(sch.loop_extent_or(parts[1], -1) == 1);
  check_schedule(sch);
}

TEST_CASE("split of what was split: the guard moves along, also past the outer part",
          "[schedule]") {
  for (int64_t n : {1, 15, 16}) {
    for (const char* tail : {"guard", "peel", "balanced"}) {
      for (bool swapped : {false, true}) {
        Schedule sch(scale(n));
        const std::vector<Loop> outer = sch.split_factor(loops_of(sch)[0], 2, tail);
        const std::vector<Loop> inner = sch.split_factor(outer[1], 4, tail);
        if (swapped) sch.reorder({inner[1], inner[0]});
        sch.vectorize(inner[1]);
        check_schedule(sch);
      }
    }
  }
}

TEST_CASE("split of a symbolic extent", "[schedule]") {
  for (const char* tail : {"guard", "peel", "auto"}) {
    Schedule sch(symbolic_scale());
    const std::vector<Loop> parts = sch.split_factor(loops_of(sch)[0], 8, tail);
    sch.vectorize(parts[1]);
    sch.parallel(parts[0]);
    check_schedule(sch, {{{"n", 0}}, {{"n", 1}}, {{"n", 8}}, {{"n", 19}}});
  }
  te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kInt32, "A");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) + 1; }, "C");
  Schedule sch(te::create_prim_func({a, c}, "main", {n >= 8}));
  sch.split_factor(loops_of(sch)[0], 8, "shift_inwards");
  check_schedule(sch, {{{"n", 8}}, {{"n", 13}}});
}

TEST_CASE("split of a reduction axis and of a unit output axis", "[schedule]") {
  for (const char* tail : {"guard", "peel", "balanced", "auto"}) {
    Schedule sch(row_sums(3, 10));
    const std::vector<Loop> loops = loops_of(sch);
    sch.split_factor(loops[0], 8, tail);
    sch.split_factor(loops[1], 4, tail);
    check_schedule(sch);
    Schedule unit(row_sums(1, 10));
    unit.split_nparts(loops_of(unit)[0], 20, tail);
    check_schedule(unit);
    // The parts of a loop of one iteration feed no axis, only the guard.
    Schedule idle(row_sums(1, 10));
    const bool balanced = std::string(tail) == "balanced";
    const std::vector<Loop> parts =
        idle.split(loops_of(idle)[0], {std::nullopt, 3, 4}, balanced ? "guard" : tail);
    idle.decompose_reduction(idle.get_block("C"), parts[1]);
    check_schedule(idle);
  }
}

TEST_CASE("fuse: two and three loops, symbolic extents, after a split", "[schedule]") {
  for (const Program& program : {programs::batched_matmul(), programs::conv2d()}) {
    const std::string block = program.name == "conv2d" ? "conv" : "C";
    Schedule sch(program.func);
    std::vector<Loop> loops = loops_of(sch, block.c_str());
    const Loop fused = sch.fuse({loops[0], loops[1], loops[2]});
    sch.split_factor(fused, 7, "peel");
    check_schedule(sch, program);
  }
  const Program norm = programs::layernorm();
  Schedule sch(norm.func);
  std::vector<Loop> loops = loops_of(sch, "layernorm");
  const Loop fused = sch.fuse({loops[0], loops[1]});
  sch.vectorize(sch.split_factor(fused, 8)[1]);
  check_schedule(sch, norm);
}

TEST_CASE("fuse of the reduction loops", "[schedule]") {
  const Program conv = programs::conv2d();
  Schedule sch(conv.func);
  const std::vector<Loop> loops = loops_of(sch, "conv");
  sch.split_factor(sch.fuse({loops[4], loops[5], loops[6]}), 4);
  check_schedule(sch, conv);
}

TEST_CASE("reorder: spatial and reduction loops in any order", "[schedule]") {
  const Program matmul = programs::matmul();
  const std::vector<std::vector<int>> orders = {{1, 0}, {2, 0, 1}, {2, 1, 0}, {1, 2}, {0, 2, 1}};
  for (const std::vector<int>& order : orders) {
    Schedule sch(matmul.func);
    const std::vector<Loop> loops = loops_of(sch);
    std::vector<Loop> list;
    for (int at : order) list.push_back(loops[static_cast<size_t>(at)]);
    sch.reorder(list);
    check_schedule(sch, matmul);
  }
  Schedule sch(matmul.func);
  std::vector<Loop> loops = loops_of(sch);
  sch.tile(loops[0], loops[1], 6, 16, "guard");
  loops = loops_of(sch);
  CHECK(loops.size() == 5);
  sch.reorder({loops[4], loops[2]});
  check_schedule(sch, matmul);
}

TEST_CASE("unroll, vectorize and parallel keep the meaning, tails included", "[schedule]") {
  for (const char* tail : {"guard", "peel", "balanced", "auto"}) {
    INFO(tail);
    const Program matmul = programs::matmul();
    Schedule sch(matmul.func);
    const std::vector<Loop> loops = loops_of(sch);
    const std::vector<Loop> i = sch.split_factor(loops[0], 6, tail);
    const std::vector<Loop> j = sch.split_factor(loops[1], 16, tail);
    sch.reorder({i[0], j[0], loops[2], i[1], j[1]});
    sch.unroll(i[1]);
    sch.vectorize(j[1]);
    sch.parallel(i[0], "dynamic", 2);
    check_schedule(sch, matmul);
  }
}

TEST_CASE("vectorize of every program's innermost spatial loop, with a tail", "[schedule]") {
  for (const Program& program : all_programs()) {
    INFO(program.name);
    Schedule sch(program.func);
    for (const std::string& name : sch.block_names()) {
      const std::vector<Loop> loops = loops_of(sch, name.c_str());
      for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        const auto parts =
            sch.apply({"split",
                       {*loop},
                       {{"factors", schedule::Value::List{nullptr, 5}}, {"tail", "guard"}}});
        if (parts && sch.apply({"vectorize", {std::get<Loop>((*parts)[1])}, {}})) break;
      }
    }
    check_schedule(sch, program);
  }
}

TEST_CASE("add_unit_loop around blocks and loops, also of rank 0", "[schedule]") {
  te::Tensor a = te::placeholder({10}, kInt32, "A");
  te::ReduceAxis k = te::reduce_axis(10, "k");
  te::Tensor y = te::compute(
      {}, [&] { return te::sum(a(k), {k}); }, "Y");
  Schedule sch(te::create_prim_func({a, y}));
  const Loop unit = sch.add_unit_loop(loops_of(sch, "Y")[0]);
  const std::vector<Loop> parts = sch.split_nparts(unit, 20);
  sch.add_unit_loop(sch.get_block("Y"));
  sch.decompose_reduction(sch.get_block("Y"), parts[1]);
  check_schedule(sch);
}

TEST_CASE("copies of a schedule go their own ways", "[schedule]") {
  Schedule one(scale(12));
  const Loop loop = loops_of(one)[0];
  Schedule two = one;
  one.split_factor(loop, 5);
  two.vectorize(two.split_factor(loop, 4)[1]);
  CHECK_FALSE(ir::structural_equal(one.func(), two.func()));
  check_schedule(one);
  check_schedule(two);
}

TEST_CASE("shift_inwards: an update runs once also where an older condition gets the policy",
          "[schedule]") {
  ir::IRBuilder builder("doubled");
  const ir::Buffer x = builder.input("X", kFloat32, {7}), t = builder.output("T", kFloat32, {7});
  const auto each = [&](const char* name, const std::function<ir::Expr(const ir::Var&)>& value) {
    builder.loop("i", 7, [&](const ir::Var& i) {
      builder.block(name, {{"vi", 7, i}},
                    [&](const std::vector<ir::Var>& v) { builder.store(t, {v[0]}, value(v[0])); });
    });
  };
  each("T", [&](const ir::Var& v) { return ir::load(x, {v}); });
  each("W", [&](const ir::Var& v) { return ir::load(t, {v}) * 2.0f; });
  const ir::PrimFunc func = builder.finish();
  for (int factor : {1, 2, 8}) {
    INFO(factor);
    Schedule sch(func);
    const auto parts = sch.split_factor(sch.get_loops(sch.get_block("W"))[0], 4);
    const Loop fused = sch.fuse(parts);
    refusal(sch, "schedule.split.shift_inwards",
            [&](Schedule& s) { s.split_factor(fused, factor, "shift_inwards"); });
    check_schedule(sch);
  }
}

TEST_CASE("a refusal of what the loops have become has its text", "[schedule]") {
  for (const bool parallel : {false, true}) {
    Schedule sch(programs::matmul().func);
    const auto block = sch.get_block("C");
    const std::vector<Loop> loops = sch.get_loops(block);
    const auto parts = sch.split_factor(loops[parallel ? 0 : 1], 4);
    sch.decompose_reduction(block, loops[2]);
    parallel ? sch.parallel(parts[1]) : sch.vectorize(parts[1]);
    const auto error = sch.apply({"reorder", {parts[1], parts[0]}, {}});
    if (error) continue;  // legal, and not proved to be so: to be taken one day
    CHECK(schedule::render(error.error()).find("reorder: ") == 0);
    CHECK(error.error().inputs.size() == 2);
  }
}

}  // namespace tilewright::testing
