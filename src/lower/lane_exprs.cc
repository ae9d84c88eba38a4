#include "lower/lane_rewriter.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

LaneRewriter::LaneRewriter(const arith::Analyzer& analyzer, const ForNode& loop, int lanes,
                           const std::function<int64_t()>& next_id)
    : analyzer_(analyzer), loop_(loop), lanes_(lanes), next_id_(next_id) {
  analyzer_.bind_extent(loop.var, loop.extent);
  const DType dtype = loop.var.dtype();
  values_[loop.var] = ramp(make_int(dtype, 0), make_int(dtype, 1), lanes);
}

void LaneRewriter::refuse(const std::string& what) const {
  fail("lower.vectorize", "loop {} can't be vectorized: {}", describe_loop(loop_), what);
}

Expr LaneRewriter::mutate_node(const VarNode&, const Expr& self) {
  auto it = values_.find(self);
  return it == values_.end() ? self : it->second;
}

Expr LaneRewriter::mutate_node(const CastNode& node, const Expr& self) {
  Expr value = mutate(node.value);
  if (value.get() == node.value.get()) return self;
  // Index types are exact (no wrap), so the cast of a ramp is a ramp.
  if (auto* r = value.as<RampNode>(); r && node.dtype.is_int() && node.dtype.bits == 64) {
    return ramp(cast(kInt64, r->base), cast(kInt64, r->stride), lanes_);
  }
  return cast(node.dtype.element(), value);
}

Expr LaneRewriter::mutate_node(const UnaryNode& node, const Expr& self) {
  Expr a = mutate(node.a);
  return a.get() == node.a.get() ? self : unary(node.op, a);
}

namespace {

bool is_index_dtype(DType dtype) { return dtype.is_int() && dtype.bits == 64; }

}  // namespace

Expr LaneRewriter::ramp_division(BinaryOp op, const RampNode& r, const Expr& divisor) {
  const int64_t* d = as_const_int(divisor);
  const int64_t* stride = as_const_int(r.stride);
  if (!d || *d <= 0 || !stride || *stride < 0) return {};
  // All lanes fall into one bucket when the first one's place in it leaves room for the others.
  Expr place = analyzer_.simplify(floor_mod(r.base, divisor));
  if (!analyzer_.can_prove(place + make_int(kInt64, *stride * (lanes_ - 1)) < divisor)) return {};
  if (op == BinaryOp::kFloorMod) return ramp(place, r.stride, lanes_);
  return analyzer_.simplify(floor_div(r.base, divisor));
}

Expr LaneRewriter::ramp_binary(BinaryOp op, const Expr& a, const Expr& b) {
  auto* ra = a.as<RampNode>();
  auto* rb = b.as<RampNode>();
  if (!ra && !rb) return {};
  const bool scalar_a = a.dtype().is_scalar(), scalar_b = b.dtype().is_scalar();
  if (op == BinaryOp::kAdd || op == BinaryOp::kSub) {
    if (ra && rb) {
      Expr stride = analyzer_.simplify(binary(op, ra->stride, rb->stride));
      Expr base = binary(op, ra->base, rb->base);
      return is_const_int(stride, 0) ? base : ramp(base, stride, lanes_);
    }
    if (ra && scalar_b) return ramp(binary(op, ra->base, b), ra->stride, lanes_);
    if (rb && scalar_a) {
      Expr stride = op == BinaryOp::kAdd ? rb->stride : -rb->stride;
      return ramp(binary(op, a, rb->base), stride, lanes_);
    }
  }
  if (op == BinaryOp::kMul && ra && scalar_b) return ramp(ra->base * b, ra->stride * b, lanes_);
  if (op == BinaryOp::kMul && rb && scalar_a) return ramp(a * rb->base, a * rb->stride, lanes_);
  if ((op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod) && ra && scalar_b &&
      is_index_dtype(b.dtype())) {
    return ramp_division(op, *ra, b);
  }
  return {};
}

Expr LaneRewriter::mutate_node(const BinaryNode& node, const Expr& self) {
  Expr a = mutate(node.a), b = mutate(node.b);
  if (a.get() == node.a.get() && b.get() == node.b.get()) return self;
  // Narrow integers wrap, so only 64-bit index arithmetic is exact enough to stay a ramp.
  if (is_index_dtype(a.dtype().element())) {
    if (Expr r = ramp_binary(node.op, a, b); r.defined()) return r;
  }
  return binary(node.op, a, b);
}

Expr LaneRewriter::mutate_node(const SelectNode& node, const Expr& self) {
  Expr c = mutate(node.condition), t = mutate(node.true_value), f = mutate(node.false_value);
  if (c.get() == node.condition.get() && t.get() == node.true_value.get() &&
      f.get() == node.false_value.get()) {
    return self;
  }
  return select(c, t, f);
}

Expr LaneRewriter::mutate_node(const IfThenElseNode& node, const Expr& self) {
  Expr c = mutate(node.condition);
  if (c.dtype().is_scalar()) {
    Expr t = mutate(node.true_value), f = mutate(node.false_value);
    if (c.get() == node.condition.get() && t.get() == node.true_value.get() &&
        f.get() == node.false_value.get()) {
      return self;
    }
    return if_then_else(c, t, f);
  }
  Expr t = mutate_masked(node.true_value, node.condition, c);
  Expr f = mutate_masked(node.false_value, !node.condition, !c);
  return select(c, t, f);
}

Expr LaneRewriter::private_offset(const Buffer& buffer, Expr offset) const {
  if (!privates_.count(buffer)) return offset;
  const Expr lane = ramp(make_int(kInt64, 0), make_int(kInt64, 1), lanes_);
  const Expr count = make_int(kInt64, lanes_);
  if (offset.dtype().is_scalar()) return ramp(offset * count, make_int(kInt64, 1), lanes_);
  return offset * count + lane;
}

Expr LaneRewriter::mutate_node(const LoadNode& node, const Expr& self) {
  auto it = privates_.find(node.buffer);
  const Buffer& buffer = it == privates_.end() ? node.buffer : it->second;
  Expr offset = private_offset(node.buffer, mutate(node.indices[0]));
  Expr own = node.predicate.defined() ? mutate(node.predicate) : Expr();
  const bool vector = !offset.dtype().is_scalar() || (own.defined() && !own.dtype().is_scalar());
  if (!vector) {
    if (offset.get() == node.indices[0].get() && !mask_.any.defined()) return self;
    Expr scalar(new LoadNode(node.dtype, buffer, {offset}, own));
    if (!mask_.any.defined()) return scalar;
    return if_then_else(mask_.any, scalar, make_zero(node.dtype));
  }
  if (offset.dtype().is_scalar()) offset = broadcast(offset, lanes_);
  Expr predicate = both(mask_.lanes, own);
  return Expr(new LoadNode(node.dtype.with_lanes(lanes_), buffer, {offset}, predicate));
}

Expr LaneRewriter::mutate_node(const CallNode& node, const Expr& self) {
  if (info(node.intrinsic).effect != Effect::kPure) {
    refuse(fmt::format("'{}' inside it has an effect and can't be part of an expression",
                       info(node.intrinsic).name));
  }
  bool changed = false, vector = false;
  std::vector<Expr> args;
  for (const Expr& arg : node.args) {
    args.push_back(mutate(arg));
    changed |= args.back().get() != arg.get();
    vector |= !args.back().dtype().is_scalar();
  }
  if (!changed) return self;
  if (vector) {
    for (Expr& arg : args) {
      if (arg.dtype().is_scalar()) arg = broadcast(arg, lanes_);
    }
  }
  return Expr(new CallNode(node.dtype.with_lanes(vector ? lanes_ : 1), node.intrinsic, args));
}

Expr LaneRewriter::mutate_node(const LetNode& node, const Expr& self) {
  Expr value = mutate(node.value);
  if (value.dtype().is_scalar()) {
    Expr body = mutate(node.body);
    if (value.get() == node.value.get() && body.get() == node.body.get()) return self;
    return let(node.var, value, body);
  }
  Var vector(node.var.name(), value.dtype());
  values_[node.var] = vector;
  return let(vector, value, mutate(node.body));
}

Expr LaneRewriter::mutate_node(const RampNode& node, const Expr& self) {
  Expr base = mutate(node.base), stride = mutate(node.stride);
  if (base.get() == node.base.get() && stride.get() == node.stride.get()) return self;
  refuse("another vectorized loop is nested inside it; unroll one of them");
}

Expr LaneRewriter::mutate_node(const BroadcastNode& node, const Expr& self) {
  Expr value = mutate(node.value);
  if (value.get() == node.value.get()) return self;
  refuse("another vectorized loop is nested inside it; unroll one of them");
}

Expr LaneRewriter::mutate_node(const ExtractNode& node, const Expr& self) {
  Expr value = mutate(node.vector);
  if (value.get() == node.vector.get()) return self;
  refuse("a vector inside it is taken apart lane by lane");
}

// ---- Masks --------------------------------------------------------------------------------------

Expr LaneRewriter::both(const Expr& a, const Expr& b) const {
  if (!a.defined()) return b.defined() && b.dtype().is_scalar() ? broadcast(b, lanes_) : b;
  if (!b.defined()) return a;
  return a && b;
}

namespace {

enum class Trend { kNone, kFirst, kLast, kUnknown };

/// Which lane fulfils the comparison if any does.
Trend trend_of(const arith::Analyzer& analyzer, const Expr& condition, const Var& lane) {
  if (!uses_var(condition, lane)) return Trend::kNone;
  auto* cmp = condition.as<BinaryNode>();
  if (!cmp || !is_pure_index(condition) || !is_index(cmp->a)) return Trend::kUnknown;
  const bool less = cmp->op == BinaryOp::kLt || cmp->op == BinaryOp::kLe;
  const bool greater = cmp->op == BinaryOp::kGt || cmp->op == BinaryOp::kGe;
  if (!less && !greater) return Trend::kUnknown;
  // The condition is 0 < slack or 0 <= slack.
  int64_t coefficient = 0;
  const Expr slack = less ? cmp->b - cmp->a : cmp->a - cmp->b;
  for (const auto& [term, factor] : analyzer.linear_form(slack).terms) {
    if (term.get() == lane.get()) {
      coefficient = factor;
    } else if (uses_var(term, lane)) {
      return Trend::kUnknown;
    }
  }
  return coefficient <= 0 ? Trend::kFirst : Trend::kLast;
}

}  // namespace

Expr LaneRewriter::any_lane(const Expr& condition, const Expr& vector_condition) const {
  Trend trend = Trend::kNone;
  for (const Expr& part : split_conjunction(condition)) {
    const Trend t = trend_of(analyzer_, part, loop_.var);
    if (t == Trend::kNone && is_pure_index(part)) continue;
    trend = trend == Trend::kNone || trend == t ? t : Trend::kUnknown;
    if (trend == Trend::kUnknown) break;
  }
  bool plain = trend == Trend::kFirst || trend == Trend::kLast;
  for (const Var& var : free_vars(condition)) {
    plain &= var.get() == loop_.var.get() || !values_.count(var);
  }
  if (plain) {
    const int64_t lane = trend == Trend::kFirst ? 0 : lanes_ - 1;
    return analyzer_.simplify(
        substitute(condition, {{loop_.var, make_int(loop_.var.dtype(), lane)}}));
  }
  return any_of(vector_condition);
}

Expr LaneRewriter::any_of(const Expr& mask) const {
  Expr any = make_bool(false);
  for (int lane = 0; lane < lanes_; ++lane) any = any || Expr(new ExtractNode(mask, lane));
  return any;
}

Expr LaneRewriter::enter_mask(const Expr& condition, const Expr& vector_condition) {
  const bool nested = mask_.lanes.defined();
  mask_.lanes = both(mask_.lanes, vector_condition);
  // Nested masks: a lane of each is no proof of a lane of both, so the combined mask is asked.
  Expr any = nested ? any_of(mask_.lanes) : any_lane(condition, vector_condition);
  return is_true(any) ? Expr() : any;
}

Expr LaneRewriter::mutate_masked(const Expr& value, const Expr& condition,
                                 const Expr& vector_condition) {
  const Mask saved = mask_;
  mask_.any = enter_mask(condition, vector_condition);
  Expr result = mutate(value);
  mask_ = saved;
  return result;
}

}  // namespace tilewright::lower
