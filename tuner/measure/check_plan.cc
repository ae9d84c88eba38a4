#include "tuner/measure/check_plan.h"

#include <cmath>
#include <unordered_map>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::tuner {
namespace {

using namespace ir;

// Whole numbers up to this are exact in the type; integers wrap, which is exact as well.
double exact_limit(DType dtype) {
  if (!dtype.is_float()) return INFINITY;
  if (dtype.is_bfloat16()) return 256;
  return dtype.bits == 16 ? 2048 : dtype.bits == 64 ? 0x1p53 : 0x1p24;
}

// Bounds the absolute values of a function's data, given that of its inputs. `kInexact`: some value may not be
// a whole number that its type represents.
class Magnitudes {
 public:
  static constexpr double kInexact = -1;
  // Rounded once from an exact value: the same in every schedule as long as it is only chosen and stored.
  static constexpr double kRounded = -2;

  Magnitudes(const PrimFunc& func, double input) : input_(input) {
    for (const Param& param : func->params) {
      if (param.buffer && param.role != ParamRole::kOutput) bounds_[param.buffer] = input;
    }
    walk_stmts(func->body, [&](const Stmt& stmt) {
      if (const auto* realize = node_cast<BlockRealizeNode>(stmt.get())) block(*realize->block);
    });
  }

  bool exact() const { return exact_; }

 private:
  void block(const BlockNode& node) {
    if (node.block_kind != BlockKind::kCompute) exact_ = false;
    double terms = 1;
    for (const IterVar& iter : node.iter_vars) {
      const int64_t* extent = as_const_int(iter.dom.extent);
      if (iter.kind == IterKind::kReduce) terms *= extent ? static_cast<double>(*extent) : INFINITY;
    }
    const auto visit = [&](const Stmt& stmt) {
      if (const auto* store = node_cast<StoreNode>(stmt.get())) {
        raise(store->buffer, bound(store->value));
      } else if (const auto* update = node_cast<UpdateNode>(stmt.get())) {
        reduce(*update, terms);
      }
    };
    walk_stmts(node.body, visit);
  }

  void reduce(const UpdateNode& update, double terms) {
    const std::string& name = update.reducer->name;
    for (size_t i = 0; i < update.buffers.size(); ++i) {
      const Buffer& buffer = update.buffers[i];
      const double one = bound(update.values[i]);
      if (name == "sum") {
        raise(buffer, one < 0 ? kInexact : whole(one * terms, buffer->dtype));
      } else if (name == "max" || name == "min" || name == "any" || name == "all" ||
                 name == "argmax" || name == "argmin") {
        raise(buffer, one);
      } else {
        raise(buffer, buffer->dtype.is_float() ? kInexact : INFINITY);
      }
    }
  }

  void raise(const Buffer& buffer, double value) {
    if (value == kInexact) exact_ = false;
    const auto found = bounds_.find(buffer);
    if (found == bounds_.end()) {
      bounds_[buffer] = value;
    } else {
      found->second = combine(found->second, value);
    }
  }

  static double combine(double a, double b) {
    if (a == kInexact || b == kInexact) return kInexact;
    return a == kRounded || b == kRounded ? kRounded : std::max(a, b);
  }

  static double whole(double value, DType dtype) {
    if (!dtype.is_float()) return std::ldexp(1.0, dtype.bits);
    return value <= exact_limit(dtype) ? value : kInexact;
  }

  double bound(const Expr& expr) {
    const DType dtype = expr.dtype().element();
    if (const auto* node = node_cast<IntImmNode>(expr.get())) {
      return std::abs(static_cast<double>(node->value));
    }
    if (const auto* node = node_cast<FloatImmNode>(expr.get())) {
      if (std::isinf(node->value)) return 0;
      return node->value == std::trunc(node->value) ? std::abs(node->value) : kInexact;
    }
    if (const auto* node = node_cast<LoadNode>(expr.get())) {
      const auto found = bounds_.find(node->buffer);
      return found == bounds_.end() ? kInexact : found->second;
    }
    if (const auto* node = node_cast<CastNode>(expr.get())) return cast(bound(node->value), dtype);
    if (const auto* node = node_cast<SelectNode>(expr.get())) {
      return choice(node->condition, node->true_value, node->false_value);
    }
    if (const auto* node = node_cast<IfThenElseNode>(expr.get())) {
      return choice(node->condition, node->true_value, node->false_value);
    }
    if (const auto* node = node_cast<UnaryNode>(expr.get())) return bound(node->a);
    if (const auto* node = node_cast<BinaryNode>(expr.get())) return binary(*node, dtype);
    // An index, or anything else on integers, is exact; of unknown size once it becomes a real number.
    return dtype.is_float() ? kInexact : std::ldexp(1.0, dtype.bits);
  }

  double choice(const Expr& condition, const Expr& a, const Expr& b) {
    if (bound(condition) == kInexact) return kInexact;
    return combine(bound(a), bound(b));
  }

  static double cast(double value, DType dtype) {
    if (value < 0 || !dtype.is_float()) return value;
    return value <= exact_limit(dtype) ? value : kRounded;
  }

  double binary(const BinaryNode& node, DType dtype) {
    const double a = bound(node.a), b = bound(node.b);
    if (a == kInexact || b == kInexact) return kInexact;
    switch (node.op) {
      case BinaryOp::kMin:
      case BinaryOp::kMax:
      case BinaryOp::kFMin:
      case BinaryOp::kFMax: return combine(a, b);
      default: break;
    }
    if (is_comparison(node.op)) return 1;
    if (!dtype.is_float()) return whole(0, dtype);
    if (a < 0 || b < 0) return kInexact;
    switch (node.op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub: return whole(a + b, dtype);
      case BinaryOp::kMul: return whole(a * b, dtype);
      default: return kInexact;
    }
  }

  double input_;
  bool exact_ = true;
  std::unordered_map<Buffer, double, RefHash, RefEqual> bounds_;
};

// By the type with the fewest digits among the outputs; sums of about a thousand terms of size one.
CheckSpec tolerance(const PrimFunc& func) {
  CheckSpec check{false, 1e-9, 1e-9};
  for (const Param& param : func->params) {
    const bool written = param.role == ParamRole::kOutput || param.role == ParamRole::kInout;
    if (!param.buffer || !written || !param.buffer->dtype.is_float()) continue;
    const DType dtype = param.buffer->dtype;
    const double allowed = dtype.is_bfloat16() ? 2e-2
                           : dtype.bits == 16  ? 5e-3
                           : dtype.bits == 32  ? 1e-4
                                               : 1e-9;
    check.relative = std::max(check.relative, allowed);
    check.absolute = std::max(check.absolute, allowed);
  }
  return check;
}

}  // namespace

CheckPlan plan_check(const PrimFunc& func, uint64_t seed) {
  for (int64_t magnitude : {4, 3, 2, 1}) {
    if (Magnitudes(func, static_cast<double>(magnitude)).exact()) {
      return {{seed, true, magnitude}, {true, 0, 0}};
    }
  }
  return {{seed, false, 1}, tolerance(func)};
}

}  // namespace tilewright::tuner
