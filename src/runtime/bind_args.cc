#include "runtime/bind_args.h"

#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

bool is_passed(const FunctionInfo& info, const ParamInfo& param) {
  return param.role != ParamRole::kOutput && !follows_from_shapes(info, param);
}

bool bind_tensor(const ParamInfo& param, const Arg& arg, SizeMap& sizes) {
  const NDArray* array = std::get_if<NDArray>(&arg);
  if (!array || !array->defined() || array->shape().size() != param.shape.size()) return false;
  for (size_t i = 0; i < param.shape.size(); ++i) {
    const std::string name = param.shape[i].name();
    if (!name.empty()) sizes.emplace(name, array->shape()[i]);
  }
  return true;
}

NDArray allocate_output(const FunctionInfo& info, const ParamInfo& param, const SizeMap& sizes) {
  std::vector<int64_t> shape;
  for (const SizeExpr& extent : param.shape) {
    const auto value = extent.evaluate(sizes);
    if (!value) {
      fail("call.output_shape",
           "{}: the extent {} of output {} does not follow from the inputs; pass the output with "
           "out=",
           info.name, extent.text(), param.name);
    }
    shape.push_back(*value);
  }
  return NDArray::empty(std::move(shape), param.dtype);
}

[[noreturn]] void wrong_count(const FunctionInfo& info, const char* what, size_t expected,
                              size_t actual) {
  fail("call.arg_count", "{}: expected {} {}{}, got {}; the function is {}", info.name, expected,
       what, expected == 1 ? "" : "s", actual, info.signature());
}

}  // namespace

bool follows_from_shapes(const FunctionInfo& info, const ParamInfo& param) {
  if (param.role != ParamRole::kShape) return false;
  for (const ParamInfo& other : info.params) {
    if (other.role == ParamRole::kOutput) continue;
    for (const SizeExpr& extent : other.shape) {
      if (extent.name() == param.name) return true;
    }
  }
  return false;
}

size_t num_passed_inputs(const FunctionInfo& info) {
  size_t count = 0;
  for (const ParamInfo& param : info.params) count += is_passed(info, param) ? 1 : 0;
  return count;
}

BoundInputs bind_inputs(const FunctionInfo& info, std::span<const Arg> inputs) {
  BoundInputs bound;
  size_t next = 0;
  for (const ParamInfo& param : info.params) {
    if (!is_passed(info, param)) continue;
    const Arg& arg = inputs[next++];
    if (param.is_tensor) {
      bound.complete = bind_tensor(param, arg, bound.sizes);
    } else if (const int64_t* value = std::get_if<int64_t>(&arg)) {
      bound.sizes.emplace(param.name, *value);
    } else {
      bound.complete = std::holds_alternative<double>(arg);
    }
    if (!bound.complete) break;
  }
  return bound;
}

std::pair<std::vector<Arg>, std::vector<NDArray>> complete_args(
    const FunctionInfo& info, std::span<const Arg> inputs,
    const std::span<const NDArray>* outputs) {
  const size_t num_inputs = num_passed_inputs(info);
  if (inputs.size() != num_inputs) wrong_count(info, "input", num_inputs, inputs.size());
  size_t num_outputs = 0;
  for (const ParamInfo& param : info.params)
    num_outputs += param.role == ParamRole::kOutput ? 1 : 0;
  if (outputs && outputs->size() != num_outputs) {
    wrong_count(info, "output", num_outputs, outputs->size());
  }

  const BoundInputs bound = bind_inputs(info, inputs);
  std::vector<Arg> args;
  std::vector<NDArray> written;
  size_t next_input = 0;
  for (const ParamInfo& param : info.params) {
    if (is_passed(info, param)) {
      args.push_back(inputs[next_input++]);
    } else if (param.role == ParamRole::kShape) {
      const auto it = bound.sizes.find(param.name);
      args.emplace_back(it == bound.sizes.end() ? int64_t{0} : it->second);
    } else if (outputs) {
      written.push_back((*outputs)[written.size()]);
      args.emplace_back(written.back());
    } else {
      // After a failed binding the outputs stay undefined: the check of the bad input comes first.
      NDArray output;
      for (size_t i = 0; !param.alias_of.empty() && i < args.size(); ++i) {
        if (info.params[i].name != param.alias_of) continue;
        if (const NDArray* shared = std::get_if<NDArray>(&args[i])) output = *shared;
      }
      if (!output.defined() && bound.complete) output = allocate_output(info, param, bound.sizes);
      written.push_back(output);
      args.emplace_back(std::move(output));
    }
  }
  return {std::move(args), std::move(written)};
}

}  // namespace tilewright::runtime
