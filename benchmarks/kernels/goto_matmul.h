#pragma once

#include <algorithm>
#include <vector>

#include "tilewright/schedule/composite.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"
#include "tilewright/te/te.h"

/// \file
/// Matrix multiplication scheduled by hand, with te and primitives alone, for any M, N and K: the nest of Goto and
/// van de Geijn ("Anatomy of high-performance matrix multiplication", ACM TOMS 2008). The golden program, its test
/// and the benchmark share it.

namespace tilewright::kernels {

/// C[m, n] = A[m, k] * B[k, n] in float32. Sizes are constants or symbolic.
inline ir::PrimFunc matmul_program(const te::Expr& m, const te::Expr& n, const te::Expr& k) {
  te::Tensor a = te::placeholder({m, k}, kFloat32, "A");
  te::Tensor b = te::placeholder({k, n}, kFloat32, "B");
  te::ReduceAxis rk = te::reduce_axis(k, "k");
  te::Tensor c = te::compute(
      {m, n}, [&](te::Var i, te::Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return te::create_prim_func({a, b, c}, "goto_matmul");
}

/// The numbers of the nest: a register tile of mr x (vectors * lanes), mc x kc of A in the second-level cache,
/// kc x nc of B in the third.
struct GotoBlocking {
  int64_t mr = 6, vectors = 2, lanes = 8;
  int64_t row_tiles = 16;     // mc = 96
  int64_t column_tiles = 64;  // nc = 1024
  int64_t kc = 384;
  int64_t nr() const { return vectors * lanes; }
};

/// The numbers for a machine and a shape: the tile that leaves room for a row of B and one broadcast element of A in
/// the registers (6x16 with 16 of 8 lanes, 14x32 with 32 of 16), panels of k of equal depth, no more tiles of
/// columns than there are.
inline GotoBlocking goto_blocking(const Target& target, int64_t n, int64_t k) {
  const auto ceil_div = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  constexpr int64_t kDeepest = 512;
  GotoBlocking b;
  b.lanes = target.vector_lanes(32);
  b.mr = std::max<int64_t>(1, (target.vector_registers - 1 - b.vectors) / b.vectors);
  b.column_tiles = std::clamp<int64_t>(ceil_div(n, b.nr()), 1, 32);
  b.kc = std::max<int64_t>(1, ceil_div(k, std::max<int64_t>(1, ceil_div(k, kDeepest))));
  return b;
}

inline schedule::Schedule goto_matmul(const ir::PrimFunc& func, const GotoBlocking& b = {}) {
  using schedule::BlockRef;
  using schedule::Loop;
  schedule::Schedule sch(func);
  const BlockRef c = sch.get_block("C");
  const std::vector<Loop> loops = sch.get_loops(c);

  // The five loops around the micro-kernel.
  const std::vector<Loop> i = sch.split(loops[0], {std::nullopt, b.row_tiles, b.mr});
  const std::vector<Loop> j =
      sch.split(loops[1], {std::nullopt, b.column_tiles, b.vectors, b.lanes});
  const std::vector<Loop> k = sch.split(loops[2], {std::nullopt, b.kc});
  sch.reorder({j[0], k[0], i[0], j[1], i[1], k[1], i[2], j[2], j[3]});

  // One partial result for each panel of k: made in registers, added to C.
  const BlockRef partial = sch.rfactor(k[0]);
  const std::vector<Loop> o = sch.get_loops(c);  // j0, i0, j1, i1, i2, j2, j3, k0
  sch.reorder({o[0], o[7], o[1], o[2], o[3], o[4], o[5], o[6]});

  // Panels in the order in which the micro-kernel reads them, rounded up to whole tiles with zeros.
  const BlockRef panel_b = sch.pack(
      partial, "B", fmt::format("(k, n) -> (n // {0}, k, n % {0})", b.nr()), {{1, b.nr()}});
  const BlockRef panel_a =
      sch.pack(partial, "A", fmt::format("(m, k) -> (m // {0}, k, m % {0})", b.mr), {{0, b.mr}});

  // The micro-kernel: mr x vectors accumulators, k outside the tile.
  sch.compute_at(partial, o[3], "pad");
  sch.set_scope(partial, "register");
  const std::vector<Loop> tile = sch.get_loops(partial);
  const size_t n = tile.size();  // ..., i, j, k0, k
  sch.reorder({tile[n - 1], tile[n - 2], tile[n - 4], tile[n - 3]});
  schedule::unroll_tile(sch, tile[n - 4], tile[n - 3], b.lanes);
  sch.unroll(o[4]);
  sch.unroll(o[5]);
  sch.vectorize(o[6]);

  // A is packed tile by tile, B row by row: whole rows are read in order.
  sch.compute_at(panel_a, o[1]);
  const std::vector<Loop> pa = sch.get_loops(panel_a);  // ..., m, k
  const std::vector<Loop> rows = sch.split_factor(pa[pa.size() - 2], b.mr);
  sch.reorder({rows[0], pa.back(), rows[1]});
  sch.unroll(rows[1]);
  sch.compute_at(panel_b, o[7]);
  const std::vector<Loop> pb = sch.get_loops(panel_b);  // ..., k, n
  const std::vector<Loop> columns = sch.split_factor(pb.back(), b.lanes);
  sch.vectorize(columns[1]);
  return sch;
}

}  // namespace tilewright::kernels
