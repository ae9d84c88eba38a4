#pragma once

#include <span>
#include <vector>

#include "tilewright/runtime/function.h"

namespace tilewright::runtime {

// Binds symbolic sizes to the inputs of a call: a size is the extent where it first stands alone as a
// dimension, or the value of a scalar parameter. Stops at the first input whose kind or rank is not
// what the contract says (the function's own check reports that one).
struct BoundInputs {
  SizeMap sizes;
  bool complete = true;  // false: stopped early, the call is going to fail
};

// True for a size parameter whose value follows from the shape of an input, so that the caller of
// `invoke` does not pass it.
bool follows_from_shapes(const FunctionInfo& info, const ParamInfo& param);

// Number of values that `invoke` takes.
size_t num_passed_inputs(const FunctionInfo& info);

BoundInputs bind_inputs(const FunctionInfo& info, std::span<const Arg> inputs);

// The arguments of the full call. Outputs are taken from `outputs` in order; null: allocated.
// The second result are the outputs used.
std::pair<std::vector<Arg>, std::vector<NDArray>> complete_args(
    const FunctionInfo& info, std::span<const Arg> inputs, const std::span<const NDArray>* outputs);

}  // namespace tilewright::runtime
