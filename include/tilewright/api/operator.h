#pragma once

#include "tilewright/ops/definition.h"
#include "tilewright/record/task_key.h"

namespace tilewright {

/// What tuning records of the operator with these parameters are looked up by.
record::TaskKey task_key(const ops::OpInstance& op);

}  // namespace tilewright
