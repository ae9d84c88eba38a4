#include "lower/fresh_copy.h"
#include "lower/lane_rewriter.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

Stmt LaneRewriter::mutate_node(const StoreNode& node, const Stmt& self) {
  Expr offset = private_offset(node.buffer, mutate(node.indices[0]));
  Expr value = mutate(node.value);
  Expr own = node.predicate.defined() ? mutate(node.predicate) : Expr();
  Expr predicate = both(mask_.lanes, own);
  if (offset.dtype().is_scalar()) {
    // One place for all lanes: where the value is the same for all too, one store does it.
    const bool vector = !value.dtype().is_scalar() || (own.defined() && !own.dtype().is_scalar());
    if (vector) return lane_by_lane(self);
    if (offset.get() == node.indices[0].get() && value.get() == node.value.get()) return self;
    return Stmt(new StoreNode(node.buffer, {offset}, value, own));
  }
  auto it = privates_.find(node.buffer);
  const Buffer& buffer = it == privates_.end() ? node.buffer : it->second;
  if (value.dtype().is_scalar()) value = broadcast(value, lanes_);
  return Stmt(new StoreNode(buffer, {offset}, value, predicate));
}

Stmt LaneRewriter::mutate_node(const ForNode& node, const Stmt& self) {
  if (node.for_kind == ForKind::kVectorized) {
    refuse(fmt::format("loop {} inside it is vectorized too; unroll one of them",
                       describe_loop(node)));
  }
  if (node.for_kind == ForKind::kParallel) {
    refuse(fmt::format("loop {} inside it is parallel; put the parallel loop outside",
                       describe_loop(node)));
  }
  Expr extent = mutate(node.extent);
  if (!extent.dtype().is_scalar()) return lane_by_lane(self);
  analyzer_.bind_extent(node.var, extent);
  Stmt body = mutate(node.body);
  if (extent.get() == node.extent.get() && body.get() == node.body.get()) return self;
  return Stmt(
      new ForNode(node.id, node.var, extent, node.for_kind, node.thread, node.annotations, body));
}

Stmt LaneRewriter::mutate_masked(const Stmt& body, const Expr& condition,
                                 const Expr& vector_condition) {
  const Mask saved = mask_;
  const Expr any = enter_mask(condition, vector_condition);
  mask_.any = Expr();  // tested by the If around the statement
  Stmt result = mutate(body);
  mask_ = saved;
  return any.defined() ? if_then(any, result) : result;
}

namespace {

bool reads_memory(const Expr& expr) {
  bool reads = false;
  walk_exprs(expr, [&](const Expr& e) { reads |= e.as<LoadNode>() != nullptr; });
  return reads;
}

}  // namespace

Stmt LaneRewriter::mutate_node(const IfNode& node, const Stmt& self) {
  Expr c = mutate(node.condition);
  if (c.dtype().is_scalar()) {
    Stmt then_body = mutate(node.then_body);
    Stmt else_body = node.else_body ? mutate(node.else_body) : Stmt();
    if (c.get() == node.condition.get() && then_body.get() == node.then_body.get() &&
        else_body.get() == node.else_body.get()) {
      return self;
    }
    return if_then(c, then_body, else_body);
  }
  // The mask must not change while the body runs, so one that reads memory is kept in a variable.
  Var kept;
  Expr mask = c;
  if (reads_memory(c)) {
    kept = Var("mask", c.dtype());
    mask = kept;
  }
  std::vector<Stmt> parts = {mutate_masked(node.then_body, node.condition, mask)};
  if (node.else_body) {
    parts.push_back(mutate_masked(node.else_body, analyzer_.simplify(!node.condition), !mask));
  }
  Stmt result = seq(std::move(parts));
  return kept.defined() ? let_stmt(kept, c, result) : result;
}

Stmt LaneRewriter::mutate_node(const LetStmtNode& node, const Stmt& self) {
  Expr value = mutate(node.value);
  if (value.dtype().is_scalar()) {
    Stmt body = mutate(node.body);
    if (value.get() == node.value.get() && body.get() == node.body.get()) return self;
    return let_stmt(node.var, value, body);
  }
  Var vector(node.var.name(), value.dtype());
  values_[node.var] = vector;
  return let_stmt(vector, value, mutate(node.body));
}

Stmt LaneRewriter::mutate_node(const AllocNode& node, const Stmt&) {
  const BufferNode& old = *node.buffer;
  Expr size = mutate(old.shape[0]);
  if (!size.dtype().is_scalar()) {
    refuse(fmt::format("the size of buffer '{}' inside it differs from lane to lane", old.name));
  }
  Buffer wide(new BufferNode(old.name, old.dtype, {size * make_int(kInt64, lanes_)}, old.scope, {},
                             {}, old.align));
  privates_[node.buffer] = wide;
  return Stmt(new AllocNode(wide, mutate(node.body)));
}

Stmt LaneRewriter::mutate_node(const AssertNode&, const Stmt& self) { return lane_by_lane(self); }

Stmt LaneRewriter::mutate_node(const BarrierNode&, const Stmt&) {
  refuse("a barrier is inside it");
}

// ---- Lane by lane -------------------------------------------------------------------------------

namespace {

/// Puts one lane's values into a scalar statement: the lane number, elements of vector lets, and this
/// lane's part of private buffers.
class OneLane final : public Mutator {
 public:
  using Mutator::mutate;
  OneLane(const VarMap& values, const BufferMap& privates, int lanes, int lane)
      : privates_(privates), lanes_(lanes), lane_(lane) {
    for (const auto& [var, value] : values) {
      if (auto* r = value.as<RampNode>()) {
        map_[var] = r->base + make_int(r->base.dtype(), lane) * r->stride;
      } else {
        map_[var] = Expr(new ExtractNode(value, lane));
      }
    }
  }

 protected:
  using Mutator::mutate_node;
  Expr mutate_node(const VarNode&, const Expr& self) override {
    auto it = map_.find(self);
    return it == map_.end() ? self : it->second;
  }
  Expr mutate_node(const LoadNode& node, const Expr& self) override {
    Expr result = mutate_children(node, self);
    auto it = privates_.find(node.buffer);
    if (it == privates_.end()) return result;
    return load(it->second, {element(result.as<LoadNode>()->indices[0])});
  }
  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    Stmt result = mutate_children(node, self);
    auto it = privates_.find(node.buffer);
    if (it == privates_.end()) return result;
    auto* s = result.as<StoreNode>();
    return store(it->second, {element(s->indices[0])}, s->value);
  }

 private:
  Expr element(const Expr& offset) const {
    return offset * make_int(kInt64, lanes_) + make_int(kInt64, lane_);
  }
  const BufferMap& privates_;
  const int lanes_, lane_;
  VarMap map_;
};

}  // namespace

Stmt LaneRewriter::mutate_node(const EvaluateNode& node, const Stmt& self) {
  auto* hint = node.value.as<CallNode>();
  // The first lane's cache line stands for the vector's.
  if (hint && hint->intrinsic == Intrinsic::kPrefetch) {
    return OneLane(values_, privates_, lanes_, 0).mutate(self);
  }
  return lane_by_lane(self);
}

Stmt LaneRewriter::lane_by_lane(const Stmt& stmt) {
  std::vector<Stmt> copies;
  for (int lane = 0; lane < lanes_; ++lane) {
    Stmt copy = OneLane(values_, privates_, lanes_, lane).mutate(stmt);
    if (lane > 0) copy = fresh_copy(copy, next_id_);
    if (mask_.lanes.defined()) copy = if_then(Expr(new ExtractNode(mask_.lanes, lane)), copy);
    copies.push_back(copy);
  }
  return seq(std::move(copies));
}

}  // namespace tilewright::lower
