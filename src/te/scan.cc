#include "tilewright/te/scan.h"

#include "te/checks.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te {
namespace {

Expr int64(int64_t value) { return ir::make_int(kInt64, value); }

std::vector<Expr> with_step(std::vector<Expr> items, int64_t axis, const Expr& step) {
  items.insert(items.begin() + axis, step);
  return items;
}

void add_inputs(ScanOp& scan, const ComputeOp& formula) {
  for (const ir::Buffer& input : formula.inputs) {
    bool known = false;
    for (const ir::Buffer& other : scan.inputs) known = known || other.same_as(input);
    if (!known) scan.inputs.push_back(input);
  }
}

std::string what_of(const ScanOp& scan, const std::string& stage) {
  return fmt::format("'{}' of scan '{}'", stage, scan.name);
}

void require_open(const ScanOp& scan) {
  if (scan.finished) fail("te.scan_update", "scan '{}' was finished; make a new one", scan.name);
}

// The buffer that the formulas read: over all steps, with the step at `axis`.
ir::Buffer inner_buffer(const ScanOp& scan, const ScanStage& stage, int64_t index) {
  Ref<const RefCounted> definition(new InnerDefinition(&scan, index));
  return ir::Buffer(new ir::BufferNode(stage.name, stage.dtype,
                                       with_step(stage.shape, stage.axis, scan.steps),
                                       ir::Scope::kGlobal, {}, {}, 0, {}, std::move(definition)));
}

// One formula of a step, as a compute that has the step among its axes.
Ref<const ComputeOp> make_formula(ScanOp& scan, const std::string& name,
                                  const std::vector<Expr>& shape, int64_t axis,
                                  const ComputeFunction& function) {
  const std::string what = what_of(scan, name);
  auto* op = new ComputeOp(name, with_step(shape, axis, scan.steps));
  Ref<const ComputeOp> owner(op);
  const std::vector<Var> spatial = detail::make_axes(shape, {}, what);
  op->axes = spatial;
  op->axes.insert(op->axes.begin() + axis, scan.step);
  op->ordered_axis = axis;
  op->scan = &scan;
  detail::fill_formula(*op, what, function, spatial);
  if (op->values.size() != 1) {
    fail("te.scan_update", "{}: a formula of a scan has one value, this one has {}", what,
         op->values.size());
  }
  add_inputs(scan, *op);
  return owner;
}

}  // namespace

// ---- ScanValue ------------------------------------------------------------------------------------

std::vector<Expr> ScanValue::shape() const {
  return scan_->stages[static_cast<size_t>(index_)].shape;
}
DType ScanValue::dtype() const { return scan_->stages[static_cast<size_t>(index_)].dtype; }
std::string ScanValue::name() const { return scan_->stages[static_cast<size_t>(index_)].name; }

Expr ScanValue::at(const std::vector<Expr>& indices) const {
  if (!defined()) fail("te.null_tensor", "a value of a scan that was never made is read");
  const ScanStage& stage = scan_->stages[static_cast<size_t>(index_)];
  if (indices.size() != stage.shape.size()) {
    fail("te.rank_mismatch", "{} has {} dimension(s), shape {}, but is read with {} index(es)",
         what_of(*scan_, stage.name), stage.shape.size(), detail::shown(stage.shape),
         indices.size());
  }
  std::vector<Expr> plain;
  for (size_t d = 0; d < indices.size(); ++d) {
    plain.push_back(detail::as_int64("te.index_dtype",
                                     fmt::format("index {} of {}", d, what_of(*scan_, stage.name)),
                                     indices[d]));
  }
  const Expr step = scan_->step;
  if (!stage.is_state) return ir::load(stage.buffer, with_step(plain, stage.axis, step));
  ir::VarMap first;
  for (size_t d = 0; d < plain.size(); ++d) first[stage.init_axes[d]] = plain[d];
  return ir::if_then_else(step > int64(0),
                          ir::load(stage.buffer, with_step(plain, stage.axis, step - int64(1))),
                          ir::substitute(stage.init, first));
}

// ---- Scan -----------------------------------------------------------------------------------------

Scan::Scan(Expr steps, std::string name) {
  detail::check_name("a scan", name);
  const std::string what = fmt::format("scan '{}'", name);
  const Expr extent = detail::checked_shape(what, {std::move(steps)})[0];
  Ref<const RefCounted> definition(new VarDefinition(VarRole::kStep, {int64(0), extent}));
  const Var step(new ir::VarNode(kInt64, "t", std::move(definition)));
  op_ = Ref<ScanOp>(new ScanOp(std::move(name), extent, step));
}

const Var& Scan::step() const { return op_->step; }

size_t Scan::rank_of(const ScanValue& state) { return state.defined() ? state.shape().size() : 0; }

ScanValue Scan::add_state(std::vector<Expr> shape, const ComputeFunction& init,
                          ScanStateOptions options) {
  require_open(*op_);
  detail::check_name("a state of a scan", options.name);
  const std::string what = what_of(*op_, options.name);
  ScanStage stage;
  stage.name = options.name;
  stage.shape = detail::checked_shape(what, std::move(shape));
  stage.is_state = true;
  stage.axis = options.axis;
  if (options.axis < 0 || options.axis > static_cast<int64_t>(stage.shape.size())) {
    fail("te.scan_axis", "{}: the step can't be dimension {} of a result of {} dimensions", what,
         options.axis, stage.shape.size() + 1);
  }
  // Checked like a compute of its own; what it reads is an input of the scan.
  auto* first = new ComputeOp(options.name, stage.shape);
  const Ref<const ComputeOp> owner(first);
  first->axes = detail::make_axes(stage.shape, {}, what);
  const ComputeFunction converted = [&](const std::vector<Var>& axes) {
    std::vector<Expr> values = init(axes);
    for (Expr& value : values) {
      if (!value.defined() || !options.dtype || value.dtype() == *options.dtype) continue;
      if (!ir::is_literal(value)) {
        fail("te.scan_dtype", "{} has dtype {}, but begins as {} of dtype {}; convert it with cast",
             what, to_string(*options.dtype), detail::shown(value), to_string(value.dtype()));
      }
      value = ir::cast(*options.dtype, value);
    }
    return values;
  };
  detail::fill_formula(*first, what, converted, first->axes);
  if (first->reducer || first->values.size() != 1) {
    fail("te.scan_update", "{}: a state begins as one plain value, not as a reduction", what);
  }
  add_inputs(*op_, *first);
  stage.init_axes = first->axes;
  stage.init = first->values[0];
  stage.dtype = stage.init.dtype();
  const auto index = static_cast<int64_t>(op_->stages.size());
  stage.buffer = inner_buffer(*op_, stage, index);
  op_->stages.push_back(std::move(stage));
  return ScanValue(op_, index);
}

ScanValue Scan::add_value(std::vector<Expr> shape, const ComputeFunction& function,
                          std::string name) {
  require_open(*op_);
  detail::check_name("a value of a scan", name);
  ScanStage stage;
  stage.name = std::move(name);
  stage.shape = detail::checked_shape(what_of(*op_, stage.name), std::move(shape));
  stage.formula = make_formula(*op_, stage.name, stage.shape, 0, function);
  stage.dtype = stage.formula->values[0].dtype();
  const auto index = static_cast<int64_t>(op_->stages.size());
  stage.buffer = inner_buffer(*op_, stage, index);
  op_->stages.push_back(std::move(stage));
  op_->order.push_back(index);
  return ScanValue(op_, index);
}

void Scan::set_update(const ScanValue& state, const ComputeFunction& function) {
  require_open(*op_);
  const bool own = state.defined() && state.scan().get() == op_.get();
  if (!own || !op_->stages[static_cast<size_t>(state.index())].is_state) {
    fail("te.scan_update", "scan '{}': update is given something that is no state of this scan",
         op_->name);
  }
  const ScanStage& stage = op_->stages[static_cast<size_t>(state.index())];
  const std::string what = what_of(*op_, stage.name);
  if (stage.formula) fail("te.scan_update", "{} is updated twice", what);
  const ComputeFunction converted = [&](const std::vector<Var>& axes) {
    std::vector<Expr> values = function(axes);
    for (Expr& value : values) {
      if (!value.defined() || value.dtype() == stage.dtype) continue;
      if (!ir::is_literal(value)) {
        fail("te.scan_dtype",
             "{} has dtype {}, but is updated to {} of dtype {}; convert it with cast, or give the "
             "state another dtype",
             what, to_string(stage.dtype), detail::shown(value), to_string(value.dtype()));
      }
      value = ir::cast(stage.dtype, value);
    }
    return values;
  };
  Ref<const ComputeOp> formula = make_formula(*op_, stage.name, stage.shape, stage.axis, converted);
  op_->stages[static_cast<size_t>(state.index())].formula = std::move(formula);
  op_->order.push_back(state.index());
}

std::vector<Tensor> Scan::finish() {
  require_open(*op_);
  std::vector<Tensor> results;
  for (size_t s = 0; s < op_->stages.size(); ++s) {
    const ScanStage& stage = op_->stages[s];
    if (!stage.is_state) continue;
    if (!stage.formula) {
      fail("te.scan_update", "{} is never updated", what_of(*op_, stage.name));
    }
    Ref<const RefCounted> definition(
        new TensorDefinition(Ref<const Operation>(op_.get()), static_cast<int64_t>(s)));
    results.emplace_back(
        ir::Buffer(new ir::BufferNode(stage.name, stage.dtype, stage.buffer->shape,
                                      ir::Scope::kGlobal, {}, {}, 0, {}, std::move(definition))));
  }
  if (results.empty()) fail("te.scan_update", "scan '{}' has no state", op_->name);
  op_->finished = true;
  return results;
}

Tensor scan(
    Expr steps, std::vector<Expr> shape, Expr init,
    const std::function<Expr(const Var&, const ScanValue&, const std::vector<Var>&)>& update,
    ScanStateOptions options) {
  Scan whole(std::move(steps), options.name == "state" ? "scan" : options.name);
  if (options.name == "state") options.name = "scan";
  const ScanValue state = whole.state(std::move(shape), std::move(init), std::move(options));
  whole.update(state,
               [&](const std::vector<Var>& axes) { return update(whole.step(), state, axes); });
  return whole.finish()[0];
}

}  // namespace tilewright::te
