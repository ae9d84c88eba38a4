// loop_partition.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Factor;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const std::string& block) {
  return sch.get_loops(sch.get_block(block));
}

ir::PrimFunc symbolic_sums(bool bounded) {
  te::Var n = te::var("n"), m = te::var("m");
  te::Tensor a = te::placeholder({n, m}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(m, "k");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return te::sum(a(i, k), {k}); }, "C");
  std::vector<te::Expr> facts;
  if (bounded) facts = {n >= 4};
  return te::create_prim_func({a, c}, "sums", facts);
}

const std::vector<Sizes> kSizes = {{{"n", 9}, {"m", 7}}, {{"n", 4}, {"m", 1}}};
const std::vector<Sizes> kSmallSizes = {
    {{"n", 9}, {"m", 7}}, {{"n", 2}, {"m", 0}}, {{"n", 0}, {"m", 3}}, {{"n", 1}, {"m", 2}}};

}  // namespace

TEST_CASE("loop_partition: every loop of every program", "[schedule]") {
  const std::vector<std::vector<Factor>> lists = {
      {1, std::nullopt}, {2, std::nullopt, 1}, {std::nullopt, 2}};
  for (const Program& program :
       {programs::matmul(), programs::conv2d(), programs::softmax(), programs::argmax(),
        programs::stencil(), programs::triangular_sum(), programs::layernorm()}) {
    Schedule base(program.func);
    size_t turn = 0;
    for (const std::string& name : base.block_names()) {
      for (size_t l = 0; l < loops_of(base, name).size(); ++l) {
        Schedule sch(program.func);
        const Loop loop = loops_of(sch, name)[l];
        if (sch.loop_extent_or(loop, 99) < 4) continue;
        INFO(program.name << ", block " << name << ", loop " << l);
        const auto parts = sch.loop_partition(loop, lists[turn++ % lists.size()]);
        CHECK(sch.loop_name(loop).empty());
        CHECK(!sch.loop_name(parts.back()).empty());
        check_schedule(sch, program);
      }
    }
  }
}

TEST_CASE("loop_partition: symbolic extents, also smaller than the parts", "[schedule]") {
  for (bool bounded : {false, true}) {
    for (size_t l : {0, 1}) {
      for (const std::vector<Factor>& extents : std::vector<std::vector<Factor>>{
               {2, std::nullopt, 1}, {std::nullopt, 3}, {3, std::nullopt}}) {
        Schedule sch(symbolic_sums(bounded));
        const auto parts = sch.loop_partition(loops_of(sch, "C")[l], extents);
        if (bounded && l == 0 && extents[0]) {
          CHECK(sch.loop_extent_or(parts[0], -1) == extents[0]->value);
        }
        check_schedule(sch, bounded ? kSizes : kSmallSizes);
      }
    }
  }
}

TEST_CASE("loop_partition: the part without tail needs no condition", "[schedule]") {
  Schedule sch(programs::vector_add().func);
  const auto split = sch.split_factor(loops_of(sch, "C")[0], 100);
  sch.loop_partition(split[0], {std::nullopt, 1});
  const std::string text = sch.show();
  INFO(text);
  CHECK(text.find("< 1024") == text.rfind("< 1024"));  // in the last part alone
  check_schedule(sch);
}

TEST_CASE("loop_partition: with splits of each tail policy, moved producers and loop kinds",
          "[schedule]") {
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards"}) {
    for (size_t which : {0, 1}) {
      for (bool inner : {false, true}) {
        INFO(tail << " " << which << " " << inner);
        Schedule sch(programs::stencil().func);
        auto y = sch.split_factor(loops_of(sch, "sharpen")[0], 4, tail);
        sch.compute_at(sch.get_block("blur_y"), y[which], "guard");
        sch.compute_at(sch.get_block("blur_x"), y[0], "guard");
        const auto parts = sch.loop_partition(y[inner], {1, std::nullopt});
        check_schedule(sch);
        if (!inner) sch.parallel(parts[1]);
        sch.vectorize(sch.split_factor(loops_of(sch, "blur_x").back(), 4)[1]);
        check_schedule(sch);
      }
    }
  }
  Schedule sch(programs::matmul().func);
  const auto k = sch.split_factor(loops_of(sch, "C")[2], 4, "peel");
  sch.reorder({k[0], loops_of(sch, "C")[1], k[1]});
  sch.loop_partition(k[1], {1, 2, 1});
  sch.loop_partition(loops_of(sch, "C_1")[1], {2, std::nullopt});
  check_schedule(sch);
}

TEST_CASE("loop_partition: what other primitives make of the parts", "[schedule]") {
  const auto parts_of = [](Schedule& sch, size_t loop) {
    return sch.loop_partition(loops_of(sch, "C")[loop], {8, std::nullopt});
  };
  {
    Schedule sch(programs::matmul().func);
    const auto parts = parts_of(sch, 2);
    sch.unroll(parts[0]);
    sch.split_factor(parts[1], 4, "peel");
    sch.cache_read(sch.get_block("C_1"), "A");
    check_schedule(sch);
    refusal(sch, "schedule.rfactor.decomposed",
            [&](Schedule& s) { s.rfactor(loops_of(s, "C_1").back()); });
    refusal(sch, "schedule.decompose_reduction.not_a_reduction",
            [&](Schedule& s) { s.decompose_reduction(s.get_block("C"), parts[0]); });
  }
  {
    Schedule sch(programs::matmul().func);
    parts_of(sch, 0);
    refusal(sch, "schedule.rfactor.several_writers",
            [&](Schedule& s) { s.rfactor(loops_of(s, "C")[2]); });
  }
  {
    Schedule sch(programs::matmul().func);
    const auto parts = parts_of(sch, 0);
    sch.parallel(parts[1]);
    sch.vectorize(sch.split_factor(loops_of(sch, "C")[1], 8)[1]);
    const auto l = loops_of(sch, "C_1");
    sch.reorder({l[2], l[1]});
    check_schedule(sch);
  }
}

TEST_CASE("loop_partition: refusals", "[schedule]") {
  const auto refused = [](const std::string& code, const std::vector<Factor>& extents,
                          const std::function<void(Schedule&)>& before = {}) {
    Schedule sch(programs::matmul().func);
    const Loop loop = loops_of(sch, "C")[0];
    if (before) before(sch);
    refusal(sch, "schedule.loop_partition." + code,
            [&](Schedule& s) { s.loop_partition(loop, extents); });
  };
  refused("extent", {0, std::nullopt});
  refused("extent_count", {std::nullopt, std::nullopt});
  refused("extent_count", {std::nullopt});
  refused("too_few_iterations", {4, 4});
  refused("empty_part", {20, std::nullopt});
  refused("empty_part", {21, 3});
  refused("loop_kind", {4, std::nullopt},
          [](Schedule& sch) { sch.parallel(loops_of(sch, "C")[0]); });
}

}  // namespace tilewright::testing
