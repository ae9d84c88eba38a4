#pragma once

#include "tilewright/ops/definition.h"

/// \file
/// One function per operator, its row of the table in definitions.cc.

namespace tilewright::ops {

OpDefinition conv2d_definition();
OpDefinition matmul_definition();

namespace detail {

/// The dtypes of matmul-like operators, and their rule: 16-bit floats accumulate in float32 and are
/// rounded once; int8 accumulates in int32 and stays so.
std::vector<std::string> product_dtypes();
DType accumulator_dtype(DType input);
DType result_dtype(DType input);

/// a * b, a + b. Throws Error "ops.bad_value" when the result leaves int64; `what` names it.
int64_t checked_mul(const std::string& what, int64_t a, int64_t b);
int64_t checked_add(const std::string& what, int64_t a, int64_t b);

}  // namespace detail
}  // namespace tilewright::ops
