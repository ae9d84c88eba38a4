#include <catch2/catch.hpp>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;

namespace {

std::string text(const std::optional<Region>& region) {
  if (!region) return "none";
  std::string result;
  for (const Range& r : region->ranges) {
    result += "[" + to_text(r.min) + ", +" + to_text(r.extent) + "]";
  }
  return result;
}

Stmt loop(const Var& var, int64_t extent, Stmt body) {
  return make_for(0, var, make_int(kInt64, extent), std::move(body));
}

}  // namespace

TEST_CASE("regions of loads and stores under loops") {
  Var i0("i0"), i1("i1"), dr("dr");
  Buffer a = make_buffer("A", kFloat32, {Expr(136)});
  Buffer b = make_buffer("B", kFloat32, {Expr(128)});
  Expr index = i0 * 32 + i1;
  Stmt body =
      loop(i1, 32, loop(dr, 5, store(b, {index}, load(a, {index + dr}) + load(b, {index}))));
  Analyzer analyzer;
  analyzer.bind_extent(i0, Expr(4));
  CHECK(text(accessed_region(analyzer, body, a, true, false)) == "[i0 * 32, +36]");
  CHECK(text(accessed_region(analyzer, body, a, false, true)) == "none");
  CHECK(text(accessed_region(analyzer, body, b, false, true)) == "[i0 * 32, +32]");
  CHECK(text(accessed_region(analyzer, loop(i0, 4, body), a, true, true)) == "[0, +132]");
}

TEST_CASE("several accesses give their box") {
  Var i("i"), j("j");
  Buffer a = make_buffer("A", kFloat32, {Expr(100), Expr(100)});
  Buffer b = make_buffer("B", kFloat32, {Expr(100)});
  Expr sum = load(a, {i, j - 1}) + load(a, {i + 1, j + 1});
  Stmt body = store(b, {i}, sum);
  CHECK(text(accessed_region(Analyzer(), body, a, true, false)) == "[i, +2][j - 1, +3]");
}

TEST_CASE("block iter vars are replaced by their values") {
  Var i("i"), io("io"), ii("ii");
  Buffer a = make_buffer("A", kFloat32, {Expr(128)});
  Buffer b = make_buffer("B", kFloat32, {Expr(128)});
  Block block(new BlockNode(1, "b", BlockKind::kCompute,
                            {{i, {Expr(0), Expr(128)}, IterKind::kSpatial}}, {}, {}, {}, {}, {},
                            store(b, {i}, load(a, {i}) + 1.0f), {}, ""));
  Stmt realize(
      new BlockRealizeNode({io * 16 + ii}, {{io * 16 + ii < 128, 0, Tail::kGuard}}, block));
  CHECK(text(accessed_region(Analyzer(), loop(ii, 16, realize), b, false, true)) ==
        "[io * 16, +16]");

  Block derived = with_derived_regions(block);
  REQUIRE(derived->reads.size() == 1);
  REQUIRE(derived->writes.size() == 1);
  CHECK(text(derived->reads[0]) == "[i, +1]");
  CHECK(text(derived->writes[0]) == "[i, +1]");
}

TEST_CASE("an update reads and writes its accumulators") {
  Var i("i"), k("k");
  Buffer a = make_buffer("A", kInt32, {Expr(8), Expr(16)});
  Buffer c = make_buffer("C", kInt32, {Expr(8)});
  Reducer sum = reducers::sum(kInt32);
  Stmt update(new UpdateNode(sum, {c}, {i}, {load(a, {i, k})}));
  std::vector<IterVar> iters = {{i, {Expr(0), Expr(8)}, IterKind::kSpatial},
                                {k, {Expr(0), Expr(16)}, IterKind::kReduce}};
  Block block(new BlockNode(1, "c", BlockKind::kCompute, iters, {}, {}, {}, sum,
                            store(c, {i}, make_int(kInt32, 0)), update, {}, ""));
  Block derived = with_derived_regions(block);
  REQUIRE(derived->reads.size() == 2);
  REQUIRE(derived->writes.size() == 1);
  CHECK(derived->writes[0].buffer.same_as(c));
  CHECK(text(derived->writes[0]) == "[i, +1]");
  CHECK(text(accessed_region(Analyzer(), loop(k, 16, update), a, true, false)) ==
        "[i, +1][0, +16]");
}

TEST_CASE("accesses under a condition") {
  Var h("h"), t("t");
  Buffer a = make_buffer("A", kFloat32, {Expr(56)});
  Buffer b = make_buffer("B", kFloat32, {Expr(64)});
  Expr index = t * 8 + h - 1;
  Expr padded = if_then_else(index >= 0 && index < 56, load(a, {index}), Expr(0.0f));
  Stmt body = loop(h, 10, store(b, {t * 8 + h}, padded));
  Analyzer analyzer;
  analyzer.bind_extent(t, Expr(7));
  CHECK(text(accessed_region(analyzer, body, a, true, false)) == "[t * 8 - 1, +10]");

  // Regions of blocks keep their length and are moved inside the buffer.
  auto derived = [&](const Stmt& stmt) {
    std::vector<IterVar> iters = {{t, {Expr(0), Expr(7)}, IterKind::kSpatial}};
    return with_derived_regions(
        Block(new BlockNode(1, "b", BlockKind::kCompute, iters, {}, {}, {}, {}, {}, stmt, {}, "")));
  };
  Range range = derived(body)->reads[0].ranges[0];
  INFO(to_text(range.min));
  CHECK(is_const_int(range.extent, 10));
  CHECK(analyzer.can_prove(range.min >= 0));
  CHECK(analyzer.can_prove(range.min <= 46));
  for (int64_t tile = 0; tile < 7; ++tile) {
    VarMap at = {{t, make_int(kInt64, tile)}};
    int64_t low = *as_const_int(Analyzer().simplify(substitute(range.min, at)));
    for (int64_t x = 0; x < 10; ++x) {
      int64_t element = tile * 8 + x - 1;
      if (element >= 0 && element < 56) CHECK((element >= low && element < low + 10));
    }
  }
  // Inside anyway: nothing is moved.
  Expr half = if_then_else(h < 4, load(a, {t * 8 + h}), Expr(0.0f));
  Stmt inside = loop(h, 8, store(b, {t * 8 + h}, half));
  CHECK(text(derived(inside)->reads[0]) == "[t * 8, +8]");
}

TEST_CASE("what cannot be bounded is the whole dimension") {
  Var i("i"), j("j"), n("n");
  Buffer a = make_buffer("A", kFloat32, {n, Expr(7)});
  Buffer idx = make_buffer("idx", kInt64, {Expr(10)});
  Buffer b = make_buffer("B", kFloat32, {Expr(10)});
  Stmt body = loop(i, 10, store(b, {i}, load(a, {load(idx, {i}), j})));
  CHECK(text(accessed_region(Analyzer(), body, a, true, false)) == "[0, +n][j, +1]");
  CHECK(text(accessed_region(Analyzer(), body, idx, true, false)) == "[0, +10]");
}

TEST_CASE("declared regions stand for opaque blocks") {
  Var i("i"), io("io");
  Buffer a = make_buffer("A", kFloat32, {Expr(64)});
  std::vector<IterVar> iters = {{i, {Expr(0), Expr(8)}, IterKind::kOpaque}};
  Block block(new BlockNode(1, "x", BlockKind::kOpaque, iters, {}, {}, {{a, {{i * 8, Expr(8)}}}},
                            {}, {}, nop(), {}, ""));
  Stmt realize(new BlockRealizeNode({io}, {}, block));
  CHECK(text(accessed_region(Analyzer(), realize, a, true, true)) == "[io * 8, +8]");
  CHECK(text(accessed_region(Analyzer(), loop(io, 8, realize), a, false, true)) == "[0, +64]");
  CHECK(with_derived_regions(block).same_as(block));
}

TEST_CASE("lets and vector indices") {
  Var i("i"), v("v");
  Buffer a = make_buffer("A", kFloat32, {Expr(64)});
  Stmt body =
      let_stmt(v, i * 4, store(a, {ramp(v, make_int(kInt64, 1), 4)}, broadcast(Expr(0.0f), 4)));
  CHECK(text(accessed_region(Analyzer(), body, a, false, true)) == "[i * 4, +4]");
  CHECK(text(accessed_region(Analyzer(), loop(i, 16, body), a, false, true)) == "[0, +64]");
}
