#include <nlohmann/json.hpp>

#include "tilewright/runtime/abi.h"
#include "tilewright/runtime/function_info.h"
#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

using Json = nlohmann::ordered_json;

Json extent_json(const SizeExpr& extent) {
  if (const auto constant = extent.constant()) return *constant;
  return extent.text();
}

Json param_json(const ParamInfo& param) {
  Json json;
  json["name"] = param.name;
  json["kind"] = param.is_tensor ? "tensor" : "scalar";
  json["role"] = to_string(param.role);
  json["dtype"] = to_string(param.dtype);
  if (!param.is_tensor) return json;
  json["shape"] = Json::array();
  for (const SizeExpr& extent : param.shape) json["shape"].push_back(extent_json(extent));
  json["strides"] = param.any_strides ? "any" : "compact";
  json["alignment"] = param.alignment_bytes;
  json["device"] = param.device;
  json["alias_of"] = param.alias_of.empty() ? Json(nullptr) : Json(param.alias_of);
  return json;
}

Json function_json(const FunctionInfo& function) {
  Json json;
  json["name"] = function.name;
  json["entry"] = TW_ENTRY_PREFIX + function.name;
  if (function.has_workspace) {
    json["workspace"] = TW_ENTRY_PREFIX + function.name + TW_WORKSPACE_SUFFIX;
  }
  json["params"] = Json::array();
  for (const ParamInfo& param : function.params) json["params"].push_back(param_json(param));
  json["assumptions"] = function.assumptions;
  json["records"] = function.records;
  if (function.operation_count > 0) json["operations"] = function.operation_count;
  return json;
}

ParamRole parse_role(const std::string& text) {
  for (ParamRole role : {ParamRole::kInput, ParamRole::kConstant, ParamRole::kOutput,
                         ParamRole::kInout, ParamRole::kShape}) {
    if (to_string(role) == text) return role;
  }
  fail("module.bad_manifest", "manifest: unknown role '{}'", text);
}

SizeExpr parse_extent(const Json& json) {
  if (json.is_number_integer()) return SizeExpr(json.get<int64_t>());
  return SizeExpr::parse(json.get<std::string>());
}

ParamInfo parse_param(const Json& json) {
  ParamInfo param;
  param.name = json.at("name").get<std::string>();
  param.is_tensor = json.value("kind", "tensor") == "tensor";
  param.role = parse_role(json.at("role").get<std::string>());
  param.dtype = parse_dtype(json.at("dtype").get<std::string>());
  if (!param.is_tensor) return param;
  for (const Json& extent : json.at("shape")) param.shape.push_back(parse_extent(extent));
  param.any_strides = json.value("strides", "compact") == "any";
  param.alignment_bytes = json.value("alignment", 1);
  param.device = json.value("device", "cpu");
  if (json.contains("alias_of") && json["alias_of"].is_string()) {
    param.alias_of = json["alias_of"].get<std::string>();
  }
  return param;
}

FunctionInfo parse_function(const Json& json) {
  FunctionInfo function;
  function.name = json.at("name").get<std::string>();
  for (const Json& param : json.at("params")) function.params.push_back(parse_param(param));
  function.assumptions = json.value("assumptions", std::vector<std::string>{});
  function.records = json.value("records", std::vector<std::string>{});
  function.operation_count = json.value("operations", 0.0);
  function.has_workspace = json.contains("workspace");
  return function;
}

LibraryInfo parse_library(const Json& json) {
  LibraryInfo info;
  info.abi_version = json.at("abi").get<int>();
  if (info.abi_version != TW_ABI_VERSION) {
    fail("module.abi_version", "the library has call ABI version {}, this runtime has {}",
         info.abi_version, TW_ABI_VERSION);
  }
  info.target = json.value("target", "");
  info.features = json.value("features", std::vector<std::string>{});
  info.versions = json.value("versions", std::map<std::string, std::string>{});
  for (const Json& function : json.at("functions")) {
    info.functions.push_back(parse_function(function));
  }
  return info;
}

}  // namespace

std::string to_manifest(const LibraryInfo& info) {
  Json json;
  json["abi"] = info.abi_version;
  json["target"] = info.target;
  json["features"] = info.features;
  json["versions"] = info.versions;
  json["functions"] = Json::array();
  for (const FunctionInfo& function : info.functions) {
    json["functions"].push_back(function_json(function));
  }
  return json.dump();
}

LibraryInfo parse_manifest(std::string_view text) {
  try {
    return parse_library(Json::parse(text));
  } catch (const Json::exception& error) {
    fail("module.bad_manifest", "the manifest cannot be read: {}", error.what());
  }
}

}  // namespace tilewright::runtime
