#include "tuner/measure/prove_reference.h"

#include <fstream>
#include <vector>

#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/support/error.h"
#include "tuner/measure/runner_data.h"

namespace tilewright::tuner {
namespace {

struct Tensor {
  std::string name;
  DType dtype;
  bool written = false;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
};

std::vector<int64_t> constant_shape(const ir::Buffer& buffer) {
  std::vector<int64_t> shape;
  for (const ir::Expr& extent : buffer->shape) {
    const int64_t* value = ir::as_const_int(extent);
    if (!value) fail("measure.proof", "{} has a symbolic shape", buffer->name);
    shape.push_back(*value);
  }
  return shape;
}

Tensor make_tensor(const ir::Param& param, int stream, const DataSpec& data) {
  const ir::Buffer& buffer = param.buffer;
  Tensor tensor{buffer->name, buffer->dtype, false, constant_shape(buffer), {}};
  int64_t count = 1;
  for (int64_t extent : tensor.shape) count *= extent;
  tensor.bytes.assign(static_cast<size_t>(count * buffer->dtype.bytes()), '\0');
  tensor.written = param.role == ir::ParamRole::kOutput || param.role == ir::ParamRole::kInout;
  if (param.role != ir::ParamRole::kOutput) {
    fill(tensor.bytes.data(), buffer->dtype, count, data, stream);
  }
  return tensor;
}

}  // namespace

std::string differs_from_interpreter(const ir::PrimFunc& func, const RunnerTask& task,
                                     const std::string& output_path) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < func->params.size(); ++i) {
    if (!func->params[i].buffer) fail("measure.proof", "{} has scalar parameters", func->name);
    tensors.push_back(make_tensor(func->params[i], static_cast<int>(i), task.data));
  }
  std::vector<ir::InterpArg> args;
  for (Tensor& tensor : tensors) args.push_back({{tensor.bytes.data(), tensor.shape}, 0, 0});
  ir::interpret(func, args);

  std::ifstream file(output_path, std::ios::binary);
  for (const Tensor& tensor : tensors) {
    if (!tensor.written) continue;
    std::vector<char> got(tensor.bytes.size());
    file.read(got.data(), static_cast<std::streamsize>(got.size()));
    if (!file) return fmt::format("the output {} is missing", tensor.name);
    std::string fault = compare(got.data(), tensor.bytes.data(), tensor.dtype, tensor.shape,
                                task.check, tensor.name);
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace tilewright::tuner
