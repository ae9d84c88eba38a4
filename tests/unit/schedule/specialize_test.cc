// specialize.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const std::string& block) {
  return sch.get_loops(sch.get_block(block));
}

// B = 2 A, C = row sums of B + 1.
ir::PrimFunc program() {
  te::Var n = te::var("n"), m = te::var("m");
  te::Tensor a = te::placeholder({n, m}, kFloat32, "A");
  te::Tensor b = te::compute({n, m}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B", {},
                             {"i", "j"});
  te::ReduceAxis k = te::reduce_axis(m, "k");
  te::Tensor s = te::compute(
      {n}, [&](te::Var i) { return te::sum(b(i, k), {k}); }, "S");
  te::Tensor c = te::compute({n, m}, [&](te::Var i, te::Var j) { return b(i, j) + s(i); }, "C", {},
                             {"i", "j"});
  return te::create_prim_func({a, c}, "program");
}

const std::vector<Sizes> kSizes = {{{"n", 8}, {"m", 16}},
                                   {{"n", 5}, {"m", 3}},
                                   {{"n", 0}, {"m", 8}},
                                   {{"n", 16}, {"m", 0}},
                                   {{"n", 1}, {"m", 9}}};

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("specialize: conditions that hold are dropped in the copy", "[schedule]") {
  for (const char* tail : {"guard", "peel"}) {
    Schedule sch(program());
    sch.split_factor(loops_of(sch, "C")[1], 8, tail);
    const BlockRef copy = sch.specialize(sch.get_block("C"), "m % 8 == 0");
    CHECK(sch.block_name(copy) == "C_1");
    INFO(sch.show());
    CHECK(count(sch.show(), "< m") == 1);  // in the other branch alone
    check_schedule(sch, kSizes);
    // Later splits see the condition too.
    sch.vectorize(sch.get_loops(copy)[2]);
    sch.parallel(sch.get_loops(copy)[0]);
    const auto l = loops_of(sch, "C");
    sch.split_factor(l[0], 4, tail);
    sch.unroll(sch.split_factor(l[2], 2)[1]);
    check_schedule(sch, kSizes);
  }
  Schedule sch(program());
  const BlockRef copy = sch.specialize(sch.get_block("S"), "m % 4 == 0 && m >= 8");
  const auto parts = sch.split_factor(sch.get_loops(copy)[1], 4);
  CHECK(count(sch.show(), "< m") == 0);
  sch.decompose_reduction(copy, parts[0]);
  check_schedule(sch, kSizes);
}

TEST_CASE("specialize: nests with producers inside, twice, and other primitives beside",
          "[schedule]") {
  Schedule sch(program());
  const auto outer = sch.split_factor(loops_of(sch, "C")[0], 4)[0];
  sch.compute_at(sch.get_block("S"), outer);
  sch.compute_at(sch.get_block("B"), outer);
  const BlockRef copy = sch.specialize(sch.get_block("C"), "n % 4 == 0");
  check_schedule(sch, kSizes);
  const BlockRef again = sch.specialize(copy, "m == 16");
  check_schedule(sch, kSizes);
  CHECK(sch.block_name(again) == "C_1_1");
  sch.vectorize(sch.split_factor(sch.get_loops(again).back(), 8)[1]);
  sch.parallel(sch.get_loops(again)[0]);
  check_schedule(sch, kSizes);
}

TEST_CASE("specialize: producers outside of the branches", "[schedule]") {
  Schedule sch(program());
  const BlockRef copy = sch.specialize(sch.get_block("C"), "n > m");
  {
    Schedule inlined = sch;
    inlined.compute_inline(inlined.get_block("B"));
    check_schedule(inlined, kSizes);
  }
  refusal(sch, "schedule.compute_at.consumer_outside",
          [&](Schedule& s) { s.compute_at(s.get_block("B"), s.get_loops(copy)[0]); });
  sch.cache_read(copy, "B");
  sch.loop_partition(sch.get_loops(copy)[0], {2, std::nullopt});
  check_schedule(sch, kSizes);
}

TEST_CASE("specialize: refusals", "[schedule]") {
  Schedule sch(program());
  const BlockRef c = sch.get_block("C");
  for (const char* text :
       {"", "n %", "n + 1", "q > 0", "n > 0) assume (m > 0", "1 < 2", "A[0, 0] > float32(0)"}) {
    INFO(text);
    refusal(sch, "schedule.specialize.condition", [&](Schedule& s) { s.specialize(c, text); });
  }
  refusal(sch, "schedule.specialize.always", [&](Schedule& s) { s.specialize(c, "n >= 0"); });
  refusal(sch, "schedule.specialize.never", [&](Schedule& s) { s.specialize(c, "m < 0"); });
  const BlockRef copy = sch.specialize(c, "n >= 8");
  refusal(sch, "schedule.specialize.always", [&](Schedule& s) { s.specialize(copy, "n > 3"); });
  refusal(sch, "schedule.specialize.never", [&](Schedule& s) { s.specialize(c, "n > 20"); });
}

TEST_CASE("specialize: a copy of what one branch alone has made is refused", "[schedule]") {
  te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) * 2.0f; }, "C");
  const std::vector<Sizes> sizes = {{{"n", 9}}, {{"n", 8}}, {{"n", 3}}};
  Schedule sch(te::create_prim_func({a, c}, "doubled"));
  const BlockRef block = sch.get_block("C");
  const BlockRef copy = sch.specialize(block, "n >= 8");
  const BlockRef read = sch.cache_read(block, "A");
  const Loop i = sch.get_loops(block)[0];
  sch.compute_at(read, i);
  sch.software_pipeline(i, {0, 1});  // A_global lives outside of the loop now
  refusal(sch, "schedule.cache_write.shared_loops", [&](Schedule& s) { s.cache_write(read); });
  check_schedule(sch, sizes);
  // C is made by both branches.
  sch.cache_write(copy);
  check_schedule(sch, sizes);
}

}  // namespace tilewright::testing
