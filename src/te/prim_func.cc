#include "tilewright/te/prim_func.h"

#include "te/checks.h"
#include "te/function_builder.h"
#include "tilewright/ir/text.h"

namespace tilewright::te {
namespace {

using detail::Graph;
using detail::key_of;
using detail::shown;

void check_args(const std::vector<Arg>& args) {
  std::set<detail::ValueKey> seen;
  ir::VarSet scalars;
  bool has_output = false;
  for (size_t a = 0; a < args.size(); ++a) {
    if (args[a].tensor.defined()) {
      const Tensor& tensor = args[a].tensor;
      has_output = has_output || tensor.op().kind != Operation::Kind::kPlaceholder;
      if (!seen.insert(key_of(tensor.buffer().get())).second) {
        fail("te.duplicate_argument", "tensor '{}' is listed twice among the arguments",
             tensor.name());
      }
      continue;
    }
    const auto* var = args[a].scalar.defined() ? args[a].scalar.as<ir::VarNode>() : nullptr;
    const VarDefinition* definition = definition_of(var);
    if (definition && definition->role == VarRole::kSize) {
      fail("te.bad_argument",
           "argument {}: size '{}' is no argument of its own; it comes from the tensors' shapes", a,
           var->name);
    }
    if (!definition || definition->role != VarRole::kScalar) {
      fail("te.bad_argument", "argument {} is {}; arguments are tensors and te::scalar variables",
           a, args[a].scalar.defined() ? shown(args[a].scalar) : "null");
    }
    if (!scalars.insert(args[a].scalar).second) {
      fail("te.duplicate_argument", "scalar '{}' is listed twice among the arguments", var->name);
    }
  }
  if (!has_output) {
    fail("te.no_output",
         "no argument is a compute, so there is nothing to compute; list the outputs "
         "among the arguments, after the inputs");
  }
}

void check_complete(const Graph& graph, const std::vector<Arg>& args) {
  std::set<detail::ValueKey> tensors;
  ir::VarSet scalars;
  for (const Arg& arg : args) {
    if (arg.tensor.defined()) {
      tensors.insert(key_of(arg.tensor.buffer().get()));
    } else {
      scalars.insert(arg.scalar);
    }
  }
  for (const ir::Buffer& buffer : graph.placeholders) {
    if (!tensors.count(key_of(buffer.get()))) {
      fail("te.missing_argument",
           "placeholder '{}' is read but is not among the arguments; add it to them", buffer->name);
    }
  }
  for (const Var& scalar : graph.scalars) {
    if (!scalars.count(scalar)) {
      fail("te.missing_argument",
           "scalar '{}' is used but is not among the arguments; add it to them", scalar.name());
    }
  }
}

void check_assumptions(const std::vector<Expr>& assumptions) {
  for (const Expr& e : assumptions) detail::check_assumption(e);
}

// A condition among the arguments is an assumption.
bool is_assumption(const Arg& arg) {
  return !arg.tensor.defined() && arg.scalar.defined() && arg.scalar.dtype() == kBool &&
         !arg.scalar.as<ir::VarNode>();
}

std::vector<Tensor> outputs_of(const std::vector<Arg>& args) {
  std::vector<Tensor> outputs;
  for (const Arg& arg : args) {
    if (arg.tensor.defined() && arg.tensor.op().kind != Operation::Kind::kPlaceholder) {
      outputs.push_back(arg.tensor);
    }
  }
  return outputs;
}

ir::PrimFunc canonical_func(const std::vector<Tensor>& outputs,
                            const std::vector<Expr>& assumptions) {
  for (const Tensor& output : outputs) {
    if (!output.defined()) fail("te.null_tensor", "an output is a null tensor");
  }
  const Graph graph = detail::collect_graph(outputs);
  std::vector<Arg> args;
  for (const ir::Buffer& buffer : graph.placeholders) args.emplace_back(Tensor(buffer));
  for (const Var& scalar : graph.scalars) args.emplace_back(scalar);
  args.insert(args.end(), outputs.begin(), outputs.end());
  check_args(args);
  check_assumptions(assumptions);
  return detail::FunctionBuilder(graph, detail::Naming::kCanonical)
      .build(args, "main", assumptions);
}

}  // namespace

ir::PrimFunc create_prim_func(const std::vector<Arg>& args, std::string name,
                              const std::vector<Expr>& assumptions) {
  detail::check_name("a function", name);
  std::vector<Arg> params;
  std::vector<Expr> promises = assumptions;
  for (const Arg& arg : args) {
    if (is_assumption(arg)) {
      promises.push_back(arg.scalar);
    } else {
      params.push_back(arg);
    }
  }
  check_args(params);
  check_assumptions(promises);
  const Graph graph = detail::collect_graph(outputs_of(params));
  check_complete(graph, params);
  return detail::FunctionBuilder(graph, detail::Naming::kGiven).build(params, name, promises);
}

std::string canonical_text(const std::vector<Tensor>& outputs,
                           const std::vector<Expr>& assumptions) {
  return ir::to_text(canonical_func(outputs, assumptions));
}

std::string canonical_hash(const std::vector<Tensor>& outputs,
                           const std::vector<Expr>& assumptions) {
  return fmt::format("tw1:{:016x}", ir::structural_hash(canonical_func(outputs, assumptions)));
}

}  // namespace tilewright::te
