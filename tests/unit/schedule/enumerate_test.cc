#include "schedule/enumerate.h"

#include <catch2/catch.hpp>

#include "tilewright/schedule/schedule.h"
#include "unit/te/programs.h"

namespace tilewright::testing {
namespace {

using schedule::Enumeration;
using schedule::Loop;
using schedule::Schedule;

ir::PrimFunc row_sums(bool symbolic = false) {
  te::Expr n = ir::make_int(kInt64, 3);
  if (symbolic) n = te::var("n");
  te::Tensor a = te::placeholder({n, 4}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(4, "k");
  te::Tensor b = te::compute(
      {n}, [&](te::Var i) { return te::sum(a(i, k), {k}); }, "B");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return b(i) * 2.0f; }, "C");
  return te::create_prim_func({a, c}, "f");
}

}  // namespace

TEST_CASE("instances are listed in execution order with what they touch", "[schedule]") {
  const Enumeration e = schedule::enumerate(row_sums());
  // For each row: the init, four terms; then three copies.
  REQUIRE(e.instances.size() == 3 * 5 + 3);
  CHECK(e.complete);
  CHECK(e.exact);
  CHECK(e.instances[0].is_init);
  CHECK(e.name_of(e.instances[0].writes.at(0)) == "B[0]");
  CHECK(e.instances[6].updates);
  CHECK(e.name_of(e.instances[6].reads.at(0)) == "A[1, 0]");
  CHECK(e.name_of(e.instances[6].writes.at(0)) == "B[1]");
  CHECK(coordinates(e, e.instances[7]) == "i=1, k=1");
  CHECK(e.name_of(e.instances[17].writes.at(0)) == "C[2]");
}

TEST_CASE("dependences: terms follow the init, not each other, and are read at the end",
          "[schedule]") {
  const Enumeration e = schedule::enumerate(row_sums());
  int init_to_term = 0, term_to_read = 0, other = 0;
  for (const schedule::Dependence& d : schedule::dependences(e)) {
    const auto &from = e.instances[d.from], &to = e.instances[d.to];
    if (from.is_init && to.updates) {
      ++init_to_term;
    } else if (from.updates && !to.updates) {
      ++term_to_read;
    } else {
      ++other;
    }
  }
  CHECK(init_to_term == 12);
  CHECK(term_to_read == 12);
  CHECK(other == 0);
}

TEST_CASE("conflicts between iterations of a loop", "[schedule]") {
  Schedule sch(row_sums());
  const std::vector<Loop> loops = sch.get_loops(sch.get_block("B"));
  const Enumeration e = schedule::enumerate(sch.func());
  CHECK_FALSE(schedule::loop_conflict(e, loops[0].id));
  const auto conflict = schedule::loop_conflict(e, loops[1].id);
  REQUIRE(conflict);
  CHECK(e.name_of(conflict->element) == "B[0]");
  CHECK(coordinates(e, e.instances[conflict->from], {loops[1].id}) == "k=0");
  CHECK(coordinates(e, e.instances[conflict->to], {loops[1].id}) == "k=1");
}

TEST_CASE("a buffer that lives in a loop is another one in each iteration", "[schedule]") {
  Schedule sch(row_sums());
  const Loop i = sch.get_loops(sch.get_block("C"))[0];
  sch.compute_at(sch.get_block("B"), i);
  const Enumeration e = schedule::enumerate(sch.func());
  CHECK_FALSE(schedule::loop_conflict(e, i.id));
  const schedule::Footprint all = schedule::footprint(e, i.id);
  CHECK(all.produced.size() == 6);  // B three times one element, C
  CHECK(schedule::footprint(e, i.id, {1}).produced.size() == 2);
}

TEST_CASE("an order that breaks a dependence is found", "[schedule]") {
  const Enumeration e = schedule::enumerate(row_sums());
  std::vector<int64_t> position(e.instances.size());
  for (size_t i = 0; i < position.size(); ++i) position[i] = static_cast<int64_t>(i);
  CHECK_FALSE(schedule::violated_dependence(e, position));
  std::swap(position[1], position[4]);  // two terms
  CHECK_FALSE(schedule::violated_dependence(e, position));
  std::swap(position[0], position[1]);  // init and term
  CHECK(schedule::violated_dependence(e, position));
}

TEST_CASE("symbolic sizes get small values, long loops are cut, tails are kept", "[schedule]") {
  Schedule sch(row_sums(true));
  const std::vector<Loop> parts = sch.split_factor(sch.get_loops(sch.get_block("B"))[0], 3);
  const Enumeration e = schedule::enumerate(sch.func());
  REQUIRE(e.sizes.size() == 1);
  CHECK(e.sizes[0].second == 5);
  CHECK(e.instances.size() == 5 * 5 + 5);  // the guard leaves 5 of 6

  schedule::EnumerateOptions options;
  options.longest_loop = 3;
  const Enumeration cut = schedule::enumerate(programs::vector_add().func, options);
  CHECK_FALSE(cut.complete);
  REQUIRE(cut.instances.size() == 3);
  CHECK(cut.instances[0].coords[0] == 0);
  CHECK(cut.instances[2].coords[0] == 1023);
}

TEST_CASE("an index known only at run time touches its whole dimension", "[schedule]") {
  te::Tensor a = te::placeholder({6}, kFloat32, "A"), at = te::placeholder({3}, kInt64, "at");
  te::Tensor b = te::compute(
      {3}, [&](te::Var i) { return a(ir::max(ir::min(at(i), 5), 0)); }, "B");
  const Enumeration e = schedule::enumerate(te::create_prim_func({a, at, b}, "gather"));
  CHECK_FALSE(e.exact);
  CHECK(e.instances.at(0).reads.size() == 7);
}

}  // namespace tilewright::testing
