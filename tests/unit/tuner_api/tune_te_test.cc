#include "tilewright/tuner/api/tune_te.h"

#include <catch2/catch.hpp>
#include <set>

#include "tilewright/api/operator.h"
#include "tilewright/ir/text.h"
#include "tilewright/te/te.h"
#include "tilewright/tuner/api/tune_operator.h"

namespace tilewright::tuner {
namespace {

using schedule::Schedule;

std::vector<te::Arg> doubled(int64_t n, const std::string& name) {
  const te::Tensor a = te::placeholder({n}, kFloat32, "A");
  const te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) + a(i); }, name);
  return {a, c};
}

TEST_CASE("the task of expressions is known by what they compute, not by names") {
  const TuneTask task = te_task(doubled(64, "C"), Target::host(), 2, "twice");
  CHECK(task.measure.func->name == "twice");
  CHECK(task.measure.exec.threads == 2);
  CHECK(task.operation_count == 64);
  CHECK(task.key.key() == te_task(doubled(64, "D"), Target::host(), 1).key.key());
  CHECK(task.key.key() != te_task(doubled(65, "C"), Target::host(), 1).key.key());
}

TEST_CASE("the task of a function is known by its structure, also after a way through text") {
  const ir::PrimFunc func = te::create_prim_func(doubled(64, "C"));
  const TuneTask task = func_task(func, Target::host(), 1);
  CHECK(task.operation_count == 64);
  CHECK(task.key == func_key(ir::parse_func(ir::to_text(func))));
  CHECK_FALSE(task.key == func_key(te::create_prim_func(doubled(65, "C"))));
}

TEST_CASE("a recorded schedule serves as a template: other values are drawn") {
  const ir::PrimFunc func = te::create_prim_func(doubled(64, "C"));
  Schedule sch(func);
  const schedule::Int factor = sch.sample_categorical({2, 4, 8}, {}, "f");
  sch.vectorize(sch.split_factor(sch.get_loops(sch.get_block("C"))[0], factor)[1]);
  const Sketch sketch = sketch_of(sch.sealed_trace(), "script");
  CHECK(sketch.name == "script");

  const Space space(func, Target::host(), 1, {sketch});
  std::set<int64_t> factors;
  for (int seed = 0; seed < 30; ++seed) {
    const Draw draw = space.draw(0, {}, static_cast<uint64_t>(seed));
    REQUIRE(draw.error.empty());
    factors.insert(std::get<int64_t>(draw.trace.decisions.at(0).value.data));
  }
  CHECK(factors == std::set<int64_t>{2, 4, 8});
  const Draw chosen = space.draw(0, {{"f", schedule::Value(8)}}, 0);
  CHECK(Schedule::replay(func, chosen.trace).sealed_trace().hash == chosen.trace.hash);
  GridWalk walk(space, 0);
  int points = 0;
  while (walk.next()) ++points;
  CHECK(points == 3);
}

TEST_CASE("what a template draws may be illegal for the program it is used on") {
  const ir::PrimFunc func = te::create_prim_func(doubled(64, "C"));
  Schedule sch(te::create_prim_func(doubled(64, "D")));
  sch.vectorize(sch.get_loops(sch.get_block("D"))[0]);
  const Space space(func, Target::host(), 1, {sketch_of(sch.trace(), "other")});
  CHECK_FALSE(space.draw(0, {}, 0).error.empty());
}

TEST_CASE("operators are tasks with templates and a small instance for the proof") {
  const ops::OpInstance op = ops::instantiate("matmul", {{"m", "64"}, {"n", "32"}, {"k", "16"}});
  const TuneTask task = operator_task(op, Target::host(), 3);
  CHECK(task.key == task_key(op));
  CHECK(task.operation_count == op.operation_count);
  CHECK(task.measure.exec.threads == 3);
  CHECK(task.measure.shrunken);
  CHECK_FALSE(operator_sketches(op).empty());
}

}  // namespace
}  // namespace tilewright::tuner
