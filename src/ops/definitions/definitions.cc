#include "ops/definitions/definitions.h"

#include "tilewright/support/suggest.h"
#include "tilewright/te/te.h"

namespace tilewright::ops {

const std::vector<OpDefinition>& definitions() {
  static const std::vector<OpDefinition> table = {conv2d_definition(), matmul_definition()};
  return table;
}

const OpDefinition& find_definition(const std::string& name) {
  std::vector<std::string> names;
  for (const OpDefinition& definition : definitions()) {
    if (definition.name == name) return definition;
    names.push_back(definition.name);
  }
  fail("ops.unknown_op", "there is no operator '{}'{}", name, suggestion(names, name));
}

OpInstance instantiate(const OpDefinition& definition, const TextValues& given) {
  const Values values = parse_values(definition, given);
  Tensors tensors = definition.make(values);
  OpInstance instance;
  instance.op = definition.name;
  instance.op_version = definition.version;
  instance.args = values.canonical();
  instance.inputs = std::move(tensors.inputs);
  instance.outputs = std::move(tensors.outputs);
  std::vector<te::Arg> args(instance.inputs.begin(), instance.inputs.end());
  args.insert(args.end(), instance.outputs.begin(), instance.outputs.end());
  for (const te::Arg& arg : args) instance.dtypes.push_back(to_string(arg.tensor.dtype()));
  for (const std::string& layout : tensors.layouts) {
    if (!layout.empty()) instance.layouts.push_back(layout);
  }
  instance.func = te::create_prim_func(args, definition.name);
  instance.operation_count = te::operation_count(instance.func).value_or(0);
  return instance;
}

OpInstance instantiate(const std::string& name, const TextValues& given) {
  return instantiate(find_definition(name), given);
}

namespace detail {

std::vector<std::string> product_dtypes() {
  return {"float32", "float64", "float16", "bfloat16", "int8"};
}

DType accumulator_dtype(DType input) {
  if (input == kFloat16 || input == kBFloat16) return kFloat32;
  return input == kInt8 ? kInt32 : input;
}

DType result_dtype(DType input) { return input == kInt8 ? kInt32 : input; }

int64_t checked_mul(const std::string& what, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result)) {
    fail("ops.bad_value", "{}: {} * {} is more than int64 holds", what, a, b);
  }
  return result;
}

int64_t checked_add(const std::string& what, int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result)) {
    fail("ops.bad_value", "{}: {} + {} is more than int64 holds", what, a, b);
  }
  return result;
}

}  // namespace detail
}  // namespace tilewright::ops
