// cache_read, cache_write, set_scope, transform_layout, pack.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

}  // namespace

TEST_CASE("cache_read: whole, and computed at a loop of its reader", "[schedule]") {
  const Program matmul = programs::matmul();
  for (const char* scope : {"global", "local"}) {
    for (int place = -1; place < 3; ++place) {
      Schedule sch(matmul.func);
      const BlockRef block = sch.get_block("C");
      const std::vector<Loop> c = sch.get_loops(block);
      sch.split_factor(c[0], 6);
      const BlockRef a = sch.cache_read(block, "A", scope), b = sch.cache_read(block, "B", scope);
      if (place >= 0) {
        const Loop at = sch.get_loops(block)[static_cast<size_t>(place)];
        sch.compute_at(a, at);
        sch.compute_at(b, at);
      }
      check_schedule(sch, matmul);
    }
  }
}

TEST_CASE("cache_read of an intermediate, and of a copy", "[schedule]") {
  const Program conv = programs::conv2d();
  Schedule sch(conv.func);
  const BlockRef block = sch.get_block("conv");
  const BlockRef first = sch.cache_read(block, "pad", "local");
  sch.cache_read(first, "pad");
  sch.compute_at(first, sch.get_loops(block)[2]);
  check_schedule(sch, conv);
}

TEST_CASE("cache_write: init and updates go to the new buffer", "[schedule]") {
  for (const Program& program : {programs::matmul(), programs::depthwise(), programs::argmax()}) {
    const std::string block = program.name == "matmul" ? "C" : program.name;
    for (int place = -1; place < 1; ++place) {
      Schedule sch(program.func);
      const BlockRef writer = sch.get_block(block), copy = sch.cache_write(writer, "local");
      const std::vector<Loop> loops = sch.get_loops(writer);
      sch.split_factor(loops.back(), 4);
      if (place >= 0) sch.reverse_compute_at(copy, loops[static_cast<size_t>(place)]);
      check_schedule(sch, program);
    }
  }
}

TEST_CASE("cache_write of an intermediate with several readers", "[schedule]") {
  const Program softmax = programs::softmax();
  Schedule sch(softmax.func);
  sch.cache_write(sch.get_block("row_exp"), "local");
  sch.cache_write(sch.get_block("row_max"));
  check_schedule(sch, softmax);
}

TEST_CASE("register scope: accumulators of a tile", "[schedule]") {
  const Program matmul = programs::matmul();
  Schedule sch(matmul.func);
  const BlockRef block = sch.get_block("C"), copy = sch.cache_write(block, "register");
  const std::vector<Loop> c = sch.get_loops(block);
  const std::vector<Loop> i = sch.split_factor(c[0], 6), j = sch.split_factor(c[1], 8);
  sch.reorder({i[0], j[0], c[2], i[1], j[1]});
  sch.reverse_compute_at(copy, j[0]);
  const std::vector<Loop> out = sch.get_loops(copy);
  for (Loop rows : {i[1], out[out.size() - 2]}) sch.unroll(rows);
  for (Loop lanes : {j[1], out.back()}) sch.vectorize(lanes);
  check_schedule(sch, matmul);
}

TEST_CASE("set_scope and transform_layout of intermediates", "[schedule]") {
  for (const char* map :
       {"(n, c, h, w) -> (n, h, w, c)", "(n, c, h, w) -> (n, c // 2, h, w, c % 2)",
        "(n, c, h, w) -> (((n * 3 + c) * 12 + h) * 11 + w)",
        "(n, c, h, w) -> (n, c, w // 4, h, w % 4)"}) {
    INFO(map);
    const Program conv = programs::conv2d();
    Schedule sch(conv.func);
    sch.set_scope(sch.get_block("pad"), "local");
    sch.transform_layout(sch.get_block("pad"), map);
    sch.compute_at(sch.get_block("pad"), loops_of(sch, "conv")[1]);
    check_schedule(sch, conv);
  }
}

TEST_CASE("pack: tiles that do not divide a symbolic extent", "[schedule]") {
  const te::Var n = te::var("n");
  const te::Tensor a = te::placeholder({n, n}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {n, n}, [&](te::Var i, te::Var j) { return a(j, i) + 1.0f; }, "B");
  Schedule sch(te::create_prim_func({a, b}));
  sch.pack(sch.get_block("B"), "A", "(i, j) -> (j // 3, i, j % 3)", {});
  check_schedule(sch, {{{"n", 7}}, {{"n", 1}}, {{"n", 6}}});
}

TEST_CASE("pack: layouts and padding, whole and at a loop", "[schedule]") {
  const Program matmul = programs::matmul();
  for (int place = -1; place < 2; ++place) {
    Schedule sch(matmul.func);
    const BlockRef block = sch.get_block("C");
    const std::vector<Loop> c = sch.get_loops(block);
    const std::vector<Loop> i = sch.split_factor(c[0], 6), j = sch.split_factor(c[1], 16);
    sch.reorder({i[0], j[0], c[2], i[1], j[1]});
    const BlockRef a = sch.pack(block, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}});
    const BlockRef b =
        sch.pack(block, "B", "(k, n) -> (n // 16, k, n % 16)", {{0, 4}, {1, 16}}, "local");
    if (place >= 0) {
      sch.compute_at(a, i[0]);
      sch.compute_at(b, place == 0 ? i[0] : j[0]);
    }
    check_schedule(sch, matmul);
  }
}

TEST_CASE("padded tiles: spatial, and of a reduction whose surplus terms are zero", "[schedule]") {
  const Program matmul = programs::matmul();
  Schedule sch(matmul.func);
  const BlockRef block = sch.get_block("C"), copy = sch.cache_write(block);
  sch.pack(block, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}, {1, 4}});
  sch.pack(block, "B", "(k, n) -> (n // 16, k, n % 16)", {{0, 4}, {1, 16}});
  const std::vector<Loop> c = sch.get_loops(block);
  const std::vector<Loop> i = sch.split_factor(c[0], 6, "pad"),
                          j = sch.split_factor(c[1], 16, "pad"),
                          k = sch.split_factor(c[2], 4, "pad");
  sch.reorder({i[0], j[0], k[0], k[1], i[1], j[1]});
  sch.reverse_compute_at(copy, j[0]);
  check_schedule(sch, matmul);
}

TEST_CASE("padding that could change a result is refused by the primitive that asks for it",
          "[schedule]") {
  te::Tensor a = te::placeholder({5, 10}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(10, "k");
  te::Tensor c = te::compute(
      {5}, [&](te::Var i) { return te::max(a(i, k), {k}); }, "C");
  const ir::PrimFunc func = te::create_prim_func({a, c});
  const auto refused = [](Schedule& sch, Loop loop, int64_t factor) {
    refusal(sch, "schedule.split.pad_tail",
            [&](Schedule& s) { s.split_factor(loop, factor, "pad"); });
  };
  SECTION("the zeros of a packed operand are no identity of max") {
    Schedule sch(func);
    sch.pack(sch.get_block("C"), "A", "(i, k) -> (i, k)", {{1, 4}});
    refused(sch, loops_of(sch, "C")[1], 4);
  }
  SECTION("an argument has no room") {
    Schedule sch(func);
    refused(sch, loops_of(sch, "C")[1], 4);
  }
  SECTION("the elements beyond an intermediate's end hold nothing") {
    const Program stencil = programs::stencil();
    Schedule sch(stencil.func);
    refused(sch, loops_of(sch, "blur_y")[0], 4);
  }
  SECTION("a padded tile of a tile reaches into the next one") {
    const Program sums = programs::triangular_sum();
    Schedule sch(sums.func);
    sch.pack(sch.get_block("lower"), "A", "(i, k) -> (i, k)", {{1, 8}});
    refused(sch, sch.split_factor(loops_of(sch, "lower")[1], 4)[1], 3);
  }
  SECTION("compute_at of whole tiles that read an argument") {
    const Program stencil = programs::stencil();
    Schedule sch(stencil.func);
    const std::vector<Loop> y = sch.split_factor(loops_of(sch, "sharpen")[0], 4);
    const BlockRef producer = sch.get_block("blur_y");
    refusal(sch, "schedule.compute_at.pad_tail",
            [&](Schedule& s) { s.compute_at(producer, y[0], "pad"); });
  }
}

TEST_CASE("a primitive that would break the proof of padding is refused", "[schedule]") {
  const Program matmul = programs::matmul();
  Schedule sch(matmul.func);
  const BlockRef block = sch.get_block("C");
  const BlockRef copy = sch.cache_write(block);
  const BlockRef pack = sch.pack(block, "A", "(m, k) -> (m, k)", {{1, 4}});
  sch.pack(block, "B", "(k, n) -> (k, n)", {{0, 4}});
  const std::vector<Loop> k = sch.split_factor(sch.get_loops(block)[2], 4, "pad");
  // Inlined, the copies would be read where the arguments end.
  refusal(sch, "schedule.compute_inline.pad_tail", [&](Schedule& s) { s.compute_inline(pack); });
  sch.reverse_compute_at(copy, sch.get_loops(block)[1]);
  check_schedule(sch, matmul);
}

TEST_CASE("a padded tile whose outer loop was fused and split again", "[schedule]") {
  const Program mixed = programs::mixed_precision();
  Schedule sch(mixed.func);
  const BlockRef pack = sch.pack(sch.get_block("C"), "B", "(k, n) -> (n, k)", {{1, 8}});
  const std::vector<Loop> loops = sch.get_loops(pack);
  const std::vector<Loop> n = sch.split_factor(loops[1], 6, "pad");
  sch.split_factor(sch.fuse({loops[0], n[0]}), 11);
  check_schedule(sch, mixed);
}

TEST_CASE("two conditions on one peeled loop: the narrower one cuts it", "[schedule]") {
  const Program conv = programs::depthwise();
  Schedule sch(conv.func);
  const Loop ry = loops_of(sch, "depthwise")[4];
  const std::vector<Loop> parts = sch.split_factor(ry, 4, "peel");
  sch.split_factor(parts[1], 3, "peel");
  check_schedule(sch, conv);
}

TEST_CASE("a tile that was cut again is moved inwards only as far as it reaches", "[schedule]") {
  const Program softmax = programs::softmax();
  Schedule sch(softmax.func);
  std::vector<Loop> loops = loops_of(sch, "softmax");
  const std::vector<Loop> i = sch.split_factor(loops[0], 7, "shift_inwards");
  const std::vector<Loop> parts = sch.split_factor(sch.fuse({i[1], loops[1]}), 7);
  sch.split_factor(parts[1], 5);
  check_schedule(sch, softmax);
}

}  // namespace tilewright::testing
