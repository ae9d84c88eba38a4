#include "tilewright/api/operator.h"

#include "tilewright/te/prim_func.h"

namespace tilewright {

record::TaskKey task_key(const ops::OpInstance& op) {
  record::TaskKey key;
  key.op = op.op;
  key.op_version = op.op_version;
  key.args = op.args;
  key.dtypes = op.dtypes;
  key.layouts = op.layouts;
  key.expr_hash = te::canonical_hash(op.outputs);
  return key;
}

}  // namespace tilewright
