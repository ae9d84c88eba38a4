#pragma once

#include <functional>
#include <string>
#include <vector>

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
