#include <array>

#include "lower/math_functions.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

struct Expansion {
  Intrinsic intrinsic;
  Expr (*f32)(const Expr&);
};

constexpr std::array kExpansions = {
    Expansion{Intrinsic::kExp, exp_f32},     Expansion{Intrinsic::kExp2, exp2_f32},
    Expansion{Intrinsic::kExpm1, expm1_f32}, Expansion{Intrinsic::kLog, log_f32},
    Expansion{Intrinsic::kLog2, log2_f32},   Expansion{Intrinsic::kLog1p, log1p_f32},
    Expansion{Intrinsic::kTanh, tanh_f32},   Expansion{Intrinsic::kSigmoid, sigmoid_f32},
    Expansion{Intrinsic::kErf, erf_f32},     Expansion{Intrinsic::kRsqrt, rsqrt_f32},
};

/// float32 calls become arithmetic; 16-bit floats go through float32, with one rounding at the end. float64,
/// and the functions without a row, stay calls: the back end takes the C library's.
class ExpandMath final : public Mutator {
 public:
  using Mutator::mutate;

 protected:
  using Mutator::mutate_node;
  Expr mutate_node(const CallNode& node, const Expr& self) override {
    Expr result = mutate_children(node, self);
    const DType element = node.dtype.element();
    if (!element.is_float() || element.bits > 32) return result;
    for (const Expansion& row : kExpansions) {
      if (row.intrinsic != node.intrinsic) continue;
      const Expr& x = result.as<CallNode>()->args[0];
      if (element == kFloat32) return row.f32(x);
      return cast(element, row.f32(cast(kFloat32, x)));
    }
    return result;
  }
};

}  // namespace

PrimFunc expand_math(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, ExpandMath().mutate(func->body));
}

}  // namespace tilewright::lower
