#include "codegen/function_info.h"

#include <sstream>

#include "codegen/size_text.h"
#include "tilewright/codegen/llvm.h"
#include "tilewright/runtime/abi.h"

namespace tilewright::codegen {
namespace {

runtime::ParamRole role_of(ir::ParamRole role) {
  switch (role) {
    case ir::ParamRole::kInput: return runtime::ParamRole::kInput;
    case ir::ParamRole::kConstant: return runtime::ParamRole::kConstant;
    case ir::ParamRole::kOutput: return runtime::ParamRole::kOutput;
    case ir::ParamRole::kInout: return runtime::ParamRole::kInout;
    case ir::ParamRole::kShape: break;
  }
  return runtime::ParamRole::kShape;
}

runtime::ParamInfo param_info(const ir::PrimFunc& func, const ir::Param& param) {
  runtime::ParamInfo info;
  info.name = param_name(param);
  info.role = role_of(param.role);
  info.is_tensor = param.buffer.defined();
  info.dtype = param.buffer ? param.buffer->dtype : param.var.dtype();
  if (!param.buffer) return info;
  for (const ir::Expr& extent : param.buffer->shape) {
    info.shape.push_back(runtime::SizeExpr::parse(size_text(extent)));
  }
  info.any_strides = param.strides_any;
  info.alignment_bytes = static_cast<int>(required_alignment(*param.buffer));
  if (param.alias_of >= 0) {
    info.alias_of = param_name(func->params[static_cast<size_t>(param.alias_of)]);
  }
  return info;
}

}  // namespace

runtime::FunctionInfo function_info(const ir::PrimFunc& func, bool has_workspace) {
  runtime::FunctionInfo info;
  info.name = func->name;
  info.has_workspace = has_workspace;
  for (const ir::Param& param : func->params) {
    if (param.role != ir::ParamRole::kShape) info.params.push_back(param_info(func, param));
  }
  for (const ir::Expr& assumption : func->assumptions) {
    info.assumptions.push_back(size_text(assumption));
  }
  if (const auto it = func->attrs.find("records"); it != func->attrs.end()) {
    if (const auto* text = std::get_if<std::string>(&it->second)) {
      std::istringstream stream(*text);
      for (std::string id; std::getline(stream, id, ',');) info.records.push_back(id);
    }
  }
  if (const auto it = func->attrs.find("operation_count"); it != func->attrs.end()) {
    if (const auto* count = std::get_if<double>(&it->second)) info.operation_count = *count;
  }
  return info;
}

runtime::LibraryInfo library_info(const std::vector<runtime::FunctionInfo>& functions,
                                  const Target& target) {
  runtime::LibraryInfo info;
  info.abi_version = TW_ABI_VERSION;
  info.target = target.to_string();
  info.features = target.features;
  info.versions = {{"tilewright", TW_VERSION}, {"llvm", llvm_version()}};
  info.functions = functions;
  return info;
}

}  // namespace tilewright::codegen
