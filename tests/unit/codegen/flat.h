#pragma once

#include <string>
#include <vector>

#include "support/host_tensor.h"
#include "tilewright/codegen/llvm.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/ops.h"
#include "tilewright/runtime/module.h"

/// Small programs at level flat, built by hand, and ways to run them.
namespace tilewright::testing {

inline ir::Param input(const ir::Buffer& buffer) {
  ir::Param param;
  param.buffer = buffer;
  return param;
}

inline ir::Param output(const ir::Buffer& buffer) {
  ir::Param param = input(buffer);
  param.role = ir::ParamRole::kOutput;
  return param;
}

inline ir::Param scalar(const ir::Var& var, ir::ParamRole role = ir::ParamRole::kInput) {
  ir::Param param;
  param.var = var;
  param.role = role;
  return param;
}

inline ir::PrimFunc flat(std::vector<ir::Param> params, ir::Stmt body,
                         std::vector<ir::Expr> assumptions = {}, std::string name = "f") {
  return ir::PrimFunc(new ir::PrimFuncNode(std::move(name), std::move(params),
                                           std::move(assumptions), {}, std::move(body),
                                           ir::Level::kFlat, {}));
}

inline ir::Expr i64(int64_t value) { return ir::make_int(kInt64, value); }

inline ir::Stmt alloc(const ir::Buffer& buffer, ir::Stmt body) {
  return ir::Stmt(new ir::AllocNode(buffer, std::move(body)));
}

inline ir::Expr masked_load(const ir::Buffer& buffer, ir::Expr index, ir::Expr predicate) {
  const DType dtype = buffer->dtype.with_lanes(index.dtype().lanes);
  return ir::Expr(new ir::LoadNode(dtype, buffer, {std::move(index)}, std::move(predicate)));
}

inline ir::Stmt assert_that(ir::Expr condition, std::string message, std::vector<ir::Expr> values) {
  return ir::Stmt(new ir::AssertNode(std::move(condition), TW_ERR_CHECK, std::move(message),
                                     std::move(values)));
}

/// Vectors of one lane are scalars.
inline ir::Expr ramp_from(ir::Expr base, int lanes, int64_t stride = 1) {
  return lanes == 1 ? base : ir::ramp(std::move(base), i64(stride), lanes);
}

inline runtime::Function compile(const ir::PrimFunc& func, const codegen::LlvmOptions& options = {},
                                 const Target& target = Target::host()) {
  return codegen::jit({func}, target, options)->get();
}

inline runtime::NDArray view(HostTensor& tensor) {
  return runtime::NDArray::from_view(tensor.bytes.data(), tensor.shape, {}, tensor.dtype);
}

inline void call(const runtime::Function& function, std::vector<HostTensor*> tensors,
                 int num_threads = 1) {
  std::vector<runtime::Arg> args;
  for (HostTensor* tensor : tensors) args.emplace_back(view(*tensor));
  runtime::CallOptions options;
  options.num_threads = num_threads;
  function.call(args, options);
}

inline void interpret_on(const ir::PrimFunc& func, std::vector<HostTensor*> tensors) {
  std::vector<ir::InterpArg> args;
  for (HostTensor* tensor : tensors) {
    ir::InterpArg arg;
    arg.tensor = {tensor->bytes.data(), tensor->shape};
    args.push_back(arg);
  }
  ir::interpret(func, args);
}

/// First index where two tensors differ, NaN being equal to NaN; -1: nowhere.
inline int64_t first_mismatch(const HostTensor& a, const HostTensor& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.dtype.is_float() && std::isnan(a.get(i)) && std::isnan(b.get(i))) continue;
    const bool same = a.dtype.is_float() ? a.get(i) == b.get(i) : a.get_int(i) == b.get_int(i);
    if (!same) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace tilewright::testing
