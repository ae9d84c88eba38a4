#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/ops.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing {

/// Random well-formed functions (they pass `verify`) that use every node kind of their level, odd
/// names and odd constants. They mean nothing.
class RandomIr {
 public:
  explicit RandomIr(uint64_t seed) : rng_(seed) {}
  ir::PrimFunc func(ir::Level level);
  /// An expression over the variables `scope` without loads.
  ir::Expr closed_expr(DType dtype, const std::vector<ir::Var>& scope, int depth);

 private:
  using Level = ir::Level;
  bool chance(int percent) { return rng_.below(100) < static_cast<uint64_t>(percent); }
  template <typename T>
  const T& pick(const std::vector<T>& list) {
    return list[rng_.below(list.size())];
  }
  std::string name();
  DType scalar_type();
  ir::Attrs attrs();

  ir::Expr expr(DType dtype, int depth);
  ir::Expr leaf(DType dtype);
  ir::Expr constant(DType dtype);
  ir::Expr vector_expr(DType dtype, int depth);
  ir::Expr number_expr(DType dtype, int depth);
  ir::Expr float_expr(DType dtype, int depth);
  ir::Expr int_expr(DType dtype, int depth);
  ir::Expr bool_expr(int depth, int lanes);
  ir::Expr load_of(const ir::Buffer& buffer, int lanes, int depth);
  std::vector<ir::Expr> indices(const ir::Buffer& buffer, int lanes, int depth);
  ir::Expr index(int depth) { return expr(chance(80) ? kInt64 : kInt32, depth); }

  ir::Stmt stmt(int depth);
  ir::Stmt loop(int depth);
  ir::Stmt stmts(int depth);
  ir::Stmt store_to(const ir::Buffer& buffer);
  ir::Stmt flat_leaf();
  ir::Stmt block();
  std::vector<ir::IterVar> iter_vars(bool reduces);
  std::vector<ir::Conjunct> guard();
  ir::Stmt update(const ir::Reducer& how, std::vector<ir::Buffer>& targets, ir::Stmt& init);
  std::vector<ir::Region> reads_of(const ir::Stmt& body);
  ir::Reducer reducer();
  ir::Buffer buffer(DType dtype, ir::Scope scope, bool any_shape);
  ir::Layout layout(const std::vector<ir::Expr>& shape);
  std::vector<ir::Buffer> writable_of(DType dtype, int rank);

  Rng rng_;
  Level level_ = Level::kScheduled;
  std::vector<ir::Var> scope_;
  std::vector<ir::Var> scalars_;
  std::vector<ir::Buffer> readable_, writable_;
  std::vector<ir::Reducer> reducers_;
  std::vector<int64_t> loop_ids_;
  int64_t next_id_ = 0;
};

}  // namespace tilewright::testing
