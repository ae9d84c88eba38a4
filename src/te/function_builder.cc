#include "te/function_builder.h"

#include "te/checks.h"
#include "tilewright/ir/text.h"

namespace tilewright::te::detail {
namespace {

Expr int64(int64_t value) { return ir::make_int(kInt64, value); }

class Rename : public ir::Mutator {
 public:
  Rename(const std::map<ValueKey, ir::Buffer>& buffers, const ir::VarMap& vars)
      : buffers_(buffers), vars_(vars) {}
  using Mutator::mutate;
  ir::Buffer mutate(const ir::Buffer& buffer) override { return buffers_.at(key_of(buffer.get())); }

 protected:
  using Mutator::mutate_node;
  Expr mutate_node(const ir::VarNode&, const Expr& self) override {
    const auto found = vars_.find(self);
    return found == vars_.end() ? self : found->second;
  }

 private:
  const std::map<ValueKey, ir::Buffer>& buffers_;
  const ir::VarMap& vars_;
};

bool is_size(const Var& var) {
  const VarDefinition* definition = definition_of(var.node());
  return definition && definition->role == VarRole::kSize;
}

}  // namespace

Expr FunctionBuilder::renamed(const Expr& e, const ir::VarMap& vars) const {
  return Rename(buffers_, vars).mutate(e);
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
    const bool output = arg.tensor.op().kind == Operation::Kind::kCompute;
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
  for (const ComputeOp* op : graph_.computes) {
    for (size_t v = 0; v < op->values.size(); ++v) {
      const ValueKey key{op, static_cast<int64_t>(v)};
      if (buffers_.count(key)) continue;
      std::string name = op->name;
      if (op->values.size() > 1) name += fmt::format("_v{}", v);
      allocs_.push_back(
          make_buffer(name, op->values[v].dtype(), op->shape, ir::AllocAt::Kind::kRoot));
      buffers_[key] = allocs_.back();
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
  for (const ComputeOp* op : graph_.computes) {
    for (const Expr& e : expressions_of(*op)) {
      add_sizes_of(e);
      used.push_back(renamed(e));
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
  for (const ComputeOp* op : graph_.computes) {
    for (const Range& dom : op->reduce_domains) {
      add(renamed(dom.extent) >= int64(0), fmt::format("the reduction of '{}'", op->name));
    }
    for (const Expr& condition : op->preconditions) {
      add(renamed(condition), fmt::format("compute '{}'", op->name));
    }
  }
}

ir::Stmt FunctionBuilder::make_nest(const ComputeOp& op) {
  std::vector<Var> axes = op.axes;
  axes.insert(axes.end(), op.reduce_axes.begin(), op.reduce_axes.end());
  std::set<std::string> used;
  std::vector<Var> loop_vars, block_vars;
  std::vector<Expr> extents, iter_values;
  for (size_t a = 0; a < axes.size(); ++a) {
    const std::string name = unique_name(used, axes[a].name(), "i");
    loop_vars.emplace_back(name, kInt64);
    block_vars.emplace_back("v" + name, kInt64);
    const bool spatial = a < op.axes.size();
    const size_t r = a - op.axes.size();
    extents.push_back(renamed(spatial ? op.shape[a] : op.reduce_domains[r].extent));
    iter_values.push_back(spatial ? Expr(loop_vars[a])
                                  : loop_vars[a] + renamed(op.reduce_domains[r].min));
  }
  std::vector<int64_t> loop_ids;
  for (size_t a = 0; a < axes.size(); ++a) loop_ids.push_back(next_id_++);
  ir::Stmt nest(new ir::BlockRealizeNode(std::move(iter_values), {}, make_block(op, block_vars)));
  for (size_t a = axes.size(); a-- > 0;) {
    nest = ir::make_for(loop_ids[a], loop_vars[a], extents[a], std::move(nest));
  }
  return nest;
}

ir::Block FunctionBuilder::make_block(const ComputeOp& op, const std::vector<Var>& block_vars) {
  ir::VarMap vars = vars_;
  std::vector<ir::IterVar> iter_vars;
  std::vector<Expr> indices;
  for (size_t d = 0; d < op.axes.size(); ++d) {
    vars[op.axes[d]] = block_vars[d];
    indices.push_back(block_vars[d]);
    iter_vars.push_back({block_vars[d], {int64(0), renamed(op.shape[d])}, ir::IterKind::kSpatial});
  }
  for (size_t r = 0; r < op.reduce_axes.size(); ++r) {
    const Var& var = block_vars[op.axes.size() + r];
    vars[op.reduce_axes[r]] = var;
    const Range& dom = op.reduce_domains[r];
    iter_vars.push_back({var, {renamed(dom.min), renamed(dom.extent)}, ir::IterKind::kReduce});
  }
  std::vector<ir::Buffer> outputs;
  std::vector<Expr> values;
  for (size_t v = 0; v < op.values.size(); ++v) {
    outputs.push_back(buffers_.at({&op, static_cast<int64_t>(v)}));
    values.push_back(renamed(op.values[v], vars));
  }
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

ir::PrimFunc FunctionBuilder::build(const std::vector<Arg>& args, const std::string& name,
                                    const std::vector<Expr>& assumptions) {
  for (const Arg& arg : args) add_param(arg);
  add_intermediates();
  add_shape_params(assumptions);
  add_assumptions(assumptions);
  std::vector<ir::Stmt> nests;
  for (const ComputeOp* op : graph_.computes) nests.push_back(make_nest(*op));
  return ir::PrimFunc(new ir::PrimFuncNode(name, std::move(params_), std::move(assumptions_),
                                           std::move(allocs_), ir::seq(std::move(nests)),
                                           ir::Level::kScheduled, {}));
}

}  // namespace tilewright::te::detail
