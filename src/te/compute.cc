#include "tilewright/te/compute.h"

#include "te/checks.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te {
namespace {

using detail::shown;

bool same_reduction(const ir::ReduceNode& a, const ir::ReduceNode& b) {
  if (!a.reducer.same_as(b.reducer) || !a.where.same_as(b.where)) return false;
  if (a.axes.size() != b.axes.size() || a.sources.size() != b.sources.size()) return false;
  for (size_t i = 0; i < a.axes.size(); ++i) {
    if (!a.axes[i].same_as(b.axes[i])) return false;
  }
  for (size_t i = 0; i < a.sources.size(); ++i) {
    if (!a.sources[i].same_as(b.sources[i])) return false;
  }
  return true;
}

[[noreturn]] void fail_mixed(const std::string& what) {
  fail("te.mixed_outputs",
       "{}: its outputs must all be elementwise, or all be values of one and the same reduction "
       "(such as argmax, or te::reduce with a tuple reducer); write one compute for each otherwise",
       what);
}

void check_no_reduce(const std::string& what, const Expr& e, const char* place) {
  ir::walk_exprs(e, [&](const Expr& sub) {
    const auto* reduce = sub.as<ir::ReduceNode>();
    if (!reduce) return;
    fail("te.nested_reduce",
         "{}: the reduction '{}' stands inside {}; a reduction must be all that a compute returns. "
         "Split it into two computes: one returns the reduction alone, the second reads that "
         "tensor in the rest of the expression",
         what, reduce->reducer->name, place);
  });
}

// Fills in the op's formula from what the function returned; gives the value index of each output.
std::vector<int64_t> set_formula(ComputeOp& op, const std::string& what,
                                 const std::vector<Expr>& bodies) {
  std::vector<int64_t> outputs;
  const auto* first = bodies[0].as<ir::ReduceNode>();
  if (!first) {
    for (const Expr& body : bodies) {
      if (body.as<ir::ReduceNode>()) fail_mixed(what);
      check_no_reduce(what, body, "an expression");
      outputs.push_back(static_cast<int64_t>(outputs.size()));
    }
    op.values = bodies;
    return outputs;
  }
  for (const Expr& body : bodies) {
    const auto* reduce = body.as<ir::ReduceNode>();
    if (!reduce || !same_reduction(*first, *reduce)) fail_mixed(what);
    outputs.push_back(reduce->value_index);
  }
  for (const Expr& source : first->sources) check_no_reduce(what, source, "another reduction");
  if (first->where.defined()) check_no_reduce(what, first->where, "the condition of a reduction");
  op.values = first->sources;
  op.reducer = first->reducer;
  op.reduce_axes = first->axes;
  op.reduce_domains = first->domains;
  op.where = first->where;
  return outputs;
}

// Errors of building expressions (dtypes, ...) don't know where they stand; this says it.
std::vector<Expr> call_function(const ComputeFunction& function, const std::vector<Var>& axes,
                                const std::string& what) {
  try {
    return function(axes);
  } catch (const Error& error) {
    if (error.code().rfind("ir.", 0) != 0) throw;
    throw Error(error.code(), what + ": " + error.what());
  }
}

}  // namespace

std::vector<Var> detail::make_axes(const std::vector<Expr>& shape,
                                   const std::vector<std::string>& names, const std::string& what) {
  if (names.size() > shape.size()) {
    fail("te.rank_mismatch", "{} names {} axes, but its shape {} has {} dimension(s)", what,
         names.size(), shown(shape), shape.size());
  }
  static constexpr const char* kNames[] = {"i", "j", "k", "l"};
  std::vector<Var> axes;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::string name = d < 4 ? kNames[d] : fmt::format("i{}", d);
    if (d < names.size()) name = names[d];
    detail::check_name(what + ": an axis", name);
    Ref<const RefCounted> definition(
        new VarDefinition(VarRole::kAxis, {ir::make_int(kInt64, 0), shape[d]}));
    axes.push_back(Var(new ir::VarNode(kInt64, std::move(name), std::move(definition))));
  }
  return axes;
}

std::vector<int64_t> detail::fill_formula(ComputeOp& op, const std::string& what,
                                          const ComputeFunction& function,
                                          const std::vector<Var>& axes) {
  const std::vector<Expr> bodies = call_function(function, axes, what);
  if (bodies.empty()) fail("te.null_expr", "{}: its function returns no expression", what);
  for (const Expr& body : bodies) {
    if (!body.defined()) fail("te.null_expr", "{}: its function returns a null expression", what);
    detail::check_dtype(what, body.dtype());
    detail::check_expression_size(what, body);
  }
  std::vector<int64_t> outputs = set_formula(op, what, bodies);
  for (const Expr& value : op.values) detail::check_size(what, op.shape, value.dtype());
  detail::check_compute(op);
  detail::check_ranges(op);
  return outputs;
}

void detail::check_lambda_axes(int takes, size_t rank, const std::string& name) {
  if (takes < 0 || static_cast<size_t>(takes) == rank) return;
  fail("te.rank_mismatch",
       "compute '{}': its shape has {} dimension(s), but its function takes {} index(es)", name,
       rank, takes);
}

std::vector<Tensor> compute_all(std::vector<Expr> shape, const ComputeFunction& function,
                                ComputeOptions options) {
  detail::check_name("a compute", options.name);
  const std::string what = fmt::format("compute '{}'", options.name);
  shape = detail::checked_shape(what, std::move(shape));
  auto* op = new ComputeOp(options.name, shape);
  Ref<const Operation> owner(op);
  op->attrs = std::move(options.attrs);
  op->axes = detail::make_axes(shape, options.axis_names, what);
  const std::vector<int64_t> outputs = detail::fill_formula(*op, what, function, op->axes);

  std::vector<Tensor> tensors;
  for (int64_t value_index : outputs) {
    std::string name = options.name;
    if (op->values.size() > 1) name += fmt::format("_v{}", value_index);
    Ref<const RefCounted> definition(new TensorDefinition(owner, value_index));
    tensors.push_back(Tensor(
        ir::Buffer(new ir::BufferNode(std::move(name), op->values[value_index].dtype(), shape,
                                      ir::Scope::kGlobal, {}, {}, 0, {}, std::move(definition)))));
  }
  return tensors;
}

}  // namespace tilewright::te
