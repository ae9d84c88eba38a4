#include "random_ir.h"

#include <limits>

#include "tilewright/ir/visitor.h"

namespace tilewright::testing {

using namespace tilewright::ir;

namespace {

const std::vector<DType> kTypes{kBool,   kInt8,    kInt32,    kInt64,   kUInt8,  kUInt32,
                                kUInt64, kFloat16, kBFloat16, kFloat32, kFloat64};

}  // namespace

std::string RandomIr::name() {
  static const std::vector<std::string> names{"i",  "i",   "j",    "A",  "n",       "for",   "min",
                                              "x1", "a b", "q`r",  "",   "float32", "exp",   "\n",
                                              "é",  "_",   "body", "B'", "where",   "param", "at"};
  return pick(names);
}

DType RandomIr::scalar_type() { return pick(kTypes); }

Attrs RandomIr::attrs() {
  Attrs result;
  while (chance(25)) {
    const std::string key = "k" + name();
    switch (rng_.below(4)) {
      case 0: result[key] = rng_.between(-9, 9); break;
      case 1:
        result[key] = chance(20) ? -std::numeric_limits<double>::infinity() : rng_.unit() - 0.5;
        break;
      case 2: result[key] = "v\"" + name(); break;
      default: result[key] = std::vector<int64_t>(rng_.below(3), -7);
    }
  }
  return result;
}

// ---- Statements ---------------------------------------------------------------------------------

Stmt RandomIr::store_to(const Buffer& buffer) {
  const bool wide = chance(30) && (level_ != Level::kScheduled || buffer->rank() > 0);
  const int lanes = wide ? static_cast<int>(rng_.between(2, 8)) : 1;
  Expr predicate = chance(20) ? expr(kBool.with_lanes(lanes), 2) : Expr();
  return Stmt(new StoreNode(buffer, indices(buffer, lanes, 2),
                            expr(buffer->dtype.with_lanes(lanes), 4), predicate));
}

Stmt RandomIr::flat_leaf() {
  switch (rng_.below(6)) {
    case 0:
      return Stmt(new EvaluateNode(
          Expr(new CallNode(kInt32, Intrinsic::kPrint,
                            {Expr(new StringImmNode("t\n" + name())), expr(kFloat32, 2)}))));
    case 1: {
      Expr where = load_of(pick(readable_), 1, 1);
      return Stmt(new EvaluateNode(Expr(new CallNode(
          kInt32, Intrinsic::kPrefetch, {where, make_int(kInt32, 1), make_int(kInt32, 3)}))));
    }
    case 2:
      return Stmt(new AssertNode(expr(kBool, 2), rng_.between(1, 9), "x = {} \"" + name(),
                                 {expr(kInt64, 1), expr(kFloat64, 1)}));
    case 3: return Stmt(new BarrierNode(chance(50) ? Scope::kShared : Scope::kWarp));
    default: return store_to(pick(writable_));
  }
}

Stmt RandomIr::stmts(int depth) {
  std::vector<Stmt> list;
  const int64_t count = chance(60) ? 1 : rng_.between(0, 3);
  if (count == 1 && chance(90)) return stmt(depth);
  for (int64_t i = 0; i < count; ++i) list.push_back(stmt(depth));
  return Stmt(new SeqNode(std::move(list)));
}

Stmt RandomIr::loop(int depth) {
  const std::vector<ForKind> kinds{ForKind::kSerial,     ForKind::kOrdered,  ForKind::kParallel,
                                   ForKind::kVectorized, ForKind::kUnrolled, ForKind::kThread};
  const ForKind kind = pick(kinds);
  const ThreadAxis axis = kind != ForKind::kThread ? ThreadAxis::kNone
                          : chance(50)             ? ThreadAxis::kBlockX
                                                   : ThreadAxis::kVThread;
  Var var(name(), chance(80) ? kInt64 : kInt32);
  Expr extent = kind == ForKind::kVectorized ? make_int(var.dtype(), 8) : expr(var.dtype(), 1);
  const int64_t id = next_id_++;
  scope_.push_back(var);
  loop_ids_.push_back(id);
  Stmt body = stmts(depth - 1);
  loop_ids_.pop_back();
  scope_.pop_back();
  return Stmt(new ForNode(id, var, extent, kind, axis, attrs(), body));
}

Stmt RandomIr::stmt(int depth) {
  const bool scheduled = level_ == Level::kScheduled;
  if (depth <= 0) return scheduled ? block() : flat_leaf();
  switch (rng_.below(8)) {
    case 0:
      return Stmt(
          new IfNode(expr(kBool, 2), stmts(depth - 1), chance(50) ? stmts(depth - 1) : Stmt()));
    case 1: {
      Var var(name(), scalar_type());
      Expr value = expr(var.dtype(), 2);
      scope_.push_back(var);
      Stmt body = stmts(depth - 1);
      scope_.pop_back();
      return Stmt(new LetStmtNode(var, value, body));
    }
    case 2: {
      if (scheduled) return block();
      Buffer b = buffer(scalar_type(), chance(50) ? Scope::kLocal : Scope::kShared, true);
      readable_.push_back(b);
      writable_.push_back(b);
      Stmt body = stmts(depth - 1);
      readable_.pop_back();
      writable_.pop_back();
      return Stmt(new AllocNode(b, body));
    }
    case 3: return stmts(depth - 1);
    case 4: return scheduled ? block() : flat_leaf();
    default: return loop(depth);
  }
}

Reducer RandomIr::reducer() {
  if (!reducers_.empty() && chance(30)) return pick(reducers_);
  if (chance(50)) {
    const DType t = pick(std::vector<DType>{kFloat32, kInt32, kBFloat16});
    switch (rng_.below(5)) {
      case 0: return reducers::sum(t);
      case 1: return reducers::max(t);
      case 2: return chance(50) ? reducers::any() : reducers::all();
      case 3: return reducers::argmax(kInt64, t);
      default: return reducers::argmin(kInt32, t);
    }
  }
  std::vector<Var> lhs, rhs;
  std::vector<Expr> results, identity;
  const int64_t arity = rng_.between(1, 2);
  for (int64_t j = 0; j < arity; ++j) {
    const DType t = pick(std::vector<DType>{kFloat32, kInt32});
    lhs.emplace_back(name(), t);
    rhs.emplace_back(name(), t);
    results.push_back(Expr(new BinaryNode(t, BinaryOp::kSub, rhs.back(), lhs.back())));
    identity.push_back(constant(t));
  }
  Reducer made(new ReducerNode(chance(30) ? "sum" : "mine " + name(), lhs, rhs, results, identity,
                               chance(50), chance(50)));
  reducers_.push_back(made);
  return made;
}

std::vector<Buffer> RandomIr::writable_of(DType dtype, int rank) {
  std::vector<Buffer> result;
  for (const Buffer& b : writable_) {
    if (b->dtype == dtype && b->rank() == rank) result.push_back(b);
  }
  return result;
}

std::vector<IterVar> RandomIr::iter_vars(bool reduces) {
  std::vector<IterVar> iters;
  for (int64_t i = rng_.between(0, 3); i > 0; --i) {
    const DType t = chance(80) ? kInt64 : kInt32;
    IterVar iter{Var(name(), t), {expr(t, 0), expr(t, 1)}, IterKind::kSpatial};
    if (chance(30)) iter.dom.min = make_int(t, 0);
    if (chance(20)) iter.dom.extent = make_int(t, 1);
    if (reduces && chance(40)) iter.kind = IterKind::kReduce;
    if (chance(10)) iter.kind = IterKind::kOrdered;
    iters.push_back(iter);
  }
  return iters;
}

std::vector<Conjunct> RandomIr::guard() {
  std::vector<Conjunct> result;
  while (chance(40)) {
    result.push_back({expr(kBool, 2), loop_ids_.empty() ? -1 : pick(loop_ids_),
                      static_cast<Tail>(rng_.below(6))});
  }
  return result;
}

// An update of `targets`, which it chooses; maybe with an init.
Stmt RandomIr::update(const Reducer& how, std::vector<Buffer>& targets, Stmt& init) {
  const int rank = static_cast<int>(rng_.below(2));
  for (const Var& var : how->lhs) targets.push_back(pick(writable_of(var.dtype(), rank)));
  std::vector<Expr> terms;
  for (const Var& var : how->rhs) terms.push_back(expr(var.dtype(), 3));
  if (chance(60)) {
    init = Stmt(
        new StoreNode(targets[0], std::vector<Expr>(rank, make_int(kInt64, 0)), how->identity[0]));
  }
  return Stmt(new UpdateNode(how, targets, indices(targets[0], 1, 1), terms));
}

std::vector<Region> RandomIr::reads_of(const Stmt& body) {
  std::vector<Region> reads;
  walk_exprs(body, [&](const Expr& e) {
    const LoadNode* load = e.as<LoadNode>();
    if (!load) return;
    Region region{load->buffer, {}};
    for (int d = 0; d < load->buffer->rank(); ++d) {
      region.ranges.push_back(
          {expr(kInt64, 1), chance(50) ? make_int(kInt64, 1) : expr(kInt64, 1)});
    }
    reads.push_back(region);
  });
  return reads;
}

Stmt RandomIr::block() {
  const Reducer how = chance(40) ? reducer() : Reducer();
  const std::vector<IterVar> iters = iter_vars(static_cast<bool>(how));
  std::vector<Expr> values;
  for (const IterVar& iter : iters) values.push_back(expr(iter.var.dtype(), 2));
  std::vector<Conjunct> conjuncts = guard();
  const std::vector<Var> outside = scope_;
  scope_ = scalars_;
  for (const IterVar& iter : iters) scope_.push_back(iter.var);
  Stmt body, init;
  std::vector<Buffer> targets;
  if (how) {
    body = update(how, targets, init);
  } else {
    targets.push_back(pick(writable_));
    body = store_to(targets[0]);
  }
  Expr where = chance(30) ? expr(kBool, 2) : Expr();
  std::vector<Region> reads = reads_of(body), writes;
  for (const Buffer& b : targets) {
    const Range four{make_int(kInt64, 0), make_int(kInt64, 4)};
    writes.push_back({b, std::vector<Range>(b->rank(), four)});
  }
  scope_ = outside;
  const BlockKind kind = chance(80) ? BlockKind::kCompute : BlockKind::kOpaque;
  Block made(new BlockNode(next_id_++, "b " + name(), kind, iters, where, reads, writes, how, init,
                           body, attrs(), chance(50) ? "from \"" + name() : ""));
  return Stmt(new BlockRealizeNode(values, conjuncts, made));
}

// ---- Functions ----------------------------------------------------------------------------------

Layout RandomIr::layout(const std::vector<Expr>& shape) {
  std::vector<Var> vars;
  std::vector<Expr> physical, strides;
  std::vector<int64_t> fold;
  if (chance(50) && !shape.empty()) {
    for (size_t d = 0; d < shape.size(); ++d) vars.emplace_back(name());
    for (const Var& var : vars) {
      physical.push_back(floor_div(var, 4));
      physical.push_back(floor_mod(var, 4));
    }
  }
  const size_t dims = physical.empty() ? shape.size() : physical.size();
  if (chance(50)) strides.assign(dims, scalars_[0] + 3);
  if (chance(30)) fold.assign(shape.size(), 5);
  return Layout(new LayoutNode(vars, physical, strides, chance(30) ? make_int(kInt64, 16) : Expr(),
                               fold, rng_.between(1, 3), rng_.between(0, 2)));
}

Buffer RandomIr::buffer(DType dtype, Scope scope, bool any_shape) {
  std::vector<Expr> shape;
  for (int64_t d = rng_.between(0, 3); any_shape && d > 0; --d) {
    shape.push_back(chance(50) ? make_int(kInt64, rng_.between(0, 99)) : scalars_[0] + 1);
  }
  std::vector<Pad> pad;
  if (!shape.empty() && chance(30)) pad.push_back({0, 8, chance(50) ? constant(dtype) : Expr()});
  return Buffer(new BufferNode(name(), dtype, shape, scope, chance(30) ? layout(shape) : Layout(),
                               pad, chance(30) ? 64 : 0));
}

PrimFunc RandomIr::func(Level level) {
  level_ = level;
  scope_.clear();
  readable_.clear();
  writable_.clear();
  reducers_.clear();
  next_id_ = 1;
  Var n("n"), s(name(), kFloat32);
  scalars_ = {n, s};
  scope_ = scalars_;
  std::vector<Param> params;
  Buffer first(new BufferNode("A", kFloat32, {n, 16}));
  params.push_back({first, {}, ParamRole::kInput, -1, chance(50), chance(50)});
  params.push_back({{}, n, ParamRole::kShape});
  params.push_back({{}, s, ParamRole::kInput});
  readable_.push_back(first);
  for (DType t : {kFloat32, kInt32, kInt64, kBFloat16, kBool}) {
    for (int rank = 0; rank < 2; ++rank) {
      Buffer b(new BufferNode(name(), t, std::vector<Expr>(rank, n + 7)));
      const int64_t alias = chance(20) && !params.empty() ? 0 : -1;
      params.push_back({b, {}, chance(50) ? ParamRole::kOutput : ParamRole::kInout, alias});
      readable_.push_back(b);
      writable_.push_back(b);
    }
  }
  std::vector<Expr> assumptions;
  while (chance(40))
    assumptions.push_back(Expr(new BinaryNode(kBool, BinaryOp::kGe, n, make_int(kInt64, 1))));
  std::vector<Buffer> allocs;
  if (level == Level::kScheduled) {
    while (chance(50)) {
      allocs.push_back(buffer(scalar_type(), static_cast<Scope>(rng_.below(2) * 2), true));
      readable_.push_back(allocs.back());
      writable_.push_back(allocs.back());
    }
  }
  Stmt body = stmts(5);
  // A buffer that lives in an existing loop and is not used at all.
  if (level == Level::kScheduled && next_id_ > 1) {
    int64_t loop_id = -1;
    walk_stmts(body, [&](const Stmt& st) {
      if (auto* node = st.as<ForNode>(); node && chance(50)) loop_id = node->id;
    });
    if (loop_id >= 0) {
      allocs.push_back(Buffer(new BufferNode(name(), kFloat32, {8}, Scope::kLocal, {}, {}, 0,
                                             {AllocAt::Kind::kLoop, loop_id})));
    }
  }
  return PrimFunc(
      new PrimFuncNode("f" + name(), params, assumptions, allocs, body, level, attrs()));
}

}  // namespace tilewright::testing
