#include "api/testing/arguments.h"

#include <algorithm>

#include "api/testing/elements.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright::testing::detail {
namespace {

using runtime::NDArray;

const int64_t* find_size(const std::vector<std::pair<ir::Var, int64_t>>& sizes,
                         const ir::Var& var) {
  for (const auto& [known, value] : sizes) {
    if (known.same_as(var)) return &value;
  }
  return nullptr;
}

void check_names(const ir::PrimFunc& func, const CheckOptions& options) {
  std::vector<std::string> tensors, scalars;
  for (const ir::Param& param : func->params) {
    if (param.buffer) tensors.push_back(param.buffer->name);
    if (param.var) scalars.push_back(param.var.name());
  }
  const auto check = [&](const auto& given, const std::vector<std::string>& names,
                         const char* what) {
    for (const auto& [name, value] : given) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      fail("testing.options", "'{}' has no {} '{}'{}", func->name, what, name,
           suggestion(names, name));
    }
  };
  check(options.inputs, tensors, "tensor argument");
  check(options.expected, tensors, "tensor argument");
  check(options.scalars, scalars, "scalar argument");
}

void fill_random(const NDArray& array, const CheckOptions& options, Rng& rng) {
  const DType dtype = array.dtype();
  const bool no_sign = dtype.is_uint() || dtype.is_bool();
  const int64_t low = no_sign ? 0 : options.low;
  const int64_t high = dtype.is_bool() ? 1 : options.high;
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    store_integer(dtype, array.data_as<char>() + i * dtype.bytes(), rng.between(low, high));
  }
}

tw_arg raw_arg(const runtime::Arg& arg) {
  tw_arg raw{};
  if (const NDArray* array = std::get_if<NDArray>(&arg)) {
    raw.kind = TW_ARG_TENSOR;
    raw.value.tensor = array->dl_tensor();
  } else if (const int64_t* integer = std::get_if<int64_t>(&arg)) {
    raw.kind = TW_ARG_INT;
    raw.value.int_value = *integer;
  } else {
    raw.kind = TW_ARG_FLOAT;
    raw.value.float_value = std::get<double>(arg);
  }
  return raw;
}

}  // namespace

Arguments::Sizes Arguments::bind_sizes(const ir::PrimFunc& func, const CheckOptions& options) {
  Sizes sizes;
  const auto bind = [&](const ir::Expr& extent, int64_t value) {
    const auto* node = extent.as<ir::VarNode>();
    if (node && !find_size(sizes, ir::Var(node))) sizes.emplace_back(ir::Var(node), value);
  };
  for (const ir::Param& param : func->params) {
    const auto given =
        param.buffer ? options.inputs.find(param.buffer->name) : options.inputs.end();
    if (given == options.inputs.end()) continue;
    const auto& shape = given->second.shape();
    if (shape.size() != param.buffer->shape.size() ||
        given->second.dtype() != param.buffer->dtype) {
      fail("testing.options", "input '{}' is {}, but the function takes {} of rank {}",
           param.buffer->name, given->second.describe(), to_string(param.buffer->dtype),
           param.buffer->rank());
    }
    for (size_t d = 0; d < shape.size(); ++d) bind(param.buffer->shape[d], shape[d]);
  }
  for (const ir::Param& param : func->params) {
    if (!param.buffer) continue;
    for (const ir::Expr& extent : param.buffer->shape) {
      for (const ir::Var& var : ir::free_vars(extent)) {
        if (find_size(sizes, var)) continue;
        const auto given = options.sizes.find(var.name());
        if (given == options.sizes.end()) {
          fail("testing.options", "give a value of size '{}' in CheckOptions::sizes", var.name());
        }
        sizes.emplace_back(var, given->second);
      }
    }
  }
  return sizes;
}

Arguments::Arguments(const ir::PrimFunc& func, const CheckOptions& options)
    : externs_(options.externs) {
  check_names(func, options);
  const Sizes sizes = bind_sizes(func, options);
  Rng rng(options.seed);
  for (const ir::Param& param : func->params) {
    if (param.role == ir::ParamRole::kShape) continue;
    if (param.buffer) {
      add_tensor(param, sizes, options, rng);
    } else {
      add_scalar(param, options);
    }
  }
  reset();
}

void Arguments::add_tensor(const ir::Param& param, const Sizes& sizes, const CheckOptions& options,
                           Rng& rng) {
  std::vector<int64_t> shape;
  for (const ir::Expr& extent : param.buffer->shape) {
    shape.push_back(ir::evaluate_int(extent, sizes));
  }
  Tensor tensor{param.buffer->name,
                param.role,
                GuardedArray(shape, param.buffer->dtype, options.canary_elements,
                             static_cast<int>(tensors_.size())),
                {}};
  if (param.role != ir::ParamRole::kOutput) {
    tensor.contents = NDArray::empty(shape, param.buffer->dtype);
    const auto given = options.inputs.find(tensor.name);
    if (given == options.inputs.end()) {
      fill_random(tensor.contents, options, rng);
    } else if (given->second.shape() != shape) {
      fail("testing.options", "input '{}' has shape {}, expected {}", tensor.name,
           runtime::shape_text(given->second.shape()), runtime::shape_text(shape));
    } else {
      tensor.contents.copy_from(given->second);
    }
  }
  args_.emplace_back(tensor.memory.array());
  tensors_.push_back(std::move(tensor));
}

void Arguments::add_scalar(const ir::Param& param, const CheckOptions& options) {
  const auto given = options.scalars.find(param.var.name());
  if (given == options.scalars.end()) {
    fail("testing.options", "give a value of argument '{}' in CheckOptions::scalars",
         param.var.name());
  }
  args_.push_back(given->second);
}

void Arguments::reset() {
  for (const Tensor& tensor : tensors_) {
    if (tensor.contents.defined()) {
      tensor.memory.array().copy_from(tensor.contents);
    } else {
      tensor.memory.poison();
    }
  }
}

void Arguments::check_memory(const std::string& path) const {
  for (const Tensor& tensor : tensors_) {
    if (!tensor.memory.canaries_intact()) {
      fail("testing.canary", "{}: memory beside '{}' was written", path, tensor.name);
    }
    if (tensor.role != ir::ParamRole::kInput && tensor.role != ir::ParamRole::kConstant) continue;
    const std::string text = difference(tensor.memory.array(), tensor.contents);
    if (!text.empty())
      fail("testing.input", "{}: input '{}' was changed: {}", path, tensor.name, text);
  }
}

std::map<std::string, NDArray> Arguments::outputs() const {
  std::map<std::string, NDArray> result;
  for (const Tensor& tensor : tensors_) {
    if (tensor.role == ir::ParamRole::kOutput || tensor.role == ir::ParamRole::kInout) {
      result.emplace(tensor.name, tensor.memory.array().to_host());
    }
  }
  return result;
}

void run_interpreter(const ir::PrimFunc& func, const Arguments& arguments, bool check_init,
                     bool check_races) {
  std::vector<ir::InterpArg> args;
  for (const runtime::Arg& arg : arguments.args()) {
    ir::InterpArg converted;
    if (const NDArray* array = std::get_if<NDArray>(&arg)) {
      converted.tensor = {array->data(), array->shape()};
    } else if (const int64_t* integer = std::get_if<int64_t>(&arg)) {
      converted.int_value = *integer;
      converted.float_value = static_cast<double>(*integer);
    } else {
      converted.float_value = std::get<double>(arg);
    }
    args.push_back(std::move(converted));
  }
  ir::InterpOptions options;
  options.check_init = check_init;
  options.check_races = check_races;
  options.externs = arguments.externs();
  ir::interpret(func, args, options);
}

void run_compiled(const runtime::Function& function, const Arguments& arguments, int num_threads) {
  constexpr int64_t kCanaryBytes = 256;
  constexpr uint8_t kPoison = 0xFF, kCanary = 0xB3;
  runtime::CallOptions call_options;
  call_options.num_threads = num_threads;
  std::vector<tw_arg> raw;
  for (const runtime::Arg& arg : arguments.args()) raw.push_back(raw_arg(arg));
  char text[1024] = "";
  tw_call call{};
  call.struct_size = sizeof(tw_call);
  call.abi_version = TW_ABI_VERSION;
  call.num_args = static_cast<int32_t>(raw.size());
  call.num_threads = num_threads;
  call.args = raw.data();
  call.parallel_for = runtime::default_parallel_for();
  call.error_text = text;
  call.error_text_size = sizeof(text);
  const int64_t size_bytes = function.workspace_bytes(arguments.args(), call_options);
  const NDArray workspace = NDArray::empty({size_bytes + kCanaryBytes}, kUInt8);
  auto* bytes = workspace.data_as<uint8_t>();
  std::memset(bytes, kPoison, static_cast<size_t>(size_bytes));
  std::memset(bytes + size_bytes, kCanary, kCanaryBytes);
  if (size_bytes > 0) {
    call.workspace = bytes;
    call.workspace_size = size_bytes;
  }
  const int32_t status = function.entry()(&call);
  if (status != TW_OK) throw Error(runtime::call_error_code(status), text);
  for (int64_t i = 0; i < kCanaryBytes; ++i) {
    if (bytes[size_bytes + i] == kCanary) continue;
    fail("testing.canary", "compiled code, {} threads: memory behind the workspace was written",
         num_threads);
  }
}

}  // namespace tilewright::testing::detail
