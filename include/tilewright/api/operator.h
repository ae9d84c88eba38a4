#pragma once

#include "tilewright/ops/definition.h"
#include "tilewright/record/task_key.h"

namespace tilewright {

/// What tuning records of the operator with these parameters are looked up by.
record::TaskKey task_key(const ops::OpInstance& op);
/// The same for any outputs of tensor expressions: the expression and what is assumed of its sizes.
record::TaskKey task_key(const std::vector<te::Tensor>& outputs,
                         const std::vector<ir::Expr>& assumptions = {});

}  // namespace tilewright
