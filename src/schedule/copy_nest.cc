#include "schedule/copy_nest.h"

#include "schedule/block_rules.h"
#include "schedule/rewrite.h"
#include "tilewright/ir/ops.h"

namespace tilewright::schedule {

using namespace ir;

CopyNest make_box_nest(Invocation& in, const std::vector<Expr>& shape, const std::string& name,
                       std::string_view origin,
                       const std::function<Stmt(const std::vector<Expr>&)>& body) {
  std::vector<IterVar> iters;
  std::vector<NestLoop> loops;
  std::vector<Expr> indices, values;
  for (size_t d = 0; d < shape.size(); ++d) {
    Var iter(fmt::format("v{}", d), kInt64);
    Var loop_var(fmt::format("ax{}", d), kInt64);
    iters.push_back({iter, {make_int(kInt64, 0), shape[d]}, IterKind::kSpatial});
    loops.push_back({loop_var, shape[d], ForKind::kSerial, in.fresh_id()});
    indices.push_back(iter);
    values.push_back(loop_var);
  }
  int64_t id = in.fresh_id();
  Block block(new BlockNode(id, name, BlockKind::kCompute, iters, Expr(), {}, {}, Reducer(), Stmt(),
                            body(indices), {}, std::string(origin)));
  Stmt realize(new BlockRealizeNode(values, {}, arith::with_derived_regions(block)));
  return {nest(loops, realize), id};
}

CopyNest make_copy(Invocation& in, const Buffer& to, const std::vector<Expr>& shape,
                   const std::string& name, std::string_view origin,
                   const std::function<Expr(const std::vector<Expr>&)>& value) {
  return make_box_nest(in, shape, name, origin, [&](const std::vector<Expr>& indices) {
    return ir::store(to, indices, value(indices));
  });
}

Stmt root_child_of(const Invocation& in, int64_t block_id) {
  for (const Stmt& child : children_of(in.func->body)) {
    if (contains_block(child, block_id)) return child;
  }
  throw InternalError("block outside the function");
}

}  // namespace tilewright::schedule
