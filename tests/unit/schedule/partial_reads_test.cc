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

}  // namespace tilewright::testing
