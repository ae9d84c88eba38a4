#include "lower/tails.h"

#include "support/expect_error.h"
#include "tilewright/ir/builder.h"
#include "tilewright/te/te.h"
#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using schedule::Schedule;
using te::Tensor;
using te::Var;

namespace {

ir::PrimFunc relu(const ir::Expr& n) {
  Tensor a = te::placeholder({n}, kFloat32, "A");
  Tensor c = te::compute(
      {n}, [&](Var i) { return te::max(a(i), 0.0f); }, "C");
  return te::create_prim_func({a, c}, "relu");
}

ir::PrimFunc matmul(const ir::Expr& m, const ir::Expr& n, const ir::Expr& k) {
  Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  Tensor c = te::compute(
      {m, n}, [&](Var i, Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return te::create_prim_func({a, b, c}, "matmul");
}

// A 6 x 16 tile of accumulators in registers, stored by a copy inside the tile.
void register_tile(Schedule& sch, const char* row_tail, const char* column_tail) {
  auto c = sch.get_block("C");
  auto loops = sch.get_loops(c);
  auto i = sch.split_factor(loops[0], 6, row_tail), j = sch.split_factor(loops[1], 16, column_tail);
  sch.reorder({i[0], j[0], loops[2], i[1], j[1]});
  auto copy = sch.cache_write(c, "register");
  sch.reverse_compute_at(copy, j[0]);
  auto out = sch.get_loops(copy);
  sch.vectorize(out.back());
  sch.unroll(out[out.size() - 2]);
  sch.vectorize(j[1]);
  sch.unroll(i[1]);
}

int count_ifs(const ir::PrimFunc& func) {
  int count = 0;
  ir::walk_stmts(func->body, [&](const ir::Stmt& s) { count += s.as<ir::IfNode>() != nullptr; });
  return count;
}

int count_masks(const ir::PrimFunc& func) {
  int count = 0;
  ir::walk_stmts(func->body, [&](const ir::Stmt& s) {
    auto* store = s.as<ir::StoreNode>();
    count += store && store->predicate.defined();
  });
  return count;
}

std::string tiles(int64_t extent, int64_t factor) {
  std::string text;
  for (const lower::TileRun& run : lower::balanced_tiles(extent, factor)) {
    text += fmt::format("{}{}x{}", text.empty() ? "" : " ", run.count, run.size);
  }
  return text;
}

}  // namespace

TEST_CASE("balanced tiles: few, nearly full, at most three sizes") {
  CHECK(tiles(128, 6) == "20x6 2x4");
  CHECK(tiles(49, 6) == "6x6 1x5 2x4");
  CHECK(tiles(24, 6) == "4x6");
  CHECK(tiles(7, 6) == "1x4 1x3");
  CHECK(tiles(5, 6) == "1x5");
  CHECK(tiles(1, 6) == "1x1");
  CHECK(tiles(0, 6) == "");
  for (int64_t factor = 1; factor <= 17; ++factor) {
    for (int64_t extent = 1; extent <= 200; ++extent) {
      int64_t covered = 0, count = 0;
      auto runs = lower::balanced_tiles(extent, factor);
      for (const auto& run : runs) {
        CHECK(run.size >= 1);
        CHECK(run.size <= factor);
        covered += run.count * run.size;
        count += run.count;
      }
      CHECK(covered == extent);
      CHECK(count == (extent + factor - 1) / factor);
      CHECK(runs.size() <= 3);
    }
  }
}

TEST_CASE("every tail policy, constant extents") {
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards", "auto"}) {
    for (int n : {8, 9, 15, 16, 45, 128, 130, 131}) {
      INFO(tail << " " << n);
      ir::PrimFunc func = relu(n);
      Schedule sch(func);
      auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 8, tail);
      SECTION("serial") {}
      SECTION("vectorized") { sch.vectorize(parts[1]); }
      SECTION("unrolled") { sch.unroll(parts[1]); }
      CHECK(lowering_difference(func, sch.func()) == "");
    }
  }
}

TEST_CASE("every tail policy, symbolic extents") {
  for (const char* tail : {"guard", "peel"}) {
    for (int n : {0, 1, 7, 8, 45, 130}) {
      INFO(tail << " " << n);
      ir::PrimFunc func = relu(te::var("n"));
      Schedule sch(func);
      auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 8, tail);
      sch.vectorize(parts[1]);
      sch.parallel(parts[0]);
      CHECK(lowering_difference(func, sch.func(), {{"n", n}}) == "");
    }
  }
}

TEST_CASE("split by 128 then by 8, peeled, for every size (K08)") {
  for (const char* tail : {"guard", "peel"}) {
    for (int n = 1; n <= 140; ++n) {
      INFO(tail << " " << n);
      ir::PrimFunc func = relu(n);
      Schedule sch(func);
      auto outer = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 128, tail);
      auto inner = sch.split_factor(outer[1], 8, tail);
      if (n % 2 == 0) sch.unroll(inner[1]);
      if (n % 2 == 1) sch.vectorize(inner[1]);
      CHECK(lowering_difference(func, sch.func()) == "");
    }
  }
}

TEST_CASE("register tiles of any size") {
  for (const char* tail : {"guard", "peel", "balanced"}) {
    for (int m : {1, 6, 7, 24, 49}) {
      for (int n : {16, 35}) {
        INFO(tail << " " << m << " " << n);
        ir::PrimFunc func = matmul(m, n, 11);
        Schedule sch(func);
        register_tile(sch, tail, std::string(tail) == "balanced" ? "guard" : tail);
        CHECK(lowering_difference(func, sch.func()) == "");
      }
    }
  }
}

TEST_CASE("register tiles with symbolic sizes") {
  for (const char* tail : {"guard", "peel"}) {
    for (auto [m, n, k] : {std::tuple{20, 37, 9}, {6, 16, 1}, {1, 1, 5}, {13, 32, 0}, {0, 3, 2}}) {
      INFO(tail << " " << m << " " << n << " " << k);
      ir::PrimFunc func = matmul(te::var("m"), te::var("n"), te::var("k"));
      Schedule sch(func);
      register_tile(sch, tail, tail);
      CHECK(lowering_difference(func, sch.func(), {{"m", m}, {"n", n}, {"k", k}}) == "");
    }
  }
}

TEST_CASE("tails of a loop that only the guard reads") {
  for (const char* tail : {"guard", "peel", "balanced"}) {
    ir::PrimFunc func = relu(5);
    Schedule sch(func);
    auto unit = sch.add_unit_loop(sch.get_block("C"));
    sch.split(unit, {schedule::Int(2), schedule::Int(4)}, tail);
    INFO(tail << "\n" << sch.show());
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("tiles that move are refused where an axis was reduced by the tile size") {
  Tensor b = te::compute(
      {4}, [&](Var i) { return te::cast(kFloat32, i); }, "B");
  Tensor c = te::compute(
      {5}, [&](Var i) { return b(te::floor_mod(i, 4)); }, "C");
  ir::PrimFunc func = te::create_prim_func({c});
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards"}) {
    Schedule sch(func);
    auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 4, tail);
    INFO(tail);
    // B computes element (o * 4 + i) mod 4 = i of a tile, which is another one where tiles start elsewhere.
    const bool done =
        bool(sch.apply({"compute_at", {sch.get_block("B"), parts[1]}, {{"tail", "guard"}}}));
    CHECK(done == (std::string(tail) != "balanced"));
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("tiles that move are refused where an inner extent divides their start") {
  Tensor b = te::compute(
      {3, 3}, [&](Var i, Var j) { return te::cast(kFloat32, i * 3 + j); }, "B");
  Tensor c = te::compute(
      {3, 3}, [&](Var i, Var j) { return b(i, j) + b(i, i); }, "C");
  ir::PrimFunc func = te::create_prim_func({c});
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards"}) {
    for (bool cut : {false, true}) {
      INFO(tail << ", B cut: " << cut);
      Schedule sch(func);
      auto loops = sch.get_loops(sch.get_block("C"));
      auto i = sch.split_factor(loops[0], 2, tail), j = sch.split_factor(loops[1], 2, "guard");
      sch.reorder({i[0], j[0], i[1], j[1]});
      sch.compute_at(sch.get_block("B"), j[0], "guard");
      // Columns from min(2 * i, 2 * j) to max(2 * i, 2 * j) + 1: half of them is a whole number for even starts alone.
      if (cut && std::string(tail) == "balanced") {
        expect_error("schedule.split.balanced_tail", {"multiple of 2"}, [&] {
          sch.split_factor(sch.get_loops(sch.get_block("B")).back(), 2, "guard");
        });
      } else if (cut) {
        sch.split_factor(sch.get_loops(sch.get_block("B")).back(), 2, "guard");
      }
      CHECK(lowering_difference(func, sch.func()) == "");
    }
  }
}

TEST_CASE("tiles that move are refused where an extent was reduced by the tile size") {
  Tensor b = te::compute(
      {2}, [&](Var i) { return te::cast(kFloat32, i); }, "B");
  Tensor c = te::compute(
      {5}, [&](Var i) { return b(0) + b(te::floor_mod(i, 2)); }, "C");
  ir::PrimFunc func = te::create_prim_func({c});
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards"}) {
    INFO(tail);
    Schedule sch(func);
    // Iteration i needs B[0] to B[i mod 2]: of o * 4 + i, that is as many as of i, for these starts alone.
    const auto loop = sch.get_loops(sch.get_block("C"))[0];
    sch.compute_at(sch.get_block("B"), loop, "guard");
    const bool done = bool(
        sch.apply({"split", {loop}, {{"factors", schedule::Value::List{{}, 4}}, {"tail", tail}}}));
    CHECK(done ==
          (std::string(tail) != "balanced"));  // shift_inwards leaves the tile where it is, guarded
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("peeled and balanced constant tails leave no condition") {
  for (const char* tail : {"peel", "balanced"}) {
    ir::PrimFunc func = relu(131);
    Schedule sch(func);
    auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 8, tail);
    sch.vectorize(parts[1]);
    ir::PrimFunc result = lowered(sch.func());
    INFO(ir::to_pretty(result));
    CHECK(count_ifs(result) == 0);
    CHECK(count_masks(result) == 0);
  }
}

TEST_CASE("packing with pad: no condition in the inner loops, exact results") {
  for (int m : {5, 12, 49}) {
    for (int n : {16, 35}) {
      ir::PrimFunc func = matmul(m, n, 20);
      Schedule sch(func);
      auto c = sch.get_block("C");
      auto copy = sch.cache_write(c, "register");
      sch.pack(c, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}});
      sch.pack(c, "B", "(k, n) -> (n // 16, k, n % 16)", {{1, 16}});
      auto loops = sch.get_loops(c);
      auto i = sch.split_factor(loops[0], 6, "pad"), j = sch.split_factor(loops[1], 16, "pad");
      sch.reorder({j[0], i[0], loops[2], i[1], j[1]});
      sch.reverse_compute_at(copy, i[0]);
      auto out = sch.get_loops(copy);
      sch.vectorize(out.back());
      sch.unroll(out[out.size() - 2]);
      sch.vectorize(j[1]);
      sch.unroll(i[1]);
      INFO(m << " " << n);
      CHECK(lowering_difference(func, sch.func()) == "");
    }
  }
}

TEST_CASE("room that a padded branch makes is room for the sizes of the other branch") {
  for (int m : {1, 3, 4, 7}) {
    INFO(m);
    Var size = te::var("m");
    Tensor s = te::compute(
        {size}, [&](Var i) { return te::cast(kFloat32, i); }, "S");
    Tensor c = te::compute(
        {size}, [&](Var i) { return s(i) + 1.0f; }, "C");
    ir::PrimFunc func = te::create_prim_func({c}, "copied");
    Schedule sch(func);
    auto block = sch.get_block("S");
    sch.specialize(block, "m >= 4");
    sch.split_factor(sch.get_loops(block)[0], 3, "pad");
    CHECK(lowering_difference(func, sch.func(), {{"m", m}}) == "");
  }
}

TEST_CASE("padded reads reach as far as this iteration's producer, not as the whole function's") {
  Tensor s = te::compute(
      {6}, [&](Var i) { return te::cast(kFloat32, i); }, "S");
  Tensor c = te::compute(
      {5, 5}, [&](Var i, Var j) { return s(i + 1) * s(j); }, "C");
  ir::PrimFunc func = te::create_prim_func({c}, "rows");
  for (bool inside : {false, true}) {
    INFO(inside);
    Schedule sch(func);
    auto copy = sch.cache_write(sch.get_block("C"), "global");
    static_cast<void>(copy);
    auto loops = sch.get_loops(sch.get_block("C"));
    if (inside) sch.compute_at(sch.get_block("S"), loops[0], "guard");  // row 0 has no S[5]
    const bool done = bool(sch.apply(
        {"split", {loops[1]}, {{"factors", schedule::Value::List{{}, 2}}, {"tail", "pad"}}}));
    CHECK(done != inside);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("padded reads wrap round to what this iteration has not made") {
  Tensor a = te::placeholder({9}, kFloat32, "A");
  Tensor s = te::compute(
      {9}, [&](Var i) { return a(te::floor_mod(i, 9)) + 1.0f; }, "S");
  Tensor c = te::compute(
      {9}, [&](Var i) { return s(i) * 2.0f; }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c}, "ring");
  Schedule sch(func);
  auto read = sch.cache_read(sch.get_block("S"), "A", "global");
  auto loop = sch.get_loops(sch.get_block("S"))[0];
  sch.compute_at(read, loop, "guard");
  static_cast<void>(sch.pack(read, "A", "(i) -> (i)", {{0, 2}}));
  expect_error("schedule.split.pad_tail", {"A_global"}, [&] { sch.split_factor(loop, 2, "pad"); });
  CHECK(lowering_difference(func, sch.func()) == "");
}

TEST_CASE("padded reads of the surplus of a fused loop are refused") {
  ir::PrimFunc func = [] {
    Tensor c = te::compute(
        {2, 2}, [&](Var i, Var j) { return te::cast(kFloat32, i * 2 + j); }, "C");
    return te::create_prim_func({c}, "square");
  }();
  for (bool fused : {false, true}) {
    INFO(fused);
    Schedule sch(func);
    auto c = sch.get_block("C");
    auto copy = sch.cache_write(c, "global");
    static_cast<void>(sch.pack(copy, "C_global", "(i, j) -> (j, i)"));
    auto loops = sch.get_loops(c);
    // Five of the 2 x 2 elements: the third row has one column alone.
    sch.split_factor(fused ? sch.fuse(loops) : loops[0], fused ? 5 : 3, "pad");
    const auto rows = sch.get_loops(sch.get_block("C_global_global"))[0];
    const bool done = bool(
        sch.apply({"split", {rows}, {{"factors", schedule::Value::List{{}, 3}}, {"tail", "pad"}}}));
    CHECK(done != fused);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("surplus iterations may write no element that is in use") {
  // The second half of B is written first; the surplus of the first half would lie in it.
  ir::IRBuilder builder("halves");
  const ir::Buffer a = builder.input("A", kFloat32, {12}),
                   b = builder.temporary("B", kFloat32, {12}),
                   c = builder.output("C", kFloat32, {12});
  const auto half = [&](const char* name, int from, int extent) {
    builder.loop("i", extent, [&](const ir::Var& i) {
      builder.block(name, {{"vi", extent, i}}, [&](const std::vector<ir::Var>& v) {
        builder.store(b, {v[0] + from}, ir::load(a, {v[0] + from}));
      });
    });
  };
  half("high", 6, 6);
  half("low", 0, 6);
  builder.loop("i", 12, [&](const ir::Var& i) {
    builder.block("C", {{"vi", 12, i}}, [&](const std::vector<ir::Var>& v) {
      builder.store(c, {v[0]}, ir::load(b, {v[0]}));
    });
  });
  ir::PrimFunc func = builder.finish();
  Schedule sch(func);
  for (const char* block : {"high", "low"}) {
    const auto loop = sch.get_loops(sch.get_block(block))[0];
    expect_error("schedule.split.pad_tail", {}, [&] { sch.split_factor(loop, 4, "pad"); });
  }
  CHECK(lowering_difference(func, sch.func()) == "");
}

TEST_CASE("padded reads are refused where their producer keeps its condition") {
  Tensor s = te::compute(
      {1}, [&](Var) { return te::Expr(2.0f); }, "S");
  Tensor c = te::compute(
      {3}, [&](Var i) { return s(0) * te::cast(kFloat32, i); }, "C");
  ir::PrimFunc func = te::create_prim_func({c}, "scaled");
  Schedule sch(func);
  static_cast<void>(sch.cache_write(sch.get_block("C"), "global"));
  const auto loop = sch.get_loops(sch.get_block("C"))[0];
  sch.compute_at(sch.get_block("S"), loop);
  // A nest as one block is not looked into: its condition stays, and the surplus has no S.
  sch.blockize(sch.get_loops(sch.get_block("S"))[1]);
  expect_error("schedule.split.pad_tail", {"'S'"}, [&] { sch.split_factor(loop, 2, "pad"); });
  CHECK(lowering_difference(func, sch.func()) == "");
}

TEST_CASE("padded reads stop where their producer's own condition stops it") {
  Tensor a = te::placeholder({4}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(4, "k");
  Tensor c = te::compute(
      {3}, [&](Var) { return te::sum(a(k), {k}); }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c}, "sums");
  for (bool cut : {false, true}) {
    INFO(cut);
    Schedule sch(func);
    auto packed = sch.pack(sch.get_block("C"), "A", "(i) -> (i)", {{0, 3}});
    auto loops = sch.get_loops(sch.get_block("C"));
    // Inside, four of the six elements are made; a split for itself keeps it so.
    if (cut) sch.compute_at(packed, loops[0]);
    sch.split_factor(sch.get_loops(packed).back(), 3);
    const bool done = bool(sch.apply(
        {"split", {loops[1]}, {{"factors", schedule::Value::List{{}, 5}}, {"tail", "pad"}}}));
    CHECK(done != cut);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("buffers of loops that never run are empty") {
  for (int k : {0, 5}) {
    Tensor a = te::placeholder({1, k}, kFloat32, "A");
    te::ReduceAxis r = te::reduce_axis(k, "k");
    Tensor c = te::compute(
        {1}, [&](Var i) { return te::sum(a(i, r), {r}); }, "C");
    ir::PrimFunc func = te::create_prim_func({a, c}, "sums");
    Schedule sch(func);
    auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[1], 2);
    auto partial = sch.rfactor(parts[1]);
    sch.compute_at(partial, sch.get_loops(sch.get_block("C"))[0]);
    auto read = sch.cache_read(partial, "A", "local");
    sch.compute_at(read, sch.get_loops(partial)[2]);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("padded reads of what a masked block writes are refused") {
  Tensor a = te::placeholder({5}, kFloat32, "A");
  Tensor p = te::compute(
      {5}, [&](Var i) { return te::if_then_else(te::Expr(i) < 5, a(i), te::Expr(0.0f)); }, "P");
  Tensor c = te::compute(
      {5}, [&](Var i) { return p(i) + 1.0f; }, "C");
  ir::PrimFunc func = te::create_prim_func({a, c}, "padded");
  for (bool masked : {false, true}) {
    INFO(masked);
    Schedule sch(func);
    static_cast<void>(sch.cache_write(sch.get_block("C"), "global"));
    auto loop =
        sch.merge({sch.get_loops(sch.get_block("P"))[0], sch.get_loops(sch.get_block("C"))[0]});
    static_cast<void>(sch.pack(sch.get_block("P"), "A", "(i) -> (i)", {{0, 2}}));
    if (masked) sch.decompose_padding(sch.get_block("P"), loop);
    const bool done = bool(
        sch.apply({"split", {loop}, {{"factors", schedule::Value::List{{}, 2}}, {"tail", "pad"}}}));
    CHECK(done != masked);
    CHECK(lowering_difference(func, sch.func()) == "");
  }
}

TEST_CASE("pad of a loop that indexes an argument is an error that names both") {
  ir::PrimFunc func = relu(130);
  Schedule sch(func);
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 8, "guard");
  // The schedule's own check comes first for a padded split, so the conjunct is changed by hand.
  ir::Stmt padded = lower::change_guards(
      sch.func()->body, [](const ir::BlockRealizeNode&, const ir::Conjunct& c) {
        return std::optional(ir::Conjunct{c.cond, c.loop, ir::Tail::kPad});
      });
  ir::PrimFunc wrong = ir::with_body(sch.func(), padded);
  expect_error("lower.pad", {"block 'C'", "argument 'C'"}, [&] { lowered(wrong); });
}
