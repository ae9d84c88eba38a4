#include "tilewright/api/operator.h"

#include "tilewright/ir/text.h"
#include "tilewright/te/prim_func.h"

namespace tilewright {

record::TaskKey task_key(const ops::OpInstance& op) {
  record::TaskKey key;
  key.op = op.op;
  key.op_version = op.op_version;
  key.args = op.args;
  key.dtypes = op.dtypes;
  key.layouts = op.layouts;
  for (const ir::Expr& assumption : op.func->assumptions) {
    key.assumptions.push_back(ir::to_pretty(assumption));
  }
  key.expr_hash = te::canonical_hash(op.outputs);
  return key;
}

record::TaskKey task_key(const std::vector<te::Tensor>& outputs,
                         const std::vector<ir::Expr>& assumptions) {
  record::TaskKey key;
  for (const te::Tensor& output : outputs) {
    if (output.defined()) key.dtypes.push_back(to_string(output.dtype()));
  }
  for (const ir::Expr& assumption : assumptions) {
    key.assumptions.push_back(ir::to_pretty(assumption));
  }
  key.expr_hash = te::canonical_hash(outputs, assumptions);
  return key;
}

}  // namespace tilewright
