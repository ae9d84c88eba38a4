#include "tilewright/ir/init_nest.h"

#include <catch2/catch.hpp>

#include "sample_ir.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::ir;
using tilewright::testing::SampleMatmul;

namespace {

// The realize of `func` and the loops around it.
struct Place {
  std::vector<const ForNode*> loops;
  const BlockRealizeNode* realize = nullptr;
  explicit Place(const PrimFunc& func) {
    Stmt at = func->body;
    for (const ForNode* loop = at.as<ForNode>(); loop; loop = at.as<ForNode>()) {
      loops.push_back(loop);
      at = loop->body;
    }
    realize = at.as<BlockRealizeNode>();
  }
  std::vector<const ForNode*> path() const {
    const size_t first = outermost_reduce_loop(loops, *realize);
    return {loops.begin() + static_cast<int64_t>(first), loops.end()};
  }
};

std::string made(const PrimFunc& func) {
  Place place(func);
  int64_t next = 100;
  return to_pretty(make_init_nest(place.path(), *place.realize, [&] { return next++; }));
}

std::string code_of(const PrimFunc& func) {
  try {
    made(func);
  } catch (const Error& e) {
    return e.code();
  }
  return "";
}

}  // namespace

TEST_CASE("the init of an innermost reduction is just the block", "[init_nest]") {
  SampleMatmul s;
  PrimFunc func = s.func();
  CHECK(outermost_reduce_loop(Place(func).loops, *Place(func).realize) == 3);
  CHECK(made(func) == R"(block C_init(vi = io*8 + ii, vj = j) if io*8 + ii < m:
  C[vi, vj] = 0.0
)");
}

TEST_CASE("spatial loops below the reduction are copied with their kinds", "[init_nest]") {
  SampleMatmul s;
  // Order: io, k, ii, j. The guard keeps its spatial part, a conjunct on k alone is dropped.
  s.guard.push_back({s.k < 60, 4, Tail::kGuard});
  s.guard.push_back({s.j < 31, 3, Tail::kPad});
  Stmt nest = make_for(3, s.j, 32, s.realize(), ForKind::kVectorized);
  nest = make_for(2, s.ii, 8, nest, ForKind::kUnrolled);
  nest = make_for(4, s.k, 64, nest);
  PrimFunc func = s.func(make_for(1, s.io, ceil_div(s.m, 8), nest));
  CHECK(verify(func) == std::vector<std::string>{});
  CHECK(made(func) == R"(for ii in 0..8 unrolled:
  for j in 0..32 vectorized:
    block C_init(vi = io*8 + ii, vj = j) if io*8 + ii < m and j < 31 (pad):
      C[vi, vj] = 0.0
)");
  Place place(func);
  int64_t next = 100;
  Stmt init = make_init_nest(place.path(), *place.realize, [&] { return next++; });
  const ForNode* first = init.as<ForNode>();
  REQUIRE(first);
  CHECK(first->id == 100);
  CHECK_FALSE(first->var.same_as(s.ii));
  // The new nest before the old one is a well-formed program: ids and variables are fresh.
  Stmt both = seq({init, Stmt(place.path()[0])});
  CHECK(verify(s.func(make_for(1, s.io, ceil_div(s.m, 8), both))) == std::vector<std::string>{});
  const BlockRealizeNode* realize = first->body.as<ForNode>()->body.as<BlockRealizeNode>();
  REQUIRE(realize);
  // The pad conjunct cuts off the copied loop.
  CHECK(realize->guard[1].loop == first->body.as<ForNode>()->id);
  CHECK(realize->block->writes.size() == 1);
  CHECK_FALSE(realize->block->reducer);
}

TEST_CASE("mixed spatial and reduce loops are refused", "[init_nest]") {
  SECTION("a loop that feeds both") {
    SampleMatmul s;
    s.values[1] = floor_div(s.k, 2);
    CHECK(code_of(s.func()) == "schedule.init_placement");
  }
  SECTION("a conjunct over both") {
    SampleMatmul s;
    s.guard.push_back({s.j + s.k < 70, 4, Tail::kGuard});
    CHECK(code_of(s.func()) == "schedule.init_placement");
  }
}

TEST_CASE("without a reduce loop the init goes before the block itself", "[init_nest]") {
  SampleMatmul s;
  s.values[2] = make_int(kInt64, 0);
  PrimFunc func = s.func();
  CHECK(Place(func).path().empty());
  CHECK(made(func).find("block C_init(vi = io*8 + ii, vj = j)") == 0);
}
