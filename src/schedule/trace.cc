#include "tilewright/schedule/trace.h"

#include <nlohmann/json.hpp>

#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::schedule {
namespace {

using Json = nlohmann::ordered_json;

Json to_json_value(const Value& value) {
  return std::visit(
      [](const auto& v) -> Json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Value::List>) {
          Json list = Json::array();
          for (const Value& item : v) list.push_back(to_json_value(item));
          return list;
        } else {
          return v;
        }
      },
      value.data);
}

Value from_json_value(const Json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    Value::List list;
    for (const Json& item : json) list.push_back(from_json_value(item));
    return list;
  }
  fail("trace.parse", "an attribute of an instruction is an object; expected a value or a list");
}

}  // namespace

std::string Trace::to_json() const {
  Json json;
  json["ver"] = version;
  json["sketch"] = sketch;
  json["insts"] = Json::array();
  for (const Instruction& inst : instructions) {
    Json attrs = Json::object();
    for (const auto& [key, value] : inst.attrs) {
      if (key == "tail" && has_fault(Fault::trace_forgets_tails)) continue;
      attrs[key] = to_json_value(value);
    }
    json["insts"].push_back(Json::array({inst.op, inst.version, inst.inputs, attrs, inst.outputs}));
  }
  json["decisions"] = Json::array();
  for (const Decision& decision : decisions) {
    json["decisions"].push_back(Json::array({decision.name, to_json_value(decision.value)}));
  }
  if (!hash.empty()) json["hash"] = hash;
  return json.dump();
}

Trace Trace::from_json(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object()) {
    fail("trace.parse", "a trace is one JSON object; got '{}'", text.substr(0, 60));
  }
  Trace trace;
  try {
    trace.version = json.at("ver").get<int>();
    if (trace.version != 1) {
      fail("trace.version", "trace version {} is not known to this build (it knows 1)",
           trace.version);
    }
    trace.sketch = json.value("sketch", std::string());
    for (const Json& inst : json.at("insts")) {
      Instruction instruction{inst.at(0).get<std::string>(),
                              inst.at(1).get<int>(),
                              inst.at(2).get<std::vector<std::string>>(),
                              {},
                              inst.at(4).get<std::vector<std::string>>()};
      for (const auto& [key, value] : inst.at(3).items()) {
        instruction.attrs[key] = from_json_value(value);
      }
      trace.instructions.push_back(std::move(instruction));
    }
    for (const Json& decision : json.at("decisions")) {
      trace.decisions.push_back(
          {decision.at(0).get<std::string>(), from_json_value(decision.at(1))});
    }
    trace.hash = json.value("hash", std::string());
  } catch (const nlohmann::json::exception& e) {
    fail("trace.parse", "the trace lacks a field or has one of the wrong type: {}", e.what());
  }
  return trace;
}

}  // namespace tilewright::schedule
