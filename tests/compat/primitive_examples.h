#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/ir/builder.h"
#include "tilewright/ir/ops.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/te.h"

/// \file
/// One small schedule for each primitive. The reference table shows them before and after, the traces frozen in
/// tests/compat come from them, and printed traces are tried on them.

namespace tilewright::testing {

/// A program, the steps that come first, and then one primitive.
struct PrimitiveExample {
  using Step = std::function<void(schedule::Schedule&)>;
  std::string primitive;
  ir::PrimFunc (*program)();
  /// Runs what comes first and gives the step that is the example.
  Step (*prepare)(schedule::Schedule&);
};

namespace examples {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;
using Step = PrimitiveExample::Step;
using te::Tensor;
using te::Var;

// B[i, j] = A[i, j] * 2; C[i, j] = B[i, j] + 1.
inline ir::PrimFunc chain() {
  Tensor a = te::placeholder({8, 12}, kFloat32, "A");
  Tensor b = te::compute(
      {8, 12}, [&](Var i, Var j) { return a(i, j) * 2.0f; }, "B");
  Tensor c = te::compute(
      {8, 12}, [&](Var i, Var j) { return b(i, j) + 1.0f; }, "C");
  return te::create_prim_func({a, c}, "chain");
}

// C[i] = A[i] + 1 for a symbolic n.
inline ir::PrimFunc add_one() {
  const Var n = te::var("n");
  Tensor a = te::placeholder({n}, kFloat32, "A");
  Tensor c = te::compute(
      {n}, [&](Var i) { return a(i) + 1.0f; }, "C");
  return te::create_prim_func({a, c}, "add_one");
}

// B[i] = sum of A[i, k].
inline ir::PrimFunc row_sum() {
  Tensor a = te::placeholder({6, 20}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(20, "k");
  Tensor b = te::compute(
      {6}, [&](Var i) { return te::sum(a(i, k), {k}); }, "B");
  return te::create_prim_func({a, b}, "row_sum");
}

inline ir::PrimFunc matmul() {
  Tensor a = te::placeholder({10, 9}, kFloat32, "A"), b = te::placeholder({9, 20}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(9, "k");
  Tensor c = te::compute(
      {10, 20}, [&](Var i, Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  return te::create_prim_func({a, b, c}, "matmul");
}

// B[i] = sum of A[2 i + k].
inline ir::PrimFunc strided_sum() {
  Tensor a = te::placeholder({13}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(3, "k");
  Tensor b = te::compute(
      {6}, [&](Var i) { return te::sum(a(i * 2 + k), {k}); }, "B");
  return te::create_prim_func({a, b}, "strided_sum");
}

// C[y] = B[y] + B[y + 1] + B[y + 2].
inline ir::PrimFunc window() {
  Tensor a = te::placeholder({12}, kFloat32, "A");
  Tensor b = te::compute(
      {12}, [&](Var y) { return a(y) * 2.0f; }, "B");
  Tensor c = te::compute(
      {10}, [&](Var y) { return b(y) + b(y + 1) + b(y + 2); }, "C");
  return te::create_prim_func({a, c}, "window");
}

// P is A with a zero on both sides, B[i] = P[i] + P[i + 2].
inline ir::PrimFunc padded() {
  Tensor a = te::placeholder({8}, kFloat32, "A");
  Tensor p = te::compute(
      {10}, [&](Var i) { return ir::if_then_else(i >= 1 && i < 9, a(i - 1), 0.0f); }, "P");
  Tensor b = te::compute(
      {8}, [&](Var i) { return p(i) + p(i + 2); }, "B");
  return te::create_prim_func({a, b}, "padded");
}

// C[i, j] = sum of A[i, k] * B[k, j] with rows of 16.
inline ir::PrimFunc matmul_16() {
  Tensor a = te::placeholder({4, 9}, kFloat32, "A"), b = te::placeholder({9, 16}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(9, "k");
  Tensor c = te::compute(
      {4, 16}, [&](Var i, Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  return te::create_prim_func({a, b, c}, "matmul_16");
}

// One row of 16: C[0, j] += A[0, 0] * B[0, j].
inline schedule::TensorInstruction fma_row() {
  Tensor a = te::placeholder({1, 1}, kFloat32, "A"), b = te::placeholder({1, 16}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(1, "k");
  Tensor c = te::compute(
      {1, 16}, [&](Var i, Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  ir::IRBuilder builder("fma_row_code");
  const ir::Buffer x = builder.input("X", kFloat32, {1, 1}),
                   y = builder.input("Y", kFloat32, {1, 16}),
                   z = builder.inout("Z", kFloat32, {1, 16});
  builder.loop(
      "l", 16,
      [&](const ir::Var& l) {
        builder.block("Z", {{"vl", 16, l}}, [&](const std::vector<ir::Var>& v) {
          builder.store(z, {0, v[0]},
                        ir::load(z, {0, v[0]}) + ir::load(x, {0, 0}) * ir::load(y, {0, v[0]}));
        });
      },
      ir::ForKind::kVectorized);
  return {"fma_row", te::create_prim_func({a, b, c}, "fma_row"), builder.finish()};
}

inline std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

}  // namespace examples

/// In the order of the table of primitives.
inline std::vector<PrimitiveExample> primitive_examples() {
  using namespace examples;
  return {
      {"get_block", chain, [](Schedule&) -> Step { return [](Schedule& s) { s.get_block("C"); }; }},
      {"get_loops", chain,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         return [=](Schedule& s) { s.get_loops(c); };
       }},
      {"split", add_one,
       [](Schedule& sch) -> Step {
         const Loop i = loops_of(sch, "C")[0];
         return [=](Schedule& s) { s.split_factor(i, 32); };
       }},
      {"fuse", chain,
       [](Schedule& sch) -> Step {
         const std::vector<Loop> c = loops_of(sch, "C");
         return [=](Schedule& s) { s.fuse({c[0], c[1]}); };
       }},
      {"reorder", matmul,
       [](Schedule& sch) -> Step {
         const std::vector<Loop> c = loops_of(sch, "C");
         return [=](Schedule& s) { s.reorder({c[2], c[0]}); };
       }},
      {"unroll", row_sum,
       [](Schedule& sch) -> Step {
         const Loop i = loops_of(sch, "B")[0];
         return [=](Schedule& s) { s.unroll(i); };
       }},
      {"vectorize", chain,
       [](Schedule& sch) -> Step {
         const Loop inner = sch.split_factor(loops_of(sch, "C")[1], 8)[1];
         return [=](Schedule& s) { s.vectorize(inner); };
       }},
      {"parallel", chain,
       [](Schedule& sch) -> Step {
         const Loop i = loops_of(sch, "C")[0];
         return [=](Schedule& s) { s.parallel(i, "dynamic", 2); };
       }},
      {"loop_partition", add_one,
       [](Schedule& sch) -> Step {
         const Loop i = loops_of(sch, "C")[0];
         return [=](Schedule& s) { s.loop_partition(i, {1, std::nullopt, 1}); };
       }},
      {"specialize", add_one,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         sch.split_factor(sch.get_loops(c)[0], 8);
         return [=](Schedule& s) { s.specialize(c, "n % 8 == 0"); };
       }},
      {"merge", chain,
       [](Schedule& sch) -> Step {
         const Loop b = loops_of(sch, "B")[0], c = loops_of(sch, "C")[0];
         return [=](Schedule& s) { s.merge({b, c}); };
       }},
      {"add_unit_loop", row_sum,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.add_unit_loop(b); };
       }},
      {"compute_at", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         const Loop i = loops_of(sch, "C")[0];
         return [=](Schedule& s) { s.compute_at(b, i); };
       }},
      {"reverse_compute_at", chain,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         const Loop i = loops_of(sch, "B")[0];
         return [=](Schedule& s) { s.reverse_compute_at(c, i); };
       }},
      {"compute_inline", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.compute_inline(b); };
       }},
      {"reverse_compute_inline", chain,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         return [=](Schedule& s) { s.reverse_compute_inline(c); };
       }},
      {"compute_with", chain,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         const Loop j = loops_of(sch, "B")[1];
         return [=](Schedule& s) { s.compute_with(c, j); };
       }},
      {"decompose_reduction", row_sum,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         const Loop k = sch.get_loops(b)[1];
         return [=](Schedule& s) { s.decompose_reduction(b, k); };
       }},
      {"rfactor", row_sum,
       [](Schedule& sch) -> Step {
         const Loop inner = sch.split_factor(loops_of(sch, "B")[1], 4)[1];
         return [=](Schedule& s) { s.rfactor(inner); };
       }},
      {"blockize", row_sum,
       [](Schedule& sch) -> Step {
         const Loop k = loops_of(sch, "B")[1];
         return [=](Schedule& s) { s.blockize(k); };
       }},
      {"tensorize", matmul_16,
       [](Schedule& sch) -> Step {
         sch.declare_instruction(fma_row());
         const BlockRef c = sch.get_block("C");
         const std::vector<Loop> l = sch.get_loops(c);
         sch.reorder({l[2], l[1]});
         sch.decompose_reduction(c, l[2]);
         return [=](Schedule& s) { s.tensorize(l[1], "fma_row"); };
       }},
      {"cache_read", chain,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         return [=](Schedule& s) { s.cache_read(c, "B", "local"); };
       }},
      {"cache_write", row_sum,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.cache_write(b, "local"); };
       }},
      {"set_scope", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.set_scope(b, "local"); };
       }},
      {"transform_layout", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.transform_layout(b, "(m, n) -> (n // 4, m, n % 4)"); };
       }},
      {"pack", matmul,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         return [=](Schedule& s) { s.pack(c, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}}); };
       }},
      {"store_at", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         const std::vector<Loop> c = loops_of(sch, "C");
         sch.compute_at(b, c[1]);
         return [=](Schedule& s) { s.store_at(b, c[0]); };
       }},
      {"storage_align", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.storage_align(b, 0, 8, 4); };
       }},
      {"reindex", strided_sum,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.reindex(b, "A"); };
       }},
      {"pad_einsum", matmul,
       [](Schedule& sch) -> Step {
         const BlockRef c = sch.get_block("C");
         return [=](Schedule& s) { s.pad_einsum(c, {4, 16, 1}); };
       }},
      {"decompose_padding", padded,
       [](Schedule& sch) -> Step {
         const BlockRef p = sch.get_block("P");
         const Loop i = sch.get_loops(p)[0];
         return [=](Schedule& s) { s.decompose_padding(p, i); };
       }},
      {"rolling_buffer", window,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         sch.compute_at(b, loops_of(sch, "C")[0]);
         return [=](Schedule& s) { s.rolling_buffer(b); };
       }},
      {"double_buffer", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         sch.compute_at(b, loops_of(sch, "C")[0]);
         return [=](Schedule& s) { s.double_buffer(b); };
       }},
      {"software_pipeline", chain,
       [](Schedule& sch) -> Step {
         const Loop i = loops_of(sch, "C")[0];
         sch.compute_at(sch.get_block("B"), i);
         return [=](Schedule& s) { s.software_pipeline(i, {0, 1}); };
       }},
      {"prefetch", row_sum,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         const Loop i = sch.get_loops(b)[0];
         return [=](Schedule& s) { s.prefetch(b, "A", i, 2); };
       }},
      {"annotate", chain,
       [](Schedule& sch) -> Step {
         const Loop i = loops_of(sch, "C")[0];
         sch.parallel(i, "dynamic");
         return [=](Schedule& s) { s.annotate(i, "parallel_chunk", 4); };
       }},
      {"sample_perfect_tile", row_sum,
       [](Schedule& sch) -> Step {
         const Loop k = loops_of(sch, "B")[1];
         return [=](Schedule& s) {
           const std::vector<Int> tile = s.sample_perfect_tile(k, 2, 8, "tile_k");
           s.split(k, {tile[0], tile[1]});
         };
       }},
      {"sample_tile", row_sum,
       [](Schedule& sch) -> Step {
         const Loop k = loops_of(sch, "B")[1];
         return [=](Schedule& s) {
           const std::vector<Int> tile = s.sample_tile(k, 3, {2, 3, 6}, "tile_k");
           s.split(k, {std::nullopt, tile[1], tile[2]});
         };
       }},
      {"sample_compute_location", chain,
       [](Schedule& sch) -> Step {
         const BlockRef b = sch.get_block("B");
         return [=](Schedule& s) { s.sample_compute_location(b, "place_of_b"); };
       }},
      {"sample_categorical", row_sum,
       [](Schedule& sch) -> Step {
         const Loop k = loops_of(sch, "B")[1];
         return [=](Schedule& s) {
           s.split_factor(k, s.sample_categorical({4, 8}, {0.25, 0.75}, "width"));
         };
       }},
  };
}

/// The example's program after the steps that come first; `step` becomes the example itself.
inline schedule::Schedule prepare(const PrimitiveExample& example, PrimitiveExample::Step& step) {
  schedule::Schedule sch(example.program(), /*seed=*/1);
  step = example.prepare(sch);
  return sch;
}

}  // namespace tilewright::testing
