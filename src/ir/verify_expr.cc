#include <algorithm>
#include <cmath>

#include "ir/scalar.h"
#include "ir/verify.h"

namespace tilewright::ir {

bool Verifier::absent(const Expr& e, const char* what) {
  if (!e.defined()) fault("{} is null", what);
  return !e.defined();
}

void Verifier::present(const Expr& e, const char* what) {
  if (!absent(e, what)) visit(e);
}

void Verifier::visit(const Expr& expr) {
  if (expr->dtype.lanes < 1) fault("{} has no lanes", to_pretty(expr));
  Visitor::visit(expr);
}

void Verifier::visit_node(const IntImmNode& n) {
  const bool whole = (n.dtype.is_integer() || n.dtype.is_bool()) && n.dtype.is_scalar();
  if (!whole || scalar::wrap(n.dtype, n.value) != n.value) {
    fault("{} is no constant of dtype {}", n.value, to_string(n.dtype));
  }
}

void Verifier::visit_node(const FloatImmNode& n) {
  const bool fits = n.dtype.is_float() && n.dtype.is_scalar() &&
                    (std::isnan(n.value) || scalar::round_to(n.dtype, n.value) == n.value);
  if (!fits) fault("{} is no constant of dtype {}", n.value, to_string(n.dtype));
}

void Verifier::visit_node(const StringImmNode& n) {
  fault("text \"{}\" is not an argument of print", n.value);
}

void Verifier::visit_node(const VarNode& n) {
  auto it = in_scope_.find(&n);
  if (it == in_scope_.end() || it->second == 0) {
    fault("variable {} is not bound here", n.name);
  } else if (hidden_.count(&n)) {
    fault("loop variable {} is read in a block; only its own iteration variables are known there",
          n.name);
  }
}

void Verifier::visit_node(const CastNode& n) {
  if (absent(n.value, "the operand of cast")) return;
  if (n.dtype.is_handle() || n.value.dtype().is_handle() ||
      n.dtype.lanes != n.value.dtype().lanes) {
    fault("cast from {} to {}", to_string(n.value.dtype()), to_string(n.dtype));
  }
  visit(n.value);
}

void Verifier::visit_node(const UnaryNode& n) {
  if (absent(n.a, "an operand")) return;
  const DType t = n.a.dtype();
  const bool fits = n.op == UnaryOp::kNot      ? t.is_bool()
                    : n.op == UnaryOp::kBitNot ? t.is_integer()
                                               : t.is_integer() || t.is_float();
  if (!fits || n.dtype != t) {
    fault("'{}' on {} gives {}", spelling(n.op), to_string(t), to_string(n.dtype));
  }
  visit(n.a);
}

void Verifier::operands_match(const ExprNode& n, const Expr& a, const Expr& b) {
  if (a.dtype() == b.dtype()) return;
  fault("operands of {} and {} in {}", to_string(a.dtype()), to_string(b.dtype()),
        to_pretty(Expr(&n)));
}

void Verifier::visit_node(const BinaryNode& n) {
  if (absent(n.a, "an operand") || absent(n.b, "an operand")) return;
  operands_match(n, n.a, n.b);
  const DType t = n.a.dtype();
  bool fits = !t.is_handle();
  switch (n.op) {
    case BinaryOp::kAnd:
    case BinaryOp::kOr: fits = t.is_bool(); break;
    case BinaryOp::kEq:
    case BinaryOp::kNe: break;
    case BinaryOp::kDiv:
    case BinaryOp::kFMin:
    case BinaryOp::kFMax: fits = t.is_float(); break;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShl:
    case BinaryOp::kShr: fits = t.is_integer(); break;
    default: fits = t.is_integer() || t.is_float();
  }
  const DType want = is_comparison(n.op) ? kBool.with_lanes(t.lanes) : t;
  if (!fits || n.dtype != want) {
    fault("'{}' on {} gives {}", spelling(n.op), to_string(t), to_string(n.dtype));
  }
  visit(n.a);
  visit(n.b);
}

void Verifier::visit_node(const SelectNode& n) {
  if (absent(n.condition, "a condition") || absent(n.true_value, "a value") ||
      absent(n.false_value, "a value")) {
    return;
  }
  operands_match(n, n.true_value, n.false_value);
  if (n.condition.dtype() != kBool.with_lanes(n.dtype.lanes) || n.dtype != n.true_value.dtype()) {
    fault("select by {} of {} gives {}", to_string(n.condition.dtype()),
          to_string(n.true_value.dtype()), to_string(n.dtype));
  }
  visit_children(n);
}

void Verifier::visit_node(const IfThenElseNode& n) {
  if (absent(n.condition, "a condition") || absent(n.true_value, "a value") ||
      absent(n.false_value, "a value")) {
    return;
  }
  operands_match(n, n.true_value, n.false_value);
  const DType c = n.condition.dtype();
  if (!c.is_bool() || (!c.is_scalar() && c.lanes != n.dtype.lanes) ||
      n.dtype != n.true_value.dtype()) {
    fault("if_then_else by {} of {} gives {}", to_string(c), to_string(n.true_value.dtype()),
          to_string(n.dtype));
  }
  visit_children(n);
}

int Verifier::check_access(const Buffer& buffer, const std::vector<Expr>& indices,
                           const char* what) {
  if (!buffer) {
    fault("{} of a null buffer", what);
    return 1;
  }
  if (!buffers_.count(buffer.get()))
    fault("{} of {}, which is not declared here", what, buffer->name);
  if (auto it = uses_.find(buffer.get()); it != uses_.end()) {
    std::vector<int64_t> path;
    for (const ForNode* loop : loops_) path.push_back(loop->id);
    it->second.push_back(std::move(path));
  }
  const size_t want = scheduled() ? buffer->shape.size() : 1;
  if (indices.size() != want) {
    fault("{} of {} with {} indices, {} are needed at level {}", what, buffer->name, indices.size(),
          want, spelling(func_->level));
  }
  int lanes = 1;
  for (const Expr& index : indices) {
    if (absent(index, "an index")) continue;
    const DType t = index.dtype();
    if (!t.is_int() || t.bits < 32) {
      fault("{} of {}: index {} has dtype {}", what, buffer->name, to_pretty(index), to_string(t));
    }
    if (t.lanes > 1 && lanes > 1 && t.lanes != lanes) {
      fault("{} of {}: indices of {} and {} lanes", what, buffer->name, lanes, t.lanes);
    }
    lanes = std::max<int>(lanes, t.lanes);
    visit(index);
  }
  return lanes;
}

void Verifier::check_predicate(const Expr& predicate, int lanes, const char* what) {
  if (!predicate.defined()) return;
  if (predicate.dtype() != kBool.with_lanes(lanes)) {
    fault("{} of {} lanes under a predicate of dtype {}", what, lanes,
          to_string(predicate.dtype()));
  }
  visit(predicate);
}

void Verifier::visit_node(const LoadNode& n) {
  const int lanes = check_access(n.buffer, n.indices, "load");
  if (n.buffer && n.dtype != n.buffer->dtype.with_lanes(lanes)) {
    fault("load of {} gives {}", to_pretty(Expr(&n)), to_string(n.dtype));
  }
  check_predicate(n.predicate, lanes, "load");
}

void Verifier::check_pure_call(const CallNode& n) {
  const DType t = n.args[0].dtype();
  DType want = t;
  bool fits = t.is_float();
  switch (n.intrinsic) {
    case Intrinsic::kAbs: fits = t.is_float() || t.is_integer(); break;
    case Intrinsic::kIsNan:
    case Intrinsic::kIsInf: want = kBool.with_lanes(t.lanes); break;
    case Intrinsic::kPopcount:
    case Intrinsic::kClz: fits = t.is_integer(); break;
    case Intrinsic::kLikely: fits = t.is_bool(); break;
    case Intrinsic::kAssumeRange: fits = t.is_integer(); break;
    case Intrinsic::kBitcast:
      fits = !t.is_bool() && !t.is_handle() && t.bits == n.dtype.bits;
      want = n.dtype.with_lanes(t.lanes);
      break;
    default: break;
  }
  for (const Expr& arg : n.args) fits = fits && arg.dtype() == t;
  if (!fits || n.dtype != want) {
    fault("{} of {} gives {}", info(n.intrinsic).name, to_string(t), to_string(n.dtype));
  }
}

void Verifier::visit_node(const CallNode& n) {
  const IntrinsicInfo& row = info(n.intrinsic);
  if (row.arity >= 0 && n.args.size() != static_cast<size_t>(row.arity)) {
    fault("{} has {} arguments", row.name, n.args.size());
    return;
  }
  for (const Expr& arg : n.args) {
    if (absent(arg, "an argument")) return;
  }
  const bool prints = n.intrinsic == Intrinsic::kPrint;
  const bool calls = n.intrinsic == Intrinsic::kCallExtern;
  if ((prints || calls) && (n.args.empty() || !n.args[0].as<StringImmNode>())) {
    fault("{} without a text", row.name);
  }
  if (n.intrinsic == Intrinsic::kPrefetch && !n.args[0].as<LoadNode>()) {
    fault("prefetch of {}, which is not a load", to_pretty(n.args[0]));
  }
  if (row.effect == Effect::kPure) check_pure_call(n);
  for (const Expr& arg : n.args) {
    if (!(prints || calls) || !arg.as<StringImmNode>()) visit(arg);
  }
}

void Verifier::visit_node(const LetNode& n) {
  if (absent(n.value, "the value of a let") || absent(n.body, "the body of a let")) return;
  if (n.var.dtype() != n.value.dtype()) {
    fault("let {} of {} is given {}", n.var.name(), to_string(n.var.dtype()),
          to_string(n.value.dtype()));
  }
  visit(n.value);
  bind(n.var, false);
  visit(n.body);
  unbind(n.var);
}

void Verifier::visit_node(const RampNode& n) {
  if (absent(n.base, "the base of a ramp") || absent(n.stride, "the stride of a ramp")) return;
  if (n.base.dtype() != n.stride.dtype() || !n.base.dtype().is_integer() ||
      !n.base.dtype().is_scalar()) {
    fault("ramp from {} by {}", to_string(n.base.dtype()), to_string(n.stride.dtype()));
  }
  visit_children(n);
}

void Verifier::visit_node(const BroadcastNode& n) {
  if (absent(n.value, "the value of a broadcast")) return;
  if (!n.value.dtype().is_scalar()) fault("broadcast of {}", to_string(n.value.dtype()));
  visit(n.value);
}

void Verifier::visit_node(const ExtractNode& n) {
  if (absent(n.vector, "the vector of an extract")) return;
  if (n.lane < 0 || n.lane >= n.vector.dtype().lanes) {
    fault("lane {} of {}", n.lane, to_string(n.vector.dtype()));
  }
  visit(n.vector);
}

void Verifier::visit_node(const ReduceNode& n) {
  fault("reduction {} inside of a function; it must be a block", n.reducer->name);
}

}  // namespace tilewright::ir
