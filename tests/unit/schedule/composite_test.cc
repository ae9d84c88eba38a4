#include "tilewright/schedule/composite.h"

#include "support/expect_error.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

// C[i, j] = sum of A[i, k] * B[k, j] over constants, or a symbolic number of rows.
ir::PrimFunc product(const te::Expr& m, int64_t n, int64_t k) {
  te::Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  te::Tensor c = te::compute(
      {m, n}, [&](te::Var i, te::Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return te::create_prim_func({a, b, c}, "product");
}

std::vector<int64_t> extents(const Schedule& sch, const std::vector<Loop>& loops) {
  std::vector<int64_t> result;
  for (Loop loop : loops) result.push_back(sch.loop_extent_or(loop, -1));
  return result;
}

}  // namespace

TEST_CASE("multi_level_tile", "[schedule][composite]") {
  Schedule sch(product(20, 24, 17));
  const BlockRef c = sch.get_block("C");
  const auto levels = schedule::multi_level_tile(
      sch, c, "SSRSRS", {{std::nullopt, 2, 2, 2}, {2, 1, 4}, {std::nullopt, 4}});
  CHECK(levels.size() == 6);
  CHECK(extents(sch, levels[0]) == std::vector<int64_t>{3, 3});
  CHECK(extents(sch, levels[2]) == std::vector<int64_t>{5});
  CHECK(extents(sch, levels[5]) == std::vector<int64_t>{2, 4});
  CHECK(sch.get_loops(c).size() == 10);
  sch.vectorize(levels[5][1]);
  sch.unroll(levels[5][0]);
  schedule::parallelize_outer(sch, c, 2);
  check_schedule(sch);

  for (const char* tail : {"peel", "guard"}) {
    Schedule symbolic(product(te::var("m"), 10, 9));
    schedule::multi_level_tile(symbolic, symbolic.get_block("C"), "SRS", {{4}, {3}, {}}, tail);
    check_schedule(symbolic, {{{"m", 7}}, {{"m", 0}}, {{"m", 8}}});
  }
}

TEST_CASE("a tile in registers, operands staged", "[schedule][composite]") {
  Schedule sch(product(10, 20, 9));
  const BlockRef c = sch.get_block("C");
  const auto l = schedule::multi_level_tile(sch, c, "SRS", {{4}, {16}, {}});
  const BlockRef out = schedule::accumulate_in_registers(sch, c, l[0][1]);
  schedule::stage_in_cache(sch, c, "A", l[0][0]);
  schedule::stage_panels(sch, c, "B", l[0][1], 1, 16);
  schedule::unroll_tile(sch, l[2][0], l[2][1], 8);
  const std::vector<Loop> o = sch.get_loops(out);
  schedule::unroll_tile(sch, o[o.size() - 2], o.back(), 8);
  check_schedule(sch);
}

TEST_CASE("vectors, threads and parts of a reduction", "[schedule][composite]") {
  Schedule sch(product(te::var("m"), 20, 9));
  const BlockRef c = sch.get_block("C");
  const std::vector<Loop> l = sch.get_loops(c);
  const BlockRef parts = schedule::split_reduction(sch, l[2], 4);
  schedule::parallelize_outer(sch, parts);
  check_schedule(sch, {{{"m", 5}}, {{"m", 0}}});

  te::Tensor a = te::placeholder({30}, kFloat32, "A");
  te::Tensor b = te::compute(
      {30}, [&](te::Var i) { return a(i) + 1.0f; }, "B");
  for (const auto& [lanes, extent] : {std::pair{8, 8}, {30, 30}, {64, 30}}) {
    Schedule flat(te::create_prim_func({a, b}, "add"));
    const Loop inner = schedule::vectorize_inner(flat, flat.get_block("B"), lanes);
    CHECK(flat.loop_extent_or(inner, 0) == extent);
    check_schedule(flat);
  }
}

TEST_CASE("sampled tiles stay decisions in composite steps", "[schedule][composite]") {
  Schedule sch(product(12, 20, 9), 3);
  const BlockRef c = sch.get_block("C");
  const std::vector<Loop> l = sch.get_loops(c);
  const auto rows = sch.sample_perfect_tile(l[0], 2, 6, "rows");
  const auto levels = schedule::multi_level_tile(sch, c, "SRS", {{rows[0], rows[1]}, {8}, {}});
  schedule::stage_panels(sch, c, "A", levels[0][0], 0, rows[1]);
  CHECK(sch.trace().to_json().find("d0 % $rows[1]") != std::string::npos);
  check_schedule(sch);
}

TEST_CASE("composite steps refuse before they change anything", "[schedule][composite]") {
  Schedule sch(product(20, 24, 17));
  const BlockRef c = sch.get_block("C");
  const std::vector<Loop> l = sch.get_loops(c);
  const ir::PrimFunc before = sch.func();
  using Factors = std::vector<std::vector<schedule::Factor>>;
  const std::vector<std::tuple<std::string, Factors, std::string>> cases = {
      {"", {{}, {}, {}}, "structure"},          {"SXS", {{2}, {2}, {}}, "structure"},
      {"SS", {{2}, {2}, {}}, "structure"},      {"SRS", {{2}, {2}}, "factors"},
      {"SRS", {{2, 2, 2}, {2}, {}}, "factors"}, {"SSRS", {{2}, {2, 2}, {}}, "factors"},
  };
  for (const auto& [structure, factors, code] : cases) {
    INFO(structure);
    expect_error("schedule.multi_level_tile." + code, {},
                 [&] { schedule::multi_level_tile(sch, c, structure, factors); });
  }
  expect_error("schedule.parallelize_outer.count", {"3"},
               [&] { schedule::parallelize_outer(sch, c, 4); });
  expect_error("schedule.stage_panels.dimension", {"'A'", "2"},
               [&] { schedule::stage_panels(sch, c, "A", l[0], 2, 4); });
  expect_error("schedule.stage_panels.dimension", {"'Z'"},
               [&] { schedule::stage_panels(sch, c, "Z", l[0], 0, 4); });
  CHECK(sch.func().same_as(before));
  sch.split_factor(l[0], 4);
  expect_error("schedule.multi_level_tile.loop", {"i_0"}, [&] {
    schedule::multi_level_tile(sch, c, "SRS", {{2}, {2}, {2}, {}});
  });
}

}  // namespace tilewright::testing
