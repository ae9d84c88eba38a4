#include "tilewright/ir/builder.h"

#include <algorithm>
#include <utility>

#include "ir/ops_util.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::ir {

IRBuilder::IRBuilder(std::string name, Level level)
    : name_(std::move(name)), level_(level), open_(1) {}

Var IRBuilder::size(std::string name) {
  Var var(std::move(name));
  params_.push_back({{}, var, ParamRole::kShape});
  return var;
}

Var IRBuilder::scalar(std::string name, DType dtype) {
  Var var(std::move(name), dtype);
  params_.push_back({{}, var, ParamRole::kInput});
  return var;
}

Buffer IRBuilder::parameter(std::string name, DType dtype, std::vector<Expr> shape,
                            ParamRole role) {
  Buffer buffer = make_buffer(std::move(name), dtype, std::move(shape));
  params_.push_back({buffer, {}, role});
  return buffer;
}

Buffer IRBuilder::input(std::string name, DType dtype, std::vector<Expr> shape) {
  return parameter(std::move(name), dtype, std::move(shape), ParamRole::kInput);
}

Buffer IRBuilder::output(std::string name, DType dtype, std::vector<Expr> shape) {
  return parameter(std::move(name), dtype, std::move(shape), ParamRole::kOutput);
}

Buffer IRBuilder::inout(std::string name, DType dtype, std::vector<Expr> shape) {
  return parameter(std::move(name), dtype, std::move(shape), ParamRole::kInout);
}

void IRBuilder::assume(Expr condition) { assumptions_.push_back(std::move(condition)); }

Buffer IRBuilder::temporary(std::string name, DType dtype, std::vector<Expr> shape, Scope scope) {
  Buffer buffer = make_buffer(std::move(name), dtype, std::move(shape), scope);
  if (level_ == Level::kScheduled) {
    allocs_.push_back(buffer);
  } else {
    open_.back().items.push_back({{}, {}, {}, buffer});
  }
  return buffer;
}

// ---- Statements ---------------------------------------------------------------------------------

void IRBuilder::emit(Stmt stmt) { open_.back().items.push_back({std::move(stmt), {}, {}, {}}); }

Stmt IRBuilder::statement(std::vector<Item> items) {
  // From the end: a let or an allocation takes all that follows it as its body.
  std::vector<Stmt> after;
  for (auto it = items.rbegin(); it != items.rend(); ++it) {
    if (it->stmt) {
      after.push_back(std::move(it->stmt));
      continue;
    }
    std::reverse(after.begin(), after.end());
    Stmt rest = seq(std::move(after));
    after = {it->storage ? Stmt(new AllocNode(it->storage, rest))
                         : let_stmt(it->let_var, it->let_value, rest)};
  }
  std::reverse(after.begin(), after.end());
  return seq(std::move(after));
}

void IRBuilder::close() {
  if (open_.size() == 1) fail("ir.builder", "function {}: there is no body to close", name_);
  Frame frame = std::move(open_.back());
  open_.pop_back();
  frame.finish(statement(std::move(frame.items)));
}

void IRBuilder::abandon(size_t depth) {
  if (depth < open_.size()) open_.resize(depth + 1);
}

// Runs the body of what was opened last and closes it; a body that throws leaves nothing open.
void IRBuilder::run(const Body& body) {
  const size_t depth = open_.size();
  try {
    if (body) body();
  } catch (...) {
    open_.resize(depth - 1);
    throw;
  }
  close();
}

Var IRBuilder::open_loop(std::string name, Expr extent, ForKind kind) {
  extent = detail::as_index("extent of loop " + name, std::move(extent));
  Var var(std::move(name), extent.dtype());
  open([this, var, extent, kind, id = next_id_++](Stmt body) {
    emit(make_for(id, var, extent, std::move(body), kind));
  });
  return var;
}

void IRBuilder::loop(std::string name, Expr extent, const std::function<void(const Var&)>& body,
                     ForKind kind) {
  const Var var = open_loop(std::move(name), std::move(extent), kind);
  run([&] { body(var); });
}

void IRBuilder::open_if(Expr condition) {
  detail::require(condition, "if");
  open([this, condition](Stmt body) { emit(if_then(condition, std::move(body))); });
}

void IRBuilder::open_else() {
  const std::vector<Item>& items = open_.back().items;
  const auto* branch =
      items.empty() || !items.back().stmt ? nullptr : items.back().stmt.as<IfNode>();
  if (!branch || branch->else_body) {
    fail("ir.builder", "function {}: an else must come right after an if", name_);
  }
  open([this](Stmt body) {
    const Stmt last = std::move(open_.back().items.back().stmt);
    open_.back().items.pop_back();
    const auto& node = *last.as<IfNode>();
    emit(if_then(node.condition, node.then_body, std::move(body)));
  });
}

void IRBuilder::when(Expr condition, const Body& then_body, const Body& else_body) {
  open_if(std::move(condition));
  run(then_body);
  if (!else_body) return;
  open_else();
  run(else_body);
}

Var IRBuilder::let(std::string name, Expr value) {
  detail::require(value, "let " + name);
  Var var(std::move(name), value.dtype());
  open_.back().items.push_back({{}, var, std::move(value), {}});
  return var;
}

void IRBuilder::store(const Buffer& buffer, std::vector<Expr> indices, Expr value) {
  emit(ir::store(buffer, std::move(indices), std::move(value)));
}

void IRBuilder::update(const Reducer& reducer, std::vector<Buffer> buffers,
                       std::vector<Expr> indices, std::vector<Expr> values) {
  for (Expr& index : indices) index = detail::as_index("index of an update", std::move(index));
  for (size_t j = 0; j < values.size() && j < reducer->arity(); ++j) {
    Expr adapted = detail::adapt_literal(values[j], reducer->rhs[j].dtype());
    if (adapted.defined()) values[j] = adapted;
  }
  emit(Stmt(new UpdateNode(reducer, std::move(buffers), std::move(indices), std::move(values))));
}

void IRBuilder::print(std::string text, std::vector<Expr> values) {
  values.insert(values.begin(), Expr(new StringImmNode(std::move(text))));
  emit(evaluate(call(Intrinsic::kPrint, std::move(values))));
}

void IRBuilder::call_extern(std::string symbol, std::vector<Expr> args) {
  args.insert(args.begin(), Expr(new StringImmNode(std::move(symbol))));
  emit(evaluate(call(Intrinsic::kCallExtern, std::move(args))));
}

// ---- Blocks -------------------------------------------------------------------------------------

namespace {

// The boxes that accesses touch, one a buffer: a dimension stays exact while all accesses agree on
// an index over the iteration variables.
class Regions {
 public:
  explicit Regions(const VarSet& inner) : inner_(inner) {}

  /// No indices: an access to any element.
  void add(const Buffer& buffer, const std::vector<Expr>& indices) {
    std::vector<Range> ranges;
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      const bool exact =
          d < indices.size() && !uses_any_var(indices[d], inner_) && !reads(indices[d]);
      ranges.push_back(exact ? Range{indices[d], make_int(indices[d].dtype(), 1)}
                             : whole(buffer, d));
    }
    for (Region& region : list) {
      if (!region.buffer.same_as(buffer)) continue;
      for (size_t d = 0; d < ranges.size(); ++d) {
        if (!structural_equal(region.ranges[d].min, ranges[d].min)) {
          region.ranges[d] = whole(buffer, d);
        }
      }
      return;
    }
    list.push_back({buffer, std::move(ranges)});
  }

  std::vector<Region> list;

 private:
  static Range whole(const Buffer& buffer, size_t d) {
    return {make_int(buffer->shape[d].dtype(), 0), buffer->shape[d]};
  }
  static bool reads(const Expr& e) {
    bool found = false;
    walk_exprs(e, [&](const Expr& sub) { found |= sub.as<LoadNode>() != nullptr; });
    return found;
  }

  const VarSet& inner_;
};

// Variables bound inside of a block's body.
VarSet bound_in(const Stmt& body) {
  VarSet bound;
  walk_stmts(body, [&](const Stmt& stmt) {
    if (const ForNode* loop = stmt.as<ForNode>()) bound.insert(loop->var);
    if (const LetStmtNode* let = stmt.as<LetStmtNode>()) bound.insert(let->var);
  });
  walk_exprs(body, [&](const Expr& e) {
    if (const LetNode* let = e.as<LetNode>()) bound.insert(let->var);
  });
  return bound;
}

// The elements whose addresses are given to extern functions, which may touch any other one too.
std::vector<const LoadNode*> addresses_in(const Stmt& body) {
  std::vector<const LoadNode*> addresses;
  walk_exprs(body, [&](const Expr& e) {
    const CallNode* call = e.as<CallNode>();
    if (!call || call->intrinsic != Intrinsic::kCallExtern) return;
    for (const Expr& arg : call->args) {
      if (const LoadNode* load = arg.as<LoadNode>()) addresses.push_back(load);
    }
  });
  return addresses;
}

std::vector<Region> reads_of(const Stmt& body, const VarSet& bound) {
  Regions reads(bound);
  const std::vector<const LoadNode*> addresses = addresses_in(body);
  walk_exprs(body, [&](const Expr& e) {
    const LoadNode* load = e.as<LoadNode>();
    if (!load) return;
    const bool whole = std::find(addresses.begin(), addresses.end(), load) != addresses.end();
    reads.add(load->buffer, whole ? std::vector<Expr>() : load->indices);
  });
  return std::move(reads.list);
}

std::vector<Region> writes_of(const Stmt& body, const VarSet& bound) {
  Regions writes(bound);
  walk_stmts(body, [&](const Stmt& stmt) {
    if (const StoreNode* store = stmt.as<StoreNode>()) writes.add(store->buffer, store->indices);
    const UpdateNode* update = stmt.as<UpdateNode>();
    if (!update) return;
    for (const Buffer& buffer : update->buffers) writes.add(buffer, update->indices);
  });
  for (const LoadNode* load : addresses_in(body)) writes.add(load->buffer, {});
  return std::move(writes.list);
}

Stmt init_of(const UpdateNode& update) {
  std::vector<Stmt> stores;
  for (size_t j = 0; j < update.buffers.size() && j < update.reducer->arity(); ++j) {
    stores.push_back(store(update.buffers[j], update.indices, update.reducer->identity[j]));
  }
  return seq(std::move(stores));
}

}  // namespace

std::vector<Var> IRBuilder::open_block(std::string name, std::vector<Axis> axes,
                                       BlockOptions options) {
  std::vector<IterVar> iters;
  std::vector<Expr> values;
  std::vector<Var> vars;
  for (Axis& axis : axes) {
    const std::string what = "axis " + axis.name + " of block " + name;
    Expr extent = detail::as_index(what, std::move(axis.extent));
    Expr value = detail::as_index(what, std::move(axis.value));
    if (extent.dtype() != value.dtype()) {
      extent = cast(kInt64, std::move(extent));
      value = cast(kInt64, std::move(value));
    }
    vars.emplace_back(axis.name, value.dtype());
    iters.push_back({vars.back(), {make_int(value.dtype(), 0), std::move(extent)}, axis.kind});
    values.push_back(std::move(value));
  }
  if ((options.reads || options.writes) && options.kind == BlockKind::kCompute) {
    fail("ir.builder", "block {}: regions of a compute block follow from its body", name);
  }
  open([=, this, id = next_id_++](Stmt inner) {
    const VarSet bound = bound_in(inner);
    const UpdateNode* update = nullptr;
    walk_stmts(inner, [&](const Stmt& stmt) {
      if (const UpdateNode* found = stmt.as<UpdateNode>()) update = found;
    });
    std::vector<Region> reads = options.reads ? options.reads(vars) : reads_of(inner, bound);
    std::vector<Region> writes = options.writes ? options.writes(vars) : writes_of(inner, bound);
    Block made(new BlockNode(id, name, options.kind, iters, {}, std::move(reads), std::move(writes),
                             update ? update->reducer : Reducer(),
                             update ? init_of(*update) : Stmt(), inner, {}, name));
    emit(Stmt(new BlockRealizeNode(values, {}, std::move(made))));
  });
  return vars;
}

void IRBuilder::block(std::string name, std::vector<Axis> axes,
                      const std::function<void(const std::vector<Var>&)>& body,
                      BlockOptions options) {
  const std::vector<Var> vars = open_block(std::move(name), std::move(axes), std::move(options));
  run([&] { body(vars); });
}

Stmt IRBuilder::take() {
  if (open_.size() != 1) {
    fail("ir.builder", "function {}: {} bodies are still open", name_, open_.size() - 1);
  }
  return statement(std::exchange(open_.back().items, {}));
}

PrimFunc IRBuilder::finish() {
  PrimFunc func(new PrimFuncNode(name_, params_, assumptions_, allocs_, take(), level_, {}));
  const std::vector<std::string> faults = verify(func);
  if (faults.empty()) return func;
  std::string text;
  for (const std::string& fault : faults) text += "\n  " + fault;
  fail("ir.malformed", "function {} is not well-formed:{}", name_, text);
}

}  // namespace tilewright::ir
