#pragma once

#include "tilewright/ir/ops.h"

namespace tilewright::testing {

/// C[i, j] = sum over k of A[i, k] * B[k, j] with symbolic m, a guarded row split and an intermediate
/// buffer T that lives in the row loop. The pieces are exchangeable, to plant faults.
struct SampleMatmul {
  ir::Var m{"m"}, io{"io"}, ii{"ii"}, j{"j"}, k{"k"};
  ir::Var vi{"vi"}, vj{"vj"}, vk{"vk"};
  ir::Buffer a = ir::make_buffer("A", kFloat32, {m, 64});
  ir::Buffer b = ir::make_buffer("B", kFloat32, {64, 32});
  ir::Buffer c = ir::make_buffer("C", kFloat32, {m, 32});
  std::vector<ir::Param> params{{a, {}, ir::ParamRole::kInput},
                                {b, {}, ir::ParamRole::kInput},
                                {c, {}, ir::ParamRole::kOutput},
                                {{}, m, ir::ParamRole::kShape}};
  std::vector<ir::Expr> assumptions{m >= 1};
  std::vector<ir::Buffer> allocs;
  ir::Reducer reducer = ir::reducers::sum(kFloat32);
  std::vector<ir::Region> reads{region(a, {vi, vk}), region(b, {vk, vj})};
  std::vector<ir::Region> writes{region(c, {vi, vj})};
  std::vector<ir::IterVar> iters{
      {vi, {ir::make_int(kInt64, 0), m}, ir::IterKind::kSpatial},
      {vj, {ir::make_int(kInt64, 0), ir::make_int(kInt64, 32)}, ir::IterKind::kSpatial},
      {vk, {ir::make_int(kInt64, 0), ir::make_int(kInt64, 64)}, ir::IterKind::kReduce}};
  std::vector<ir::Expr> values{io * 8 + ii, j, k};
  std::vector<ir::Conjunct> guard{{io * 8 + ii < m, 1, ir::Tail::kGuard}};
  ir::Expr where;
  ir::Stmt init = ir::store(c, {vi, vj}, 0);
  ir::Stmt body = ir::Stmt(
      new ir::UpdateNode(reducer, {c}, {vi, vj}, {ir::load(a, {vi, vk}) * ir::load(b, {vk, vj})}));
  int64_t block_id = 5;
  ir::ForKind row_kind = ir::ForKind::kParallel;

  static ir::Region region(const ir::Buffer& buffer, std::vector<ir::Expr> at) {
    ir::Region result{buffer, {}};
    for (ir::Expr& e : at) result.ranges.push_back({e, ir::make_int(kInt64, 1)});
    return result;
  }
  ir::Stmt realize() const {
    ir::Block block(new ir::BlockNode(block_id, "C", ir::BlockKind::kCompute, iters, where, reads,
                                      writes, reducer, init, body, {}, "C"));
    return ir::Stmt(new ir::BlockRealizeNode(values, guard, block));
  }
  ir::Stmt nest(ir::Stmt inner) const {
    inner = ir::make_for(4, k, 64, std::move(inner));
    inner = ir::make_for(3, j, 32, std::move(inner), ir::ForKind::kVectorized);
    inner = ir::make_for(2, ii, 8, std::move(inner));
    return ir::make_for(1, io, ir::ceil_div(m, 8), std::move(inner), row_kind);
  }
  ir::PrimFunc func(ir::Stmt whole, ir::Level level = ir::Level::kScheduled) const {
    return ir::PrimFunc(
        new ir::PrimFuncNode("matmul", params, assumptions, allocs, std::move(whole), level, {}));
  }
  ir::PrimFunc func() const { return func(nest(realize())); }
};

}  // namespace tilewright::testing
