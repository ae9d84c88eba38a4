// Elements that are outside, or that nobody made, are not read: masks of rfactor, copies of cache_read and pack.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Schedule;

}  // namespace

TEST_CASE("rfactor does not evaluate a data condition for terms that the guard cuts off",
          "[schedule]") {
  const te::Tensor a = te::placeholder({3, 5}, kFloat32, "A");
  const te::ReduceAxis k = te::reduce_axis(5, "k");
  const te::Tensor s = te::compute(
      {3}, [&](te::Var i) { return te::sum(a(i, k), {k}, a(i, k) > te::Expr(0.0f)); }, "S");
  for (const bool outer : {false, true}) {
    Schedule sch(te::create_prim_func({a, s}));
    const auto loops = sch.get_loops(sch.get_block("S"));
    const auto parts = sch.split_factor(loops[1], 2);
    sch.rfactor(parts[outer ? 0 : 1]);
    check_schedule(sch);
  }
}

TEST_CASE("a copy takes only what its producer makes", "[schedule]") {
  const te::Tensor b = te::compute(
      {4, 6}, [&](te::Var i, te::Var j) { return ir::cast(kFloat32, i + j); }, "B");
  const te::Tensor c = te::compute(
      {2, 3}, [&](te::Var i, te::Var j) { return b(i + 1, j); }, "C");
  for (const bool pack : {false, true}) {
    Schedule sch(te::create_prim_func({c}));
    const auto block = sch.get_block("C");
    sch.compute_at(sch.get_block("B"), sch.get_loops(block)[0]);
    // C leaves the nest in which B now makes two rows of its four.
    const auto copy = sch.cache_write(block, "local");
    sch.compute_at(block, sch.get_loops(copy)[0]);
    if (pack) {
      sch.pack(block, "B", "(i, j) -> (j, i)", {{1, 4}});
    } else {
      sch.cache_read(block, "B");
    }
    check_schedule(sch);
  }
}

TEST_CASE("reindex copies out what the loops make, and refuses holes", "[schedule]") {
  const te::Tensor b = te::compute(
      {4, 6}, [&](te::Var i, te::Var j) { return ir::cast(kFloat32, i + j); }, "B");
  for (const bool holes : {false, true}) {
    const te::Tensor c = te::compute(
        {2, 3}, [&](te::Var i, te::Var j) { return holes ? b(i * 2, j) : b(i + 1, j); }, "C");
    const te::Tensor d = te::compute(
        {2, 3}, [&](te::Var i, te::Var j) { return c(i, j) + 1.0f; }, "D");
    Schedule sch(te::create_prim_func({d}));
    const auto block = sch.get_block("C"), producer = sch.get_block("B");
    sch.compute_at(producer, sch.get_loops(block)[0]);
    sch.compute_inline(block);  // B is left alone in the nest
    if (holes) {
      refusal(sch, "schedule.reindex.shared_loops", [&](Schedule& s) { s.reindex(producer, "B"); });
      continue;
    }
    sch.reindex(producer, "B");
    check_schedule(sch);
  }
}

TEST_CASE("reindex refuses an index that reads data outside where the block is not run",
          "[schedule]") {
  const te::Tensor p = te::placeholder({5}, kInt32, "P"), a = te::placeholder({4}, kFloat32, "A");
  const te::ReduceAxis k = te::reduce_axis(5, "k");
  const te::Tensor s = te::compute(
      {1},
      [&](te::Var) {
        return te::sum(a(ir::floor_mod(ir::cast(kInt64, p(4 - k)), ir::make_int(kInt64, 4))), {k});
      },
      "S");
  Schedule sch(te::create_prim_func({p, a, s}));
  // The axes of the partial results are whole tiles: k of 0..6.
  const auto parts = sch.split_factor(sch.get_loops(sch.get_block("S"))[1], 3);
  const auto partial = sch.rfactor(parts[0]);
  refusal(sch, "schedule.reindex.access", [&](Schedule& t) { t.reindex(partial, "A"); });
}

TEST_CASE("reorder refuses to reduce around overlapping parts of the result", "[schedule]") {
  const te::ReduceAxis k = te::reduce_axis(2, "k");
  const te::Tensor s = te::compute(
      {4}, [&](te::Var i) { return te::sum(ir::cast(kFloat32, i + k), {k}); }, "S");
  Schedule sch(te::create_prim_func({s}));
  const auto block = sch.get_block("S");
  const auto copy = sch.cache_write(block, "local");
  const auto tiles = sch.split_factor(sch.get_loops(copy)[0], 2);
  const auto parts = sch.split_factor(tiles[1], 3);
  sch.compute_at(block, parts[0]);  // three elements for every two
  const auto second = sch.cache_write(copy);
  sch.compute_at(copy, sch.get_loops(second)[0]);
  const auto loops = sch.get_loops(block);
  check_schedule(sch);
  refusal(sch, "schedule.reorder.repeated_terms", [&](Schedule& t) {
    t.reorder({loops.back(), loops[0]});
  });
}

TEST_CASE("consecutive parts of a loop make the whole together", "[schedule]") {
  const te::Tensor a = te::placeholder({7, 6}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {7, 6}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  const te::Tensor c = te::compute(
      {7, 6}, [&](te::Var i, te::Var j) { return b(i, 5 - j) + 1.0f; }, "C");
  const te::Tensor d = te::compute(
      {7, 6}, [&](te::Var i, te::Var j) { return c(i, j) * 3.0f; }, "D");
  for (const bool move : {false, true}) {
    Schedule sch(te::create_prim_func({a, d}));
    sch.loop_partition(sch.get_loops(sch.get_block("B"))[0], {2, std::nullopt, 1});
    const auto reader = sch.get_block("C");
    if (move) {
      sch.compute_at(reader, sch.get_loops(sch.get_block("D"))[0]);
    } else {
      sch.cache_read(reader, "B");
    }
    check_schedule(sch);
  }
}

TEST_CASE("a copy of a result takes only what is made", "[schedule]") {
  const te::Tensor b = te::compute(
      {4}, [&](te::Var i) { return ir::cast(kFloat32, i); }, "B");
  const te::Tensor c = te::compute(
      {2}, [&](te::Var i) { return b(i + 1) * 2.0f; }, "C");
  Schedule sch(te::create_prim_func({c}));
  const auto producer = sch.get_block("B");
  const auto loop = sch.get_loops(sch.get_block("C"))[0];
  sch.compute_at(producer, loop);
  sch.software_pipeline(loop, {0, 1});
  try {
    sch.cache_write(producer, "global");
  } catch (const schedule::ScheduleException&) {
    // Refused is as good as right.
  }
  check_schedule(sch);
}

TEST_CASE("a producer inherits the guard of its consumers", "[schedule]") {
  const te::Var n = te::var("n");
  const te::ReduceAxis k = te::reduce_axis(3, "k");
  const te::Tensor s = te::compute(
      {8}, [&](te::Var i) { return te::min(ir::cast(kInt32, i + k), k); }, "S");
  const te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return s(te::min(i, 7)); }, "C");
  Schedule sch(te::create_prim_func({c}));
  const auto block = sch.get_block("S");
  const auto loop = sch.get_loops(sch.get_block("C"))[0];
  sch.compute_at(block, loop);
  sch.rfactor(sch.get_loops(block).back());
  const auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 2);
  const auto inner = sch.split_factor(parts[1], 1);
  sch.compute_at(block, inner[1]);
  check_schedule(sch, {{{"n", 1}}, {{"n", 0}}, {{"n", 5}}});
}

TEST_CASE("padding an axis that is read backwards is refused", "[schedule]") {
  const te::Tensor a = te::placeholder({15}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {15}, [&](te::Var i) { return a(14 - i); }, "B");
  const te::Tensor c = te::compute(
      {15}, [&](te::Var i) { return b(i); }, "C");
  Schedule sch(te::create_prim_func({a, c}));
  bool refused = false;
  try {
    sch.split_factor(sch.get_loops(sch.get_block("B"))[0], 2, "pad");
    build(tilewright::Program(sch));
  } catch (const Error& error) {
    refused = error.code().find("pad") != std::string::npos;
    INFO(error.what());
    CHECK(refused);
  }
  CHECK(refused);
}

}  // namespace tilewright::testing
