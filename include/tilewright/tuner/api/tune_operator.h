#pragma once

#include <vector>

#include "tilewright/ops/definition.h"
#include "tilewright/tuner/tune.h"

namespace tilewright::tuner {

/// The task of an operator of the library, with a small instance for proving the reference where one exists.
TuneTask operator_task(const ops::OpInstance& op, const Target& target, int threads);

/// The operator's schedule templates.
std::vector<Sketch> operator_sketches(const ops::OpInstance& op);

}  // namespace tilewright::tuner
