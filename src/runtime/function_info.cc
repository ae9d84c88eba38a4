#include "tilewright/runtime/function_info.h"

#include <algorithm>

#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

void note_names(const SizeExpr& extent, std::vector<std::string>& names) {
  const std::string name = extent.name();
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

std::string param_text(const ParamInfo& param) {
  std::string text = param.name + ": " + to_string(param.dtype);
  if (!param.is_tensor) return text;
  text += " (";
  for (size_t i = 0; i < param.shape.size(); ++i) text += (i ? ", " : "") + param.shape[i].text();
  return text + (param.shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string to_string(ParamRole role) {
  switch (role) {
    case ParamRole::kInput: return "input";
    case ParamRole::kConstant: return "constant";
    case ParamRole::kOutput: return "output";
    case ParamRole::kInout: return "inout";
    case ParamRole::kShape: return "shape";
  }
  throw InternalError("ParamRole out of range");
}

std::vector<std::string> FunctionInfo::size_names() const {
  std::vector<std::string> names;
  for (const ParamInfo& param : params) {
    if (param.role == ParamRole::kShape) note_names(SizeExpr::parse(param.name), names);
    for (const SizeExpr& extent : param.shape) note_names(extent, names);
  }
  return names;
}

std::string FunctionInfo::signature() const {
  std::string inputs, outputs;
  for (const ParamInfo& param : params) {
    std::string& side = param.role == ParamRole::kOutput ? outputs : inputs;
    if (!side.empty()) side += ", ";
    side += param_text(param);
    if (param.role == ParamRole::kInout) side += " inout";
  }
  return name + "(" + inputs + ") -> " + (outputs.empty() ? "()" : outputs);
}

const FunctionInfo* LibraryInfo::find(std::string_view name) const {
  for (const FunctionInfo& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace tilewright::runtime
