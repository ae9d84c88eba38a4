#include "tilewright/tuner/space/space.h"

#include <catch2/catch.hpp>
#include <set>

#include "tilewright/te/te.h"

namespace tilewright::tuner {
namespace {

using schedule::Schedule;
using schedule::Value;

ir::PrimFunc doubled() {
  te::Tensor a = te::placeholder({12}, kFloat32, "A");
  te::Tensor c = te::compute(
      {12}, [&](te::Var i) { return a(i) + a(i); }, "C");
  return te::create_prim_func({a, c}, "doubled");
}

Space space_of(SketchFunction sketch) {
  return Space(doubled(), Target::host(), 1, {{"test", std::move(sketch)}});
}

// How many points the walk visits; all of them distinct.
size_t walk_count(const Space& space, size_t* illegal = nullptr) {
  GridWalk walk(space, 0);
  std::set<std::string> seen;
  size_t visited = 0;
  while (std::optional<Draw> draw = walk.next()) {
    schedule::Trace key;
    key.decisions = draw->trace.decisions;
    seen.insert(key.to_json());
    ++visited;
    if (illegal) *illegal += !draw->error.empty();
    REQUIRE(visited < 1000);
  }
  CHECK(seen.size() == visited);
  return visited;
}

TEST_CASE("a draw depends on its seed alone") {
  const Space space = space_of([](Schedule& sch, const Target&, int) {
    sch.sample_categorical({1, 2, 3, 4, 5, 6, 7, 8}, {}, "x");
  });
  CHECK(space.draw(0, {}, 1).trace == space.draw(0, {}, 1).trace);
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) seen.insert(space.draw(0, {}, seed).trace.to_json());
  CHECK(seen.size() == 8);
  const Draw fixed = space.draw(0, {{"x", int64_t{3}}}, 1);
  CHECK(fixed.trace.decisions[0].value == Value(3));
  CHECK(fixed.trace.sketch == "test");
  CHECK_FALSE(fixed.trace.hash.empty());
}

TEST_CASE("an illegal step is an error of the draw") {
  const Space space = space_of([](Schedule& sch, const Target&, int) { sch.get_block("nothing"); });
  const Draw draw = space.draw(0, {}, 1);
  CHECK_FALSE(draw.error.empty());
  CHECK(draw.trace.hash.empty());
}

TEST_CASE("a walk visits every point once") {
  CHECK(walk_count(space_of([](Schedule& sch, const Target&, int) {
          sch.sample_categorical({1, 2, 3}, {}, "x");
          sch.sample_categorical({1, 2}, {1.0, 1.0}, "y");
        })) == 6);
  CHECK(walk_count(space_of([](Schedule& sch, const Target&, int) {
          sch.sample_categorical({1, 2, 3}, {1.0, 0.0, 1.0}, "x");
        })) == 2);
  CHECK(walk_count(space_of([](Schedule& sch, const Target&, int) {
          sch.sample_tile(sch.get_loops(sch.get_block("C"))[0], 3, {2, 4, 8}, "t");
        })) == 9);
  // 12 has the divisors 1 2 3 4 6 12.
  CHECK(walk_count(space_of([](Schedule& sch, const Target&, int) {
          sch.sample_perfect_tile(sch.get_loops(sch.get_block("C"))[0], 2, 4, "t");
        })) == 4);
  CHECK(walk_count(space_of([](Schedule&, const Target&, int) {})) == 1);
}

TEST_CASE("choices may depend on earlier choices") {
  size_t illegal = 0;
  CHECK(walk_count(space_of([](Schedule& sch, const Target&, int) {
                     const int64_t x = sch.sample_categorical({1, 2, 3}, {}, "x");
                     if (x == 2) sch.sample_categorical({1, 2, 3, 4}, {}, "y");
                     if (x == 3) sch.get_block("nothing");
                   }),
                   &illegal) == 1 + 4 + 1);
  CHECK(illegal == 1);
}

}  // namespace
}  // namespace tilewright::tuner
