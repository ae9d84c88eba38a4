// compute_at, reverse_compute_at, compute_inline, reverse_compute_inline, decompose_reduction, rfactor.

#include "tilewright/ir/builder.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

// B = sums of 3x3 windows of A, C = B + 1.
ir::PrimFunc window_sums(int64_t n) {
  te::Tensor a = te::placeholder({n + 2, n + 2}, kFloat32, "A");
  te::ReduceAxis dy = te::reduce_axis(3, "dy"), dx = te::reduce_axis(3, "dx");
  te::Tensor b = te::compute(
      {n, n},
      [&](te::Var y, te::Var x) {
        return te::sum(a(y + dy, x + dx), {dy, dx});
      },
      "B");
  te::Tensor c = te::compute(
      {n, n}, [&](te::Var y, te::Var x) { return b(y, x) + 1.0f; }, "C");
  return te::create_prim_func({a, c});
}

ir::PrimFunc subtracting() {
  const ir::Reducer minus = te::reducer(
      "minus", [](te::Expr acc, te::Expr v) { return acc - v; }, te::Expr(0.0f));
  te::Tensor a = te::placeholder({8, 24}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(24, "k");
  te::Tensor b = te::compute(
      {8}, [&](te::Var i) { return te::reduce(minus, a(i, k), {k}); }, "B");
  return te::create_prim_func({a, b});
}

}  // namespace

TEST_CASE("compute_at: every loop of a split consumer", "[schedule]") {
  for (int factor : {2, 3}) {
    for (int place = 0; place < 4; ++place) {
      for (const char* scope : {"global", "local"}) {
        Schedule sch(window_sums(8));
        const std::vector<Loop> c = loops_of(sch, "C");
        sch.split_factor(c[1], factor);
        sch.split_factor(c[0], factor);
        sch.set_scope(sch.get_block("B"), scope);
        sch.compute_at(sch.get_block("B"), loops_of(sch, "C")[static_cast<size_t>(place)]);
        check_schedule(sch);
      }
    }
  }
}

TEST_CASE("compute_at: overlapping parts are computed again, also in parallel", "[schedule]") {
  const Program stencil = programs::stencil();
  for (int place = 0; place < 2; ++place) {
    Schedule sch(stencil.func);
    const std::vector<Loop> out = loops_of(sch, "sharpen");
    const std::vector<Loop> y = sch.split_factor(out[0], 4);
    sch.compute_at(sch.get_block("blur_y"), y[static_cast<size_t>(place)]);
    sch.compute_at(sch.get_block("blur_x"), y[static_cast<size_t>(place)]);
    sch.parallel(y[0]);
    check_schedule(sch, stencil);
  }
}

TEST_CASE("compute_at with pad: whole tiles in packed buffers", "[schedule]") {
  const Program matmul = programs::matmul();
  Schedule sch(matmul.func);
  const std::vector<Loop> c = loops_of(sch, "C");
  const std::vector<Loop> i = sch.split_factor(c[0], 6);
  sch.reorder({c[2], i[0], i[1]});
  const std::vector<Loop> k = sch.split_factor(c[2], 5);
  const BlockRef partial = sch.rfactor(k[0]);
  const std::vector<Loop> last = loops_of(sch, "C");
  sch.pack(partial, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}});
  sch.compute_at(partial, last[0], "pad");
  check_schedule(sch, matmul);
}

TEST_CASE("compute_at of a producer with several consumers and of one on the way", "[schedule]") {
  const Program softmax = programs::softmax();
  Schedule sch(softmax.func);
  const Loop rows = loops_of(sch, "softmax")[0];
  sch.compute_at(sch.get_block("row_sum"), rows);
  sch.compute_at(sch.get_block("row_exp"), rows);
  sch.compute_at(sch.get_block("row_max"), rows);
  sch.parallel(rows);
  check_schedule(sch, softmax);
}

TEST_CASE("compute_at: a producer whose own inputs were moved to it leaves them behind whole",
          "[schedule]") {
  const Program stencil = programs::stencil();
  Schedule sch(stencil.func);
  sch.compute_at(sch.get_block("blur_x"), loops_of(sch, "blur_y")[0]);
  sch.compute_at(sch.get_block("blur_y"), loops_of(sch, "sharpen")[0]);
  check_schedule(sch, stencil);
}

TEST_CASE("reverse_compute_at: at every loop that holds complete results", "[schedule]") {
  for (int place = 0; place < 4; ++place) {
    Schedule sch(window_sums(7));
    const std::vector<Loop> b = loops_of(sch, "B");
    sch.split_factor(b[1], 3);
    sch.split_factor(b[0], 2);
    sch.reverse_compute_at(sch.get_block("C"), loops_of(sch, "B")[static_cast<size_t>(place)]);
    check_schedule(sch);
  }
}

TEST_CASE("reverse_compute_at of a copy, before and after decompose_reduction", "[schedule]") {
  const Program matmul = programs::matmul();
  for (bool decomposed : {false, true}) {
    Schedule sch(matmul.func);
    const BlockRef block = sch.get_block("C"), copy = sch.cache_write(block, "local");
    const std::vector<Loop> c = sch.get_loops(block);
    const std::vector<Loop> i = sch.split_factor(c[0], 6), j = sch.split_factor(c[1], 7),
                            k = sch.split_factor(c[2], 4);
    sch.reorder({i[0], j[0], k[0], i[1], k[1], j[1]});
    if (decomposed) sch.decompose_reduction(block, k[0]);
    sch.reverse_compute_at(copy, j[0]);
    check_schedule(sch, matmul);
  }
}

TEST_CASE("reverse_compute_at: two axes that follow one loop would meet on a diagonal",
          "[schedule]") {
  te::Tensor a = te::placeholder({4}, kFloat32, "A");
  const auto row = [&](const char* name, float by) {
    return te::compute(
        {4}, [&](te::Var i) { return a(i) * by; }, name);
  };
  te::Tensor b = row("B", 2), c = row("C", 3);
  te::Tensor d = te::compute(
      {4, 4}, [&](te::Var i, te::Var j) { return b(i) + c(j); }, "D");
  Schedule sch(te::create_prim_func({a, d}, "outer"));
  const Loop both = sch.merge({loops_of(sch, "B")[0], loops_of(sch, "C")[0]});
  refusal(sch, "schedule.reverse_compute_at.conflicting_ranges",
          [&](Schedule& s) { s.reverse_compute_at(s.get_block("D"), both); });
  check_schedule(sch);
}

TEST_CASE("reverse_compute_at: a reader that runs backwards or starts later", "[schedule]") {
  const te::Tensor a = te::placeholder({8, 6}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {8, 6}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  const te::Tensor c = te::compute(
      {7, 4}, [&](te::Var i, te::Var j) { return b(7 - i, j + 1) + 1.0f; }, "C");
  for (int place = 0; place < 4; ++place) {
    for (const char* tail : {"guard", "peel", "shift_inwards"}) {
      Schedule sch(te::create_prim_func({a, c}));
      const std::vector<Loop> loops = loops_of(sch, "B");
      sch.split_factor(loops[1], 4, tail);
      sch.split_factor(loops[0], 3, tail);
      sch.reverse_compute_at(sch.get_block("C"), loops_of(sch, "B")[static_cast<size_t>(place)]);
      check_schedule(sch);
    }
  }
}

TEST_CASE("reverse_compute_inline: a reader that runs backwards", "[schedule]") {
  const te::Tensor a = te::placeholder({5, 6}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {5, 6}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  const te::Tensor c = te::compute(
      {6, 5},
      [&](te::Var i, te::Var j) { return b(4 - j, i) + ir::cast(kFloat32, j) * b(4 - j, i); }, "C");
  Schedule sch(te::create_prim_func({a, c}));
  sch.reverse_compute_inline(sch.get_block("C"));
  check_schedule(sch);
}

TEST_CASE("compute_inline: into one reader, several, and a reduction's mask", "[schedule]") {
  for (const Program& program : {programs::conv2d(), programs::stencil(), programs::layernorm()}) {
    INFO(program.name);
    Schedule sch(program.func);
    for (const char* name : {"pad", "blur_x", "mean"}) {
      const std::vector<std::string> names = sch.block_names();
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      sch.compute_inline(sch.get_block(name));
    }
    check_schedule(sch, program);
  }
  te::Tensor a = te::placeholder({6, 9}, kInt32, "A");
  te::Tensor mask = te::compute(
      {6, 9}, [&](te::Var i, te::Var j) { return te::floor_mod(a(i, j), 2); }, "mask");
  te::ReduceAxis k = te::reduce_axis(9, "k");
  te::Tensor c = te::compute(
      {6}, [&](te::Var i) { return te::sum(a(i, k), {k}, mask(i, k) > 0); }, "C");
  Schedule sch(te::create_prim_func({a, c}));
  sch.compute_inline(sch.get_block("mask"));
  CHECK(sch.block_names() == std::vector<std::string>{"C"});
  check_schedule(sch);
}

TEST_CASE("reverse_compute_inline: also through permuted axes", "[schedule]") {
  te::Tensor a = te::placeholder({5, 7}, kFloat32, "A");
  te::Tensor b = te::compute(
      {5, 7}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  te::Tensor c = te::compute(
      {7, 5}, [&](te::Var j, te::Var i) { return b(i, j) + b(i, j) * 3.0f; }, "C");
  Schedule sch(te::create_prim_func({a, c}));
  sch.split_factor(loops_of(sch, "B")[1], 3);
  sch.reverse_compute_inline(sch.get_block("C"));
  CHECK(sch.block_names() == std::vector<std::string>{"C"});
  check_schedule(sch);
}

TEST_CASE("decompose_reduction at each legal loop", "[schedule]") {
  const Program matmul = programs::matmul();
  for (size_t place = 0; place < 4; ++place) {
    Schedule sch(matmul.func);
    const std::vector<Loop> c = loops_of(sch, "C");
    const std::vector<Loop> i = sch.split_factor(c[0], 7), k = sch.split_factor(c[2], 4);
    sch.reorder({i[0], c[1], k[0], i[1], k[1]});
    const std::vector<Loop> places = {i[0], c[1], k[0]};
    if (place < 3) {
      const BlockRef init = sch.decompose_reduction(sch.get_block("C"), places[place]);
      CHECK(sch.block_name(init) == "C_init");
    } else {
      const BlockRef block = sch.get_block("C");
      refusal(sch, "schedule.decompose_reduction.too_deep",
              [&](Schedule& s) { s.decompose_reduction(block, i[1]); });
    }
    check_schedule(sch, matmul);
  }
}

TEST_CASE("rfactor: inner, outer, any place of the new axis, masked and with several outputs",
          "[schedule]") {
  for (const Program& program :
       {programs::matmul(), programs::argmax(), programs::triangular_sum(), programs::int8_dot()}) {
    const std::string block = program.name == "argmax"           ? "argmax"
                              : program.name == "triangular_sum" ? "lower"
                                                                 : "C";
    for (int part = 0; part < 2; ++part) {
      for (int axis : {0, -1}) {
        INFO(program.name << ", part " << part << ", axis " << axis);
        Schedule sch(program.func);
        const std::vector<Loop> k = sch.split_factor(loops_of(sch, block.c_str()).back(), 5);
        const BlockRef partial = sch.rfactor(k[static_cast<size_t>(part)], axis);
        CHECK(sch.block_name(partial) == block + "_rf");
        if (part == 1) sch.vectorize(k[1]);
        if (part == 0) sch.parallel(k[0]);
        check_schedule(sch, program);
      }
    }
  }
}

TEST_CASE("rfactor twice, and of partial results moved into the final loop", "[schedule]") {
  const Program sums = programs::triangular_sum();
  Schedule sch(sums.func);
  const std::vector<Loop> k = sch.split_factor(loops_of(sch, "lower")[1], 5);
  const BlockRef partial = sch.rfactor(k[0]);
  const Loop terms = loops_of(sch, "lower").back();
  sch.compute_at(partial, terms);
  sch.rfactor(terms);
  check_schedule(sch, sums);
}

TEST_CASE("a reducer that is not declared stays in order", "[schedule]") {
  Schedule sch(subtracting());
  const std::vector<Loop> parts = sch.split_factor(loops_of(sch, "B")[1], 8);
  refusal(sch, "schedule.rfactor.reducer", [&](Schedule& s) { s.rfactor(parts[1]); });
  refusal(sch, "schedule.reorder.reduction_order", [&](Schedule& s) {
    s.reorder({parts[1], parts[0]});
  });
  refusal(sch, "schedule.parallel.reduce_loop", [&](Schedule& s) { s.parallel(parts[0]); });
  refusal(sch, "schedule.vectorize.reduce_loop", [&](Schedule& s) { s.vectorize(parts[1]); });
  sch.parallel(loops_of(sch, "B")[0]);
  check_schedule(sch);
}

TEST_CASE("a loop that repeats a reduction never gets into it", "[schedule]") {
  // B is summed once in each iteration of a loop of C; then C moves on and leaves the loop behind.
  te::Tensor a = te::placeholder({6}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(6, "k");
  te::Tensor b = te::compute(
      {1}, [&](te::Var) { return te::sum(a(k), {k}); }, "B");
  te::Tensor c = te::compute(
      {4}, [&](te::Var i) { return b(0) + te::cast(kFloat32, i); }, "C");
  te::Tensor d = te::compute(
      {4}, [&](te::Var i) { return c(i) * 2.0f; }, "D");
  Schedule sch(te::create_prim_func({a, d}));
  sch.compute_at(sch.get_block("B"), loops_of(sch, "C")[0]);
  sch.compute_at(sch.get_block("C"), loops_of(sch, "D")[0]);
  check_schedule(sch);
  const BlockRef block = sch.get_block("B");
  const std::vector<Loop> loops = sch.get_loops(block);
  REQUIRE(loops.size() >= 2);
  refusal(sch, "schedule.reorder.repeated_terms", [&](Schedule& s) {
    s.reorder({loops.back(), loops.front()});
  });
  refusal(sch, "schedule.decompose_reduction.repeated_terms",
          [&](Schedule& s) { s.decompose_reduction(block, loops.front()); });
  refusal(sch, "schedule.fuse.mixed_kinds", [&](Schedule& s) { s.fuse(loops); });
  check_schedule(sch);
}

TEST_CASE("moving a block that writes one element at several points is refused", "[schedule]") {
  ir::IRBuilder b("rows");
  const ir::Buffer x = b.input("X", kFloat32, {3, 4}), c = b.output("C", kFloat32, {3, 4}),
                   t = b.temporary("T", kFloat32, {4});
  const auto over_row = [&](const char* name, const ir::Var& i, const ir::Buffer& to, bool in_row,
                            const std::function<ir::Expr(const std::vector<ir::Var>&)>& value) {
    b.loop("j", 4, [&](const ir::Var& j) {
      b.block(name, {{"vi", 3, i}, {"vj", 4, j}}, [&](const std::vector<ir::Var>& v) {
        b.store(to, in_row ? std::vector<ir::Expr>{v[0], v[1]} : std::vector<ir::Expr>{v[1]},
                value(v));
      });
    });
  };
  b.loop("i", 3, [&](const ir::Var& i) {
    over_row("T", i, t, false, [&](const auto& v) { return ir::load(x, {v[0], v[1]}) * 2.0f; });
    over_row("C", i, c, true, [&](const auto& v) { return ir::load(t, {3 - v[1]}); });
  });
  Schedule sch(b.finish());
  // T[j] is another value in each iteration of i: nothing says which one a recomputed T[j] would be.
  for (const size_t place : {0, 1}) {
    refusal(sch, "schedule.compute_at.write_index",
            [&](Schedule& s) { s.compute_at(s.get_block("T"), loops_of(s, "C")[place]); });
  }
  refusal(sch, "schedule.compute_inline.write_index",
          [](Schedule& s) { s.compute_inline(s.get_block("T")); });
  check_schedule(sch);
}

TEST_CASE("copies of what the caller has filled keep it", "[schedule]") {
  // A[1..7] = 5, Z = A: A[0] is the caller's.
  ir::IRBuilder b("partly");
  const ir::Buffer a = b.inout("A", kFloat32, {8}), z = b.output("Z", kFloat32, {8});
  b.loop("i", 7, [&](const ir::Var& i) {
    b.block("A", {{"vi", 7, i}},
            [&](const std::vector<ir::Var>& v) { b.store(a, {v[0] + 1}, ir::Expr(5.0f)); });
  });
  b.loop("i", 8, [&](const ir::Var& i) {
    b.block("Z", {{"vi", 8, i}},
            [&](const std::vector<ir::Var>& v) { b.store(z, {v[0]}, ir::load(a, {v[0]})); });
  });
  const ir::PrimFunc func = b.finish();
  for (const bool packed : {false, true}) {
    Schedule sch(func);
    packed ? sch.pack(sch.get_block("Z"), "A", "(i) -> (i // 2, i % 2)", {{0, 3}})
           : sch.cache_read(sch.get_block("Z"), "A");
    check_schedule(sch);
  }
  Schedule sch(func);
  refusal(sch, "schedule.cache_write.several_writers",
          [](Schedule& s) { s.cache_write(s.get_block("A")); });
}

TEST_CASE("decompose_reduction: nobody reads what was there before the init", "[schedule]") {
  ir::IRBuilder b("before");
  const ir::Buffer x = b.input("X", kFloat32, {4, 3}), s = b.temporary("S", kFloat32, {4}),
                   c = b.output("C", kFloat32, {4}), d = b.output("D", kFloat32, {4});
  const auto one = [&](const char* name, const ir::Var& i, const ir::Buffer& to,
                       const std::function<ir::Expr(const ir::Var&)>& value) {
    b.block(name, {{"vi", 4, i}},
            [&](const std::vector<ir::Var>& v) { b.store(to, {v[0]}, value(v[0])); });
  };
  b.loop("i", 4, [&](const ir::Var& i) {
    one("first", i, s, [&](const ir::Var& v) { return ir::load(x, {v, 0}); });
  });
  b.loop("i", 4, [&](const ir::Var& i) {
    one("C", i, c, [&](const ir::Var& v) { return ir::load(s, {v}); });
    b.loop("k", 3, [&](const ir::Var& k) {
      b.block("S", {{"vi", 4, i}, {"vk", 3, k, ir::IterKind::kReduce}},
              [&](const std::vector<ir::Var>& v) {
                b.update(ir::reducers::sum(kFloat32), {s}, {v[0]}, {ir::load(x, {v[0], v[1]})});
              });
    });
  });
  b.loop("i", 4, [&](const ir::Var& i) {
    one("D", i, d, [&](const ir::Var& v) { return ir::load(s, {v}); });
  });
  Schedule sch(b.finish());
  const std::vector<Loop> loops = loops_of(sch, "S");
  refusal(sch, "schedule.decompose_reduction.init_placement",
          [&](Schedule& t) { t.decompose_reduction(t.get_block("S"), loops[0]); });
  sch.decompose_reduction(sch.get_block("S"), loops[1]);
  check_schedule(sch);
}

}  // namespace tilewright::testing
