#pragma once

#include "tilewright/ir/builder.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/te.h"

/// \file
/// Programs and instructions that several tests of schedules need.

namespace tilewright::testing {

/// T[i] = X[i] is made by iteration i; Y[i] reads it there, and Y[i + 1] in the next one.
inline ir::PrimFunc flow() {
  ir::IRBuilder builder("flow");
  ir::Buffer x = builder.input("X", kFloat32, {8}), y = builder.output("Y", kFloat32, {8});
  ir::Buffer t = builder.temporary("T", kFloat32, {8});
  builder.loop("i", 8, [&](const ir::Var& i) {
    builder.block("T", {{"vi", 8, i}}, [&](const std::vector<ir::Var>& v) {
      builder.store(t, {v[0]}, ir::load(x, {v[0]}));
    });
    builder.block("Y", {{"vi", 8, i}}, [&](const std::vector<ir::Var>& v) {
      builder.store(y, {v[0]},
                    ir::load(t, {v[0]}) +
                        ir::if_then_else(v[0] > 0, ir::load(t, {ir::max(v[0] - 1, 0)}), 0.0f));
    });
  });
  return builder.finish();
}

/// Row of 16, f32: C[0, j] += A[0, 0] * B[0, j], times `factor` in the implementation.
inline schedule::TensorInstruction fma_row(float factor = 1) {
  te::Tensor a = te::placeholder({1, 1}, kFloat32, "A"),
             b = te::placeholder({1, 16}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(1, "k");
  te::Tensor c = te::compute(
      {1, 16}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  ir::IRBuilder builder("fma_row_code");
  ir::Buffer x = builder.input("X", kFloat32, {1, 1}), y = builder.input("Y", kFloat32, {1, 16}),
             z = builder.inout("Z", kFloat32, {1, 16});
  builder.loop(
      "l", 16,
      [&](const ir::Var& l) {
        builder.block("Z", {{"vl", 16, l}}, [&](const std::vector<ir::Var>& v) {
          builder.store(z, {0, v[0]},
                        ir::load(z, {0, v[0]}) +
                            ir::load(x, {0, 0}) * ir::load(y, {0, v[0]}) * ir::Expr(factor));
        });
      },
      ir::ForKind::kVectorized);
  return {"fma_row", te::create_prim_func({a, b, c}, "fma_row"), builder.finish()};
}

}  // namespace tilewright::testing
