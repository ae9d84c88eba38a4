#include <catch2/catch.hpp>

#include "support/expect_error.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

using testing::expect_error;

struct Matmul {
  te::Tensor a = te::placeholder({20, 24}, kFloat32, "A");
  te::Tensor b = te::placeholder({24, 36}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(24, "k");
  te::Tensor c = te::compute(
      {20, 36}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), k); }, "C");
  te::Tensor d = te::compute(
      {20, 36}, [&](te::Var i, te::Var j) { return te::max(c(i, j), 0.0f); }, "D");
  ir::PrimFunc func = te::create_prim_func({a, b, d}, "matmul_relu");
};

TEST_CASE("Axes of a stage are its loops as created", "[stages]") {
  const Matmul m;
  Schedule sch(m.func);
  Stages stages(sch);
  const Stage stage = stages[m.c];
  CHECK(sch.loop_name(stage.axis(0)) == "i");
  CHECK(sch.loop_name(stage.axis(1)) == "j");
  CHECK(sch.loop_name(stage.reduce_axis()) == "k");
  stage.reorder({stage.reduce_axis(), stage.axis(1), stage.axis(0)});
  CHECK(sch.loop_name(stages[m.c].axis(0)) == "i");
  CHECK(sch.loop_name(stages["C"].loops()[0]) == "k");
  expect_error("stage.axis", {"'C'", "2 spatial loops", "number 2"}, [&] { stage.axis(2); });
  expect_error("stage.axis", {"number -1"}, [&] { stage.reduce_axis(-1); });
}

TEST_CASE("A split axis is gone, and a primitive on it says so", "[stages]") {
  const Matmul m;
  Schedule sch(m.func);
  const Stage stage = Stages(sch)[m.c];
  stage.split(stage.axis(0), 4);
  CHECK_THROWS_AS(stage.vectorize(stage.axis(0)), ScheduleException);
}

TEST_CASE("A schedule written by stages is the same trace and right", "[stages]") {
  const Matmul m;
  Schedule sch(m.func);
  Stages stages(sch);
  const Stage out = stages[m.d];
  const auto [io, jo, ii, ji] = out.tile(out.axis(0), out.axis(1), 4, 8);
  const Stage product = stages[m.c];
  product.compute_at(jo);
  const Stage packed = product.pack(m.b, "(k, j) -> (j // 8, k, j % 8)", {{1, 8}});
  out.vectorize(ji);
  out.parallel(io);
  CHECK_NOTHROW(testing::assert_allclose(sch));
  const Schedule again =
      Schedule::replay(m.func, schedule::Trace::from_json(sch.sealed_trace().to_json()));
  CHECK(ir::structural_equal(again.func(), sch.func()));
  CHECK(packed.loops().size() >= 2);
  CHECK(sch.loop_name(ii) != "");
}

TEST_CASE("Stages made by a primitive are stages", "[stages]") {
  const Matmul m;
  Schedule sch(m.func);
  Stages stages(sch);
  const Stage product = stages[m.c];
  const auto [ko, ki] = product.split(product.reduce_axis(), 8);
  const Stage partial = product.rfactor(ki);
  CHECK(partial.axis(0) != Loop{});
  const Stage cached = stages[m.d].cache_read(m.c, "local");
  CHECK(cached.loops().size() == 2);
  CHECK_NOTHROW(testing::assert_allclose(sch));
  CHECK(ko != ki);
}

}  // namespace
}  // namespace tilewright
