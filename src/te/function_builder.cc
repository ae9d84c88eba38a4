#include "te/function_builder.h"

#include "te/checks.h"
#include "tilewright/ir/text.h"

namespace tilewright::te::detail {
namespace {

Expr int64(int64_t value) { return ir::make_int(kInt64, value); }

class Rename : public ir::Mutator {
 public:
  Rename(const std::map<ValueKey, ir::Buffer>& buffers, const ir::BufferMap& temporaries,
         const ir::VarMap& vars)
      : buffers_(buffers), temporaries_(temporaries), vars_(vars) {}
  using Mutator::mutate;
  ir::Buffer mutate(const ir::Buffer& buffer) override {
    const auto temporary = temporaries_.find(buffer);
    return temporary == temporaries_.end() ? buffers_.at(key_of(buffer.get())) : temporary->second;
  }

 protected:
  using Mutator::mutate_node;
  Expr mutate_node(const ir::VarNode&, const Expr& self) override {
    const auto found = vars_.find(self);
    return found == vars_.end() ? self : found->second;
  }

 private:
  const std::map<ValueKey, ir::Buffer>& buffers_;
  const ir::BufferMap& temporaries_;
  const ir::VarMap& vars_;
};

// Gives loop and let variables names by position alone.
class NameByPosition : public ir::Mutator {
 public:
  using Mutator::mutate;

 protected:
  using Mutator::mutate_node;
  Expr mutate_node(const ir::VarNode&, const Expr& self) override {
    const auto found = map_.find(self);
    return found == map_.end() ? self : found->second;
  }
  ir::Stmt mutate_node(const ir::ForNode& node, const ir::Stmt&) override {
    Expr extent = mutate(node.extent);
    const Var var = renamed(node.var);
    return ir::Stmt(new ir::ForNode(node.id, var, std::move(extent), node.for_kind, node.thread,
                                    node.annotations, mutate(node.body)));
  }
  ir::Stmt mutate_node(const ir::LetStmtNode& node, const ir::Stmt&) override {
    Expr value = mutate(node.value);
    const Var var = renamed(node.var);
    return ir::Stmt(new ir::LetStmtNode(var, std::move(value), mutate(node.body)));
  }
  Expr mutate_node(const ir::LetNode& node, const Expr&) override {
    Expr value = mutate(node.value);
    const Var var = renamed(node.var);
    return Expr(new ir::LetNode(var, std::move(value), mutate(node.body)));
  }

 private:
  Var renamed(const Var& var) {
    const Var fresh(fmt::format("v{}", map_.size()), var.dtype());
    map_[var] = fresh;
    return fresh;
  }

  ir::VarMap map_;
};

ir::Region whole(const ir::Buffer& buffer) {
  ir::Region region{buffer, {}};
  for (const Expr& extent : buffer->shape) region.ranges.push_back({int64(0), extent});
  return region;
}

bool is_size(const Var& var) {
  const VarDefinition* definition = definition_of(var.node());
  return definition && definition->role == VarRole::kSize;
}

}  // namespace

Expr FunctionBuilder::renamed(const Expr& e, const ir::VarMap& vars) const {
  return Rename(buffers_, temporaries_, vars).mutate(e);
}

std::string FunctionBuilder::unique_name(std::set<std::string>& used, const std::string& wanted,
                                         const char* canonical) const {
  if (naming_ == Naming::kCanonical) {
    std::string name = fmt::format("{}{}", canonical, used.size());
    used.insert(name);
    return name;
  }
  std::string name = wanted;
  for (int n = 1; !used.insert(name).second; ++n) name = fmt::format("{}_{}", wanted, n);
  return name;
}

ir::Buffer FunctionBuilder::make_buffer(const std::string& name, DType dtype,
                                        const std::vector<Expr>& shape, ir::AllocAt::Kind at) {
  std::vector<Expr> extents;
  for (const Expr& extent : shape) {
    add_sizes_of(extent);
    extents.push_back(renamed(extent));
  }
  return ir::Buffer(new ir::BufferNode(unique_name(names_, name, "t"), dtype, std::move(extents),
                                       ir::Scope::kGlobal, {}, {}, 0, {at, -1}));
}

// Sizes are named on first sight; their parameters are added at the end.
void FunctionBuilder::add_sizes_of(const Expr& e) {
  for (const Var& var : ir::free_vars(e)) {
    if (!is_size(var) || !sizes_.insert(var).second) continue;
    const std::string name = unique_name(names_, var.name(), "n");
    if (name != var.name()) vars_[var] = Var(name, kInt64);
  }
}

void FunctionBuilder::add_param(const Arg& arg) {
  ir::Param param;
  if (arg.tensor.defined()) {
    const bool output = arg.tensor.op().kind != Operation::Kind::kPlaceholder;
    param.role = output ? ir::ParamRole::kOutput : ir::ParamRole::kInput;
    param.buffer = make_buffer(arg.tensor.name(), arg.tensor.dtype(), arg.tensor.shape(),
                               ir::AllocAt::Kind::kParam);
    buffers_[key_of(arg.tensor.buffer().get())] = param.buffer;
  } else {
    const Var var(arg.scalar.as<ir::VarNode>());
    const std::string name = unique_name(names_, var.name(), "s");
    param.var = name == var.name() ? var : Var(name, var.dtype());
    if (!param.var.same_as(var)) vars_[var] = param.var;
  }
  params_.push_back(std::move(param));
}

void FunctionBuilder::add_intermediates() {
  const auto add = [&](const Operation* op, size_t value, const std::string& name, DType dtype,
                       const std::vector<Expr>& shape) {
    const ValueKey key{op, static_cast<int64_t>(value)};
    if (buffers_.count(key)) return;
    allocs_.push_back(make_buffer(name, dtype, shape, ir::AllocAt::Kind::kRoot));
    buffers_[key] = allocs_.back();
  };
  for (const Operation* op : graph_.operations) {
    if (op->kind == Operation::Kind::kScan) {
      const auto& stages = static_cast<const ScanOp*>(op)->stages;
      for (size_t s = 0; s < stages.size(); ++s) {
        if (!stages[s].is_state) continue;  // values of one step live in the loop over the steps
        add(op, s, stages[s].name, stages[s].dtype, stages[s].buffer->shape);
      }
    } else if (op->kind == Operation::Kind::kExtern) {
      const auto& outputs = static_cast<const ExternOp*>(op)->outputs;
      for (size_t v = 0; v < outputs.size(); ++v) {
        add(op, v, outputs[v]->name, outputs[v]->dtype, outputs[v]->shape);
      }
    } else {
      const auto& values = static_cast<const ComputeOp*>(op)->values;
      for (size_t v = 0; v < values.size(); ++v) {
        const std::string suffix = values.size() > 1 ? fmt::format("_v{}", v) : "";
        add(op, v, op->name + suffix, values[v].dtype(), op->shape);
      }
    }
  }
}

// A size is read off a dimension that is the size itself.
void FunctionBuilder::add_shape_params(const std::vector<Expr>& assumptions) {
  std::vector<Expr> used;
  for (const ir::Param& param : params_) {
    if (param.buffer)
      used.insert(used.end(), param.buffer->shape.begin(), param.buffer->shape.end());
  }
  ir::VarSet bound;
  for (const Expr& extent : used) {
    if (extent.as<ir::VarNode>()) bound.insert(extent);
  }
  for (const Operation* op : graph_.operations) {
    for (const Expr& e : expressions_of(*op)) {
      add_sizes_of(e);
      used.push_back(ir::substitute(e, vars_));  // its buffers are not all made yet
    }
  }
  for (const Expr& e : assumptions) {
    add_sizes_of(e);
    used.push_back(renamed(e));
  }
  ir::VarSet added;
  ir::VarSet sizes;
  for (const Expr& size : sizes_) {
    const auto found = vars_.find(size);
    sizes.insert(found == vars_.end() ? size : found->second);
  }
  for (const Expr& e : used) {
    for (const Var& var : ir::free_vars(e)) {
      if (!sizes.count(var) || !added.insert(var).second) continue;
      if (!bound.count(var)) {
        fail("te.unbound_size",
             "size '{}' is not a dimension of any argument, so a call could not know it; make it "
             "the extent of an argument's dimension, or use a scalar (te::scalar) where it is only "
             "a value",
             var.name());
      }
      ir::Param param;
      param.var = var;
      param.role = ir::ParamRole::kShape;
      params_.push_back(std::move(param));
    }
  }
}

void FunctionBuilder::add_assumptions(const std::vector<Expr>& given) {
  arith::Analyzer facts;
  for (const ir::Param& param : params_) {
    if (param.role == ir::ParamRole::kShape) facts.assume(param.var >= int64(0));
  }
  for (const Expr& assumption : given) {
    assumptions_.push_back(renamed(assumption));
    facts.assume(assumptions_.back());
  }
  const auto add = [&](const Expr& condition, const std::string& why) {
    if (facts.can_prove(condition)) return;
    if (facts.can_prove(!condition)) {
      fail("te.bad_assumption", "{} needs {}, which never holds under the assumptions", why,
           shown(condition));
    }
    assumptions_.push_back(condition);
    facts.assume(condition);
  };
  std::vector<ir::Buffer> buffers = allocs_;
  for (const ir::Param& param : params_) {
    if (param.buffer) buffers.push_back(param.buffer);
  }
  for (const ir::Buffer& buffer : buffers) {
    for (const Expr& extent : buffer->shape) {
      add(extent >= int64(0), fmt::format("tensor '{}'", buffer->name));
    }
  }
  const auto add_formula = [&](const ComputeOp& op) {
    for (const Range& dom : op.reduce_domains) {
      add(renamed(dom.extent) >= int64(0), fmt::format("the reduction of '{}'", op.name));
    }
    for (const Expr& condition : op.preconditions) {
      add(renamed(condition), fmt::format("compute '{}'", op.name));
    }
  };
  for (const Operation* op : graph_.operations) {
    if (op->kind == Operation::Kind::kCompute) add_formula(static_cast<const ComputeOp&>(*op));
    if (op->kind != Operation::Kind::kScan) continue;
    const auto& scan = static_cast<const ScanOp&>(*op);
    for (int64_t stage : scan.order) {
      const ComputeOp& formula = *scan.stages[static_cast<size_t>(stage)].formula;
      for (const Expr& extent : formula.shape) {
        add(renamed(extent) >= int64(0), fmt::format("'{}' of scan '{}'", formula.name, op->name));
      }
      add_formula(formula);
    }
  }
}

ir::Stmt FunctionBuilder::make_nest(const ComputeOp& op, const std::vector<ir::Buffer>& outputs,
                                    const Var& step) {
  std::vector<Var> axes = op.axes;
  axes.insert(axes.end(), op.reduce_axes.begin(), op.reduce_axes.end());
  std::set<std::string> used;
  if (step.defined()) used.insert(step.name());
  std::vector<Var> loop_vars, block_vars;
  std::vector<Expr> extents, iter_values;
  std::vector<int64_t> loop_ids;
  for (size_t a = 0; a < axes.size(); ++a) {
    if (static_cast<int64_t>(a) == op.ordered_axis) {
      block_vars.emplace_back("v" + step.name(), kInt64);
      iter_values.push_back(step);
      continue;
    }
    const std::string name = unique_name(used, axes[a].name(), "i");
    loop_vars.emplace_back(name, kInt64);
    block_vars.emplace_back("v" + name, kInt64);
    const bool spatial = a < op.axes.size();
    const size_t r = a - op.axes.size();
    extents.push_back(renamed(spatial ? op.shape[a] : op.reduce_domains[r].extent));
    iter_values.push_back(spatial ? Expr(loop_vars.back())
                                  : loop_vars.back() + renamed(op.reduce_domains[r].min));
    loop_ids.push_back(next_id_++);
  }
  ir::Stmt nest(
      new ir::BlockRealizeNode(std::move(iter_values), {}, make_block(op, outputs, block_vars)));
  for (size_t a = loop_vars.size(); a-- > 0;) {
    nest = ir::make_for(loop_ids[a], loop_vars[a], extents[a], std::move(nest));
  }
  return nest;
}

ir::Block FunctionBuilder::make_block(const ComputeOp& op, const std::vector<ir::Buffer>& outputs,
                                      const std::vector<Var>& block_vars) {
  ir::VarMap vars = vars_;
  std::vector<ir::IterVar> iter_vars;
  std::vector<Expr> indices;
  for (size_t d = 0; d < op.axes.size(); ++d) {
    vars[op.axes[d]] = block_vars[d];
    indices.push_back(block_vars[d]);
    const bool ordered = static_cast<int64_t>(d) == op.ordered_axis;
    iter_vars.push_back({block_vars[d],
                         {int64(0), renamed(op.shape[d])},
                         ordered ? ir::IterKind::kOrdered : ir::IterKind::kSpatial});
  }
  for (size_t r = 0; r < op.reduce_axes.size(); ++r) {
    const Var& var = block_vars[op.axes.size() + r];
    vars[op.reduce_axes[r]] = var;
    const Range& dom = op.reduce_domains[r];
    iter_vars.push_back({var, {renamed(dom.min), renamed(dom.extent)}, ir::IterKind::kReduce});
  }
  std::vector<Expr> values;
  for (const Expr& value : op.values) values.push_back(renamed(value, vars));
  std::vector<ir::Stmt> stores;
  for (size_t v = 0; v < outputs.size(); ++v) {
    const Expr value = op.reducer ? op.reducer->identity[v] : values[v];
    stores.push_back(ir::store(outputs[v], indices, value));
  }
  ir::Stmt init, body = ir::seq(std::move(stores));
  if (op.reducer) {
    init = std::move(body);
    body = ir::Stmt(new ir::UpdateNode(op.reducer, outputs, indices, std::move(values)));
  }
  const Expr where = op.where.defined() ? renamed(op.where, vars) : Expr();
  const int64_t id = next_id_++;
  return arith::with_derived_regions(ir::Block(new ir::BlockNode(
      id, unique_name(block_names_, op.name, "b"), ir::BlockKind::kCompute, std::move(iter_vars),
      where, {}, {}, op.reducer, std::move(init), std::move(body), op.attrs,
      naming_ == Naming::kGiven ? op.name : std::string())));
}

ir::Stmt FunctionBuilder::make_scan(const ScanOp& op) {
  std::set<std::string> used;
  const Var step(unique_name(used, op.step.name(), "i"), kInt64);
  const int64_t loop = next_id_++;
  for (size_t s = 0; s < op.stages.size(); ++s) {
    const ScanStage& stage = op.stages[s];
    if (stage.is_state) continue;
    const ir::Buffer buffer =
        make_buffer(stage.name, stage.dtype, stage.buffer->shape, ir::AllocAt::Kind::kRoot);
    allocs_.push_back(
        ir::Buffer(new ir::BufferNode(buffer->name, buffer->dtype, buffer->shape, buffer->scope, {},
                                      {}, 0, {ir::AllocAt::Kind::kLoop, loop})));
    buffers_[{&op, static_cast<int64_t>(s)}] = allocs_.back();
  }
  std::vector<ir::Stmt> nests;
  for (int64_t s : op.order) {
    const ScanStage& stage = op.stages[static_cast<size_t>(s)];
    nests.push_back(make_nest(*stage.formula, {buffers_.at({&op, s})}, step));
  }
  return ir::make_for(loop, step, renamed(op.steps), ir::seq(std::move(nests)),
                      ir::ForKind::kOrdered);
}

ir::Stmt FunctionBuilder::make_extern(const ExternOp& op) {
  std::vector<ir::Region> reads, writes;
  for (const ir::Buffer& input : op.inputs) {
    reads.push_back(whole(buffers_.at(key_of(input.get()))));
  }
  for (const ir::Buffer& output : op.outputs) {
    writes.push_back(whole(buffers_.at(key_of(output.get()))));
  }
  for (const ir::Buffer& temporary : op.temporaries) {
    allocs_.push_back(
        make_buffer(temporary->name, temporary->dtype, temporary->shape, ir::AllocAt::Kind::kRoot));
    temporaries_[temporary] = allocs_.back();
    writes.push_back(whole(allocs_.back()));
  }
  ir::Stmt body = Rename(buffers_, temporaries_, vars_).mutate(op.body);
  // What it writes and reads again is read too; a C function is taken at its word.
  for (const ir::Region& written : std::vector<ir::Region>(writes)) {
    bool loaded = false;
    ir::walk_exprs(body, [&](const Expr& e) {
      const auto* load = e.as<ir::LoadNode>();
      loaded |= load && load->buffer.same_as(written.buffer);
    });
    if (loaded && !op.is_call) reads.push_back(written);
  }
  body = ir::refresh_bindings(body, [this] { return next_id_++; });
  if (naming_ == Naming::kCanonical) body = NameByPosition().mutate(body);
  const int64_t id = next_id_++;
  ir::Block block(new ir::BlockNode(id, unique_name(block_names_, op.name, "b"),
                                    op.is_call ? ir::BlockKind::kExtern : ir::BlockKind::kOpaque,
                                    {}, {}, std::move(reads), std::move(writes), {}, {},
                                    std::move(body), {},
                                    naming_ == Naming::kGiven ? op.name : std::string()));
  return ir::Stmt(new ir::BlockRealizeNode(std::vector<Expr>{}, {}, std::move(block)));
}

ir::Stmt FunctionBuilder::make_operation(const Operation& op) {
  if (op.kind == Operation::Kind::kScan) return make_scan(static_cast<const ScanOp&>(op));
  if (op.kind == Operation::Kind::kExtern) return make_extern(static_cast<const ExternOp&>(op));
  const auto& compute = static_cast<const ComputeOp&>(op);
  std::vector<ir::Buffer> outputs;
  for (size_t v = 0; v < compute.values.size(); ++v) {
    outputs.push_back(buffers_.at({&op, static_cast<int64_t>(v)}));
  }
  return make_nest(compute, outputs);
}

ir::PrimFunc FunctionBuilder::build(const std::vector<Arg>& args, const std::string& name,
                                    const std::vector<Expr>& assumptions) {
  for (const Arg& arg : args) add_param(arg);
  add_intermediates();
  add_shape_params(assumptions);
  add_assumptions(assumptions);
  std::vector<ir::Stmt> nests;
  for (const Operation* op : graph_.operations) nests.push_back(make_operation(*op));
  return ir::PrimFunc(new ir::PrimFuncNode(name, std::move(params_), std::move(assumptions_),
                                           std::move(allocs_), ir::seq(std::move(nests)),
                                           ir::Level::kScheduled, {}));
}

}  // namespace tilewright::te::detail
