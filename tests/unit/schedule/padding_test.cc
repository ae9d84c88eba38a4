// reindex, pad_einsum and decompose_padding.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

// C[i, j] = reduce over k of A[i, k] (* B[k, j]); the sizes may be symbolic.
Program product(te::Expr m, te::Expr n, te::Expr k, std::vector<Sizes> sizes = {{}}) {
  te::Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  te::Tensor c = te::compute(
      {m, n}, [&](te::Var i, te::Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  te::Tensor d = te::compute(
      {m, n}, [&](te::Var i, te::Var j) { return c(i, j) + 1.0f; }, "D");
  Program result;
  result.func = te::create_prim_func({a, b, d}, "product");
  result.sizes = std::move(sizes);
  return result;
}

Program symbolic_product() {
  return product(te::var("m"), te::var("n"), te::var("k"),
                 {{{"m", 5}, {"n", 9}, {"k", 7}},
                  {{"m", 1}, {"n", 0}, {"k", 3}},
                  {{"m", 2}, {"n", 4}, {"k", 0}},
                  {{"m", 8}, {"n", 16}, {"k", 4}}});
}

}  // namespace

TEST_CASE("reindex: reads and writes, then scheduled further", "[schedule]") {
  for (const Program& program : {programs::depthwise(), programs::conv2d()}) {
    const bool conv = program.name == "conv2d";
    const char* name = conv ? "conv" : "depthwise";
    for (int variant = 0; variant < 5; ++variant) {
      INFO(program.name << variant);
      Schedule sch(program.func);
      const BlockRef block = sch.get_block(name);
      const std::vector<Loop> loops = sch.get_loops(block);
      if (variant == 1) sch.split_factor(loops[2], 3);
      const BlockRef data = sch.reindex(block, conv ? "pad" : "data");
      if (variant >= 2) sch.reindex(block, name);
      if (variant == 3) {
        sch.compute_at(data, loops[1]);
        sch.transform_layout(block, "(n, c, h, w) -> (n, h, w, c)");
        sch.parallel(loops[1]);
      }
      if (variant == 4) {
        const std::vector<Loop> w = sch.split_factor(loops[3], 4);
        sch.compute_at(data, w[0]);
        sch.vectorize(w[1]);
        sch.decompose_reduction(block, loops[4]);
      }
      check_schedule(sch, program);
    }
  }
}

TEST_CASE("reindex: conditions, masks, data-dependent and symbolic indices", "[schedule]") {
  te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor p = te::compute(
      {n + 3}, [&](te::Var i) { return te::if_then_else(i >= 2 && i < n + 2, a(i - 2), 7.0f); },
      "P");
  te::Tensor q = te::compute(
      {n}, [&](te::Var i) { return p(i) + p(i); }, "Q");
  const ir::PrimFunc func = te::create_prim_func({a, q}, "shifted");
  const std::vector<Sizes> sizes = {{{"n", 6}}, {{"n", 1}}, {{"n", 0}}};
  for (const char* tail : {"guard", "peel"}) {
    Schedule sch(func);
    const BlockRef block = sch.get_block("P");
    sch.split_factor(sch.get_loops(block)[0], 4, tail);
    sch.reindex(block, "A");
    sch.reindex(sch.get_block("Q"), "P");
    sch.reindex(block, "P");
    check_schedule(sch, sizes);
  }
  const Program triangle = programs::triangular_sum();
  Schedule masked(triangle.func);
  masked.reindex(masked.get_block("lower"), "A");
  masked.reindex(masked.get_block("lower"), "lower");
  check_schedule(masked, triangle);
}

TEST_CASE("reindex: what is refused", "[schedule]") {
  const Program stencil = programs::stencil();
  Schedule sch(stencil.func);
  const BlockRef x = sch.get_block("blur_x");
  refusal(sch, "schedule.reindex.access", [&](Schedule& s) { s.reindex(x, "A"); });
  refusal(sch, "schedule.reindex.unknown_buffer", [&](Schedule& s) { s.reindex(x, "B"); });
  const Program best = programs::argmax();
  Schedule tuple(best.func);
  const std::string written = tuple.func()->params[1].buffer->name;
  const BlockRef both = tuple.get_block("argmax");
  refusal(tuple, "schedule.reindex.several_outputs",
          [&](Schedule& s) { s.reindex(both, written); });
  const Program program = product(4, 5, 6);
  Schedule moved(program.func);
  const BlockRef c = moved.get_block("C"), d = moved.get_block("D");
  const std::vector<Loop> loops = moved.get_loops(c);
  Schedule decomposed = moved;
  moved.reverse_compute_at(d, loops[0]);
  refusal(moved, "schedule.reindex.shared_loops", [&](Schedule& s) { s.reindex(d, "C"); });
  refusal(moved, "schedule.reindex.shared_loops", [&](Schedule& s) { s.reindex(c, "C"); });
  decomposed.decompose_reduction(c, loops[2]);
  refusal(decomposed, "schedule.reindex.several_writers", [&](Schedule& s) { s.reindex(c, "C"); });
}

TEST_CASE("pad_einsum: constant and symbolic sizes, then tiled without conditions", "[schedule]") {
  struct Padding {
    std::vector<Int> multiples;
  };
  for (const Padding& padding : {Padding{{4, 8, 4}}, Padding{{1, 1, 5}}, Padding{{3, 1, 1}},
                                 Padding{{1, 16, 1}}, Padding{{1, 1, 1}}}) {
    for (int variant = 0; variant < 3; ++variant) {
      for (const Program& program : {product(10, 9, 7), symbolic_product()}) {
        Schedule sch(program.func);
        const BlockRef block = sch.get_block("C");
        sch.pad_einsum(block, padding.multiples);
        const std::vector<Loop> loops = sch.get_loops(block);
        if (variant > 0) {
          const std::vector<Loop> i = sch.split_factor(loops[0], 4),
                                  j = sch.split_factor(loops[1], 8, "peel"),
                                  k = sch.split_factor(loops[2], 4);
          sch.reorder({i[0], j[0], k[0], i[1], k[1], j[1]});
          sch.vectorize(j[1]);
          if (variant == 2) sch.rfactor(k[1]);
        }
        check_schedule(sch, program);
      }
    }
  }
}

TEST_CASE("pad_einsum: other reducers, masks, batches and integers", "[schedule]") {
  for (const Program& program :
       {programs::int8_dot(), programs::batched_matmul(), programs::mixed_precision()}) {
    Schedule sch(program.func);
    const BlockRef block = sch.get_block("C");
    std::vector<Int> padding(sch.get_loops(block).size(), Int(6));
    sch.pad_einsum(block, padding);
    sch.parallel(sch.get_loops(block)[0]);
    check_schedule(sch, program);
  }
  te::Tensor a = te::placeholder({5, 10}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(10, "k");
  for (int which = 0; which < 4; ++which) {
    te::Tensor c = te::compute(
        {5},
        [&](te::Var i) {
          if (which == 0) return te::max(a(i, k), {k});
          if (which == 1) return te::min(a(i, k), {k});
          if (which == 2) return te::prod(a(i, k), {k});
          return te::sum(a(i, k), {k}, k <= i);
        },
        "C");
    Schedule sch(te::create_prim_func({a, c}));
    sch.pad_einsum(sch.get_block("C"), {4, 4});
    check_schedule(sch, std::vector<Sizes>{{}}, which == 2 ? 1e-5 : 0);
  }
  // The term of a padded lane would be 2 or 3, no zero.
  te::Tensor d = te::compute(
      {5}, [&](te::Var i) { return te::sum(a(i, k) + 2.0f, {k}); }, "C");
  Schedule sch(te::create_prim_func({a, d}));
  const BlockRef block = sch.get_block("C");
  refusal(sch, "schedule.pad_einsum.not_neutral", [&](Schedule& s) {
    s.pad_einsum(block, {1, 4});
  });
  sch.pad_einsum(block, {4, 1});
  check_schedule(sch);
}

TEST_CASE("pad_einsum: what is refused", "[schedule]") {
  const Program program = product(10, 9, 7);
  Schedule sch(program.func);
  const BlockRef block = sch.get_block("C");
  const std::vector<Loop> loops = sch.get_loops(block);
  refusal(sch, "schedule.pad_einsum.padding", [&](Schedule& s) { s.pad_einsum(block, {4, 4}); });
  refusal(sch, "schedule.pad_einsum.padding", [&](Schedule& s) { s.pad_einsum(block, {4, 0, 4}); });
  Schedule decomposed = sch;
  decomposed.decompose_reduction(block, loops[2]);
  refusal(decomposed, "schedule.pad_einsum.several_writers", [&](Schedule& s) {
    s.pad_einsum(block, {4, 4, 4});
  });
  Schedule moved = sch;
  moved.reverse_compute_at(moved.get_block("D"), loops[0]);
  refusal(moved, "schedule.pad_einsum.bound_loops", [&](Schedule& s) {
    s.pad_einsum(block, {4, 1, 1});
  });
  refusal(moved, "schedule.pad_einsum.shared_loops", [&](Schedule& s) {
    s.pad_einsum(block, {1, 4, 1});
  });
  sch.split_factor(loops[0], 4);
  refusal(sch, "schedule.pad_einsum.bound_loops", [&](Schedule& s) {
    s.pad_einsum(block, {4, 4, 4});
  });
  const Program conv = programs::depthwise();
  Schedule window(conv.func);
  const BlockRef reader = window.get_block("depthwise");
  refusal(window, "schedule.pad_einsum.access", [&](Schedule& s) {
    s.pad_einsum(reader, {1, 1, 3, 1, 1, 1});
  });
}

TEST_CASE("decompose_padding: at every loop, scheduled before and after", "[schedule]") {
  const Program conv = programs::conv2d();
  for (size_t place = 0; place < 4; ++place) {
    for (int variant = 0; variant < 5; ++variant) {
      INFO(place << " " << variant);
      Schedule sch(conv.func);
      const BlockRef block = sch.get_block("pad");
      if (variant == 1) sch.split_factor(sch.get_loops(block)[3], 4, "peel");
      if (variant == 2) sch.parallel(sch.get_loops(block)[1]);
      if (variant == 3) sch.compute_at(block, loops_of(sch, "conv")[2]);
      const Loop at = sch.get_loops(block)[variant == 3 ? 2 + place : place];
      const BlockRef fill = sch.decompose_padding(block, at);
      if (variant == 4) {
        sch.vectorize(sch.get_loops(fill).back());
        sch.split_factor(sch.get_loops(block)[3], 4);
      }
      check_schedule(sch, conv);
    }
  }
}

TEST_CASE("decompose_padding: select, negated and symbolic; what is refused", "[schedule]") {
  te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor p = te::compute(
      {n + 4},
      [&](te::Var i) { return te::if_then_else(i < 2 || i >= n + 2, -3.0f, a(i - 2) * 2.0f); },
      "P");
  te::Tensor q = te::compute(
      {n}, [&](te::Var i) { return p(i) + p(i + 4) + p(i + 2); }, "Q");
  const std::vector<Sizes> sizes = {{{"n", 6}}, {{"n", 1}}, {{"n", 0}}};
  Schedule sch(te::create_prim_func({a, q}, "padded"));
  const BlockRef block = sch.get_block("P"), last = sch.get_block("Q");
  const Loop loop = sch.get_loops(block)[0], other = sch.get_loops(last)[0];
  refusal(sch, "schedule.decompose_padding.not_around",
          [&](Schedule& s) { s.decompose_padding(block, other); });
  refusal(sch, "schedule.decompose_padding.not_a_padding",
          [&](Schedule& s) { s.decompose_padding(last, other); });
  Schedule tiled = sch;
  const std::vector<Loop> i = tiled.split_factor(tiled.get_loops(last)[0], 4);
  tiled.compute_at(block, i[0]);
  tiled.decompose_padding(block, tiled.get_loops(block)[1]);
  check_schedule(tiled, sizes);
  sch.decompose_padding(block, loop);
  check_schedule(sch, sizes);
  refusal(sch, "schedule.decompose_padding.several_writers",
          [&](Schedule& s) { s.decompose_padding(block, loop); });
}

}  // namespace tilewright::testing
