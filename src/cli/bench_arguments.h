#pragma once

#include <vector>

#include "tilewright/runtime/function.h"
#include "tilewright/runtime/size_expr.h"

namespace tilewright::cli {

/// One argument per parameter: arrays with random numbers (reals in [-1, 1), integers in [-4, 4]), scalars 1.
/// Bad use (EarlyEnd) when a symbolic size has no value in `sizes`, or `sizes` has a name the function lacks.
std::vector<runtime::Arg> make_bench_arguments(const runtime::FunctionInfo& info,
                                               const runtime::SizeMap& sizes);

}  // namespace tilewright::cli
