#include "tuner/api/probe_kernels.h"

#include "tilewright/schedule/composite.h"
#include "tilewright/te/te.h"

namespace tilewright::tuner {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

// The reduction outside of a tile that stays in registers from its first term to its last.
//   for s: for v: for l: for k: B[…] += …   ->   for s: for k: unrolled v: vectorized l: B_register[…] += …
//                                                     unrolled v: vectorized l: B[…] = B_register[…]
void keep_tile_in_registers(Schedule& sch, BlockRef block) {
  const std::vector<Loop> loops = sch.get_loops(block);
  const Loop outer = loops[0], reduced = loops.back();
  const std::vector<Loop> tile(loops.begin() + 1, loops.end() - 1);
  std::vector<Loop> order{outer, reduced};
  order.insert(order.end(), tile.begin(), tile.end());
  sch.reorder(order);
  const BlockRef copy = schedule::accumulate_in_registers(sch, block, outer);
  std::vector<Loop> copied = sch.get_loops(copy);
  copied.erase(copied.begin());
  for (const std::vector<Loop>& nest : {tile, copied}) {
    for (size_t i = 0; i + 1 < nest.size(); ++i) sch.unroll(nest[i]);
    sch.vectorize(nest.back());
  }
}

CompiledKernel multiply_adds(const Target& target, int64_t lanes) {
  using K = ProbeKernels;
  const te::Tensor a = te::placeholder({K::kDepth, K::kRows}, kFloat32, "A");
  const te::Tensor b = te::placeholder({K::kDepth, K::kColumnVectors, lanes}, kFloat32, "B");
  const te::ReduceAxis k = te::reduce_axis({0, K::kDepth}, "k");
  const te::Tensor c = te::compute(
      {K::kRepeats, K::kRows, K::kColumnVectors, lanes},
      [&](te::Var, te::Var i, te::Var v, te::Var l) { return te::sum(a(k, i) * b(k, v, l), k); },
      "C");
  Schedule sch(te::create_prim_func({a, b, c}, "probe_multiply_adds"));
  keep_tile_in_registers(sch, sch.get_block("C"));
  return build(sch, target);
}

CompiledKernel sweep(const Target& target, int64_t lanes, bool parallel) {
  const te::Var slices = te::size_var("slices"), n = te::size_var("n");
  const te::Tensor a =
      te::placeholder({slices, n, ProbeKernels::kSweepVectors, lanes}, kFloat32, "A");
  const te::ReduceAxis k = te::reduce_axis({0, n}, "k");
  const te::Tensor b = te::compute(
      {slices, ProbeKernels::kSweepVectors, lanes},
      [&](te::Var s, te::Var v, te::Var l) { return te::sum(a(s, k, v, l), k); }, "B");
  Schedule sch(te::create_prim_func({a, b}, "probe_sweep"));
  const BlockRef block = sch.get_block("B");
  const Loop outer = sch.get_loops(block)[0];
  keep_tile_in_registers(sch, block);
  if (parallel) sch.parallel(outer);
  return build(sch, target);
}

CompiledKernel loop(const Target& target, bool parallel) {
  const te::Var n = te::size_var("n");
  const te::Tensor x = te::placeholder({n}, kFloat32, "X");
  const te::Tensor y = te::compute(
      {n}, [&](te::Var i) { return x(i) + x(i); }, "Y");
  Schedule sch(te::create_prim_func({x, y}, "probe_loop"));
  if (parallel) sch.parallel(sch.get_loops(sch.get_block("Y"))[0]);
  return build(sch, target);
}

}  // namespace

ProbeKernels make_probe_kernels(const Target& target) {
  const int64_t lanes = target.vector_lanes(32);
  return {multiply_adds(target, lanes), sweep(target, lanes, false), sweep(target, lanes, true),
          loop(target, false), loop(target, true)};
}

}  // namespace tilewright::tuner
