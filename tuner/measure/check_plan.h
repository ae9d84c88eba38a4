#pragma once

#include "tilewright/ir/stmt.h"
#include "tuner/measure/protocol.h"

namespace tilewright::tuner {

/// Which data to run a function on and how to compare its outputs.
struct CheckPlan {
  DataSpec data;
  CheckSpec check;
};

/// Small whole numbers and exact comparison where the function has only + - * max min, choices and casts, and
/// every value it can meet, partial sums included, is a whole number that its type represents; else reals
/// with a tolerance by the types of the outputs.
CheckPlan plan_check(const ir::PrimFunc& func, uint64_t seed);

}  // namespace tilewright::tuner
