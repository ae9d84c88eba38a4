#pragma once

#include "tilewright/te/assume.h"
#include "tilewright/te/boundary.h"
#include "tilewright/te/compute.h"
#include "tilewright/te/extern.h"
#include "tilewright/te/prim_func.h"
#include "tilewright/te/reduce.h"
#include "tilewright/te/scan.h"
#include "tilewright/te/tensor.h"
#include "tilewright/te/variable.h"

/// \file
/// The tensor expression language: everything a definition needs.

namespace tilewright::te {

using ir::cast;
using ir::if_then_else;
using ir::let;
using ir::select;

using ir::abs;
using ir::ceil;
using ir::ceil_div;
using ir::cos;
using ir::erf;
using ir::exp;
using ir::exp2;
using ir::expm1;
using ir::floor;
using ir::floor_div;
using ir::floor_mod;
using ir::fmax;
using ir::fmin;
using ir::isinf;
using ir::isnan;
using ir::log;
using ir::log1p;
using ir::log2;
using ir::max;
using ir::min;
using ir::pow;
using ir::round;
using ir::rsqrt;
using ir::sigmoid;
using ir::sin;
using ir::sqrt;
using ir::tanh;
using ir::trunc;
using ir::trunc_div;
using ir::trunc_mod;

}  // namespace tilewright::te
