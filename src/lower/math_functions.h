#pragma once

#include "tilewright/ir/expr.h"

/// \file
/// float32 maths functions as plain arithmetic, valid for scalars and vectors on every target. Each takes a
/// float32 expression and meets the error bound of intrinsics.def over the whole range, subnormals,
/// infinities and NaN included, with or without contraction of a*b+c.

namespace tilewright::lower {

ir::Expr exp_f32(const ir::Expr& x);
ir::Expr exp2_f32(const ir::Expr& x);
ir::Expr expm1_f32(const ir::Expr& x);
ir::Expr log_f32(const ir::Expr& x);
ir::Expr log2_f32(const ir::Expr& x);
ir::Expr log1p_f32(const ir::Expr& x);
ir::Expr tanh_f32(const ir::Expr& x);
ir::Expr sigmoid_f32(const ir::Expr& x);
ir::Expr erf_f32(const ir::Expr& x);
ir::Expr rsqrt_f32(const ir::Expr& x);

}  // namespace tilewright::lower
