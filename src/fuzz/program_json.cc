#include <nlohmann/json.hpp>

#include "fuzz/program_json.h"
#include "fuzz/terms.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {
namespace {

using Json = nlohmann::ordered_json;

Json dims_json(const std::vector<Dim>& dims) {
  Json list = Json::array();
  for (const Dim& dim : dims) {
    if (dim.size.empty()) {
      list.push_back(dim.value);
    } else if (dim.value == 0) {
      list.push_back(dim.size);
    } else {
      list.push_back(Json::array({dim.size, dim.value}));
    }
  }
  return list;
}

std::vector<Dim> dims_from(const Json& json) {
  std::vector<Dim> dims;
  for (const Json& item : json) {
    if (item.is_number_integer()) {
      dims.push_back({"", item.get<int64_t>()});
    } else if (item.is_string()) {
      dims.push_back({item.get<std::string>(), 0});
    } else {
      dims.push_back({item.at(0).get<std::string>(), item.at(1).get<int64_t>()});
    }
  }
  return dims;
}

// ["op", "dtype", value, "name", "rule", [operands]], cut off after the last entry that says something.
Json term_json(const Term& term) {
  Json list = Json::array({term.op, to_string(term.dtype), term.value, term.name, term.rule});
  Json args = Json::array();
  for (const Term& arg : term.args) args.push_back(term_json(arg));
  if (!args.empty()) {
    list.push_back(args);
  } else if (term.rule.empty()) {
    list.erase(4);
    if (term.name.empty()) list.erase(3);
  }
  return list;
}

Term term_from(const Json& json) {
  Term term{json.at(0).get<std::string>(),
            parse_dtype(json.at(1).get<std::string>()),
            json.at(2).get<int64_t>(),
            {},
            {},
            {}};
  if (json.size() > 3) term.name = json.at(3).get<std::string>();
  if (json.size() > 4) term.rule = json.at(4).get<std::string>();
  if (json.size() > 5) {
    for (const Json& arg : json.at(5)) term.args.push_back(term_from(arg));
  }
  const TermOp* row = find_term_op(term.op);
  const bool leaf = term.op == "const" || term.op == "axis" || term.op == "size";
  const bool read = term.op == "load" || term.op == "state";
  const bool known = leaf || row || read || term.op == "cast";
  const size_t arity = row ? static_cast<size_t>(row->arity) : leaf ? 0 : 1;
  if (!known || (!read && term.args.size() != arity)) {
    fail("fuzz.file", "the program has an expression '{}' with {} operands, which is unknown",
         term.op, term.args.size());
  }
  return term;
}

Json terms_json(const std::vector<Term>& terms) {
  Json list = Json::array();
  for (const Term& term : terms) list.push_back(term_json(term));
  return list;
}

std::vector<Term> terms_from(const Json& json) {
  std::vector<Term> terms;
  for (const Json& item : json) terms.push_back(term_from(item));
  return terms;
}

Json stage_json(const StageSpec& stage) {
  Json json;
  json["name"] = stage.name;
  json["shape"] = dims_json(stage.shape);
  json["reducer"] = stage.reducer;
  json["reduce"] = dims_json(stage.reduce);
  json["values"] = terms_json(stage.values);
  json["where"] = terms_json(stage.where);
  json["accumulate"] = stage.accumulate;
  json["output"] = stage.output;
  if (!stage.steps.empty()) {
    json["scan"] = {{"steps", dims_json(stage.steps)},
                    {"init", terms_json(stage.init)},
                    {"axis", stage.step_axis}};
  }
  return json;
}

StageSpec stage_from(const Json& json) {
  StageSpec stage;
  stage.name = json.at("name").get<std::string>();
  stage.shape = dims_from(json.at("shape"));
  stage.reducer = json.at("reducer").get<std::string>();
  stage.reduce = dims_from(json.at("reduce"));
  stage.values = terms_from(json.at("values"));
  stage.where = terms_from(json.at("where"));
  stage.accumulate = json.at("accumulate").get<std::string>();
  stage.output = json.at("output").get<bool>();
  if (json.contains("scan")) {
    const Json& scan = json.at("scan");
    stage.steps = dims_from(scan.at("steps"));
    stage.init = terms_from(scan.at("init"));
    stage.step_axis = scan.at("axis").get<int64_t>();
    const bool fits = stage.steps.size() == 1 && stage.init.size() == stage.values.size() &&
                      stage.step_axis >= 0 &&
                      stage.step_axis <= static_cast<int64_t>(stage.shape.size());
    if (!fits) fail("fuzz.file", "the recurrence '{}' lacks steps or initial values", stage.name);
  }
  if (stage.values.empty()) fail("fuzz.file", "stage '{}' has no values", stage.name);
  return stage;
}

}  // namespace

Json spec_to_json(const ProgramSpec& spec) {
  Json json;
  json["name"] = spec.name;
  json["inputs"] = Json::array();
  for (const InputSpec& input : spec.inputs) {
    json["inputs"].push_back(
        Json::array({input.name, to_string(input.dtype), dims_json(input.shape)}));
  }
  json["stages"] = Json::array();
  for (const StageSpec& stage : spec.stages) json["stages"].push_back(stage_json(stage));
  json["sizes"] = spec.sizes;
  json["tolerance"] = spec.tolerance;
  if (!spec.assumptions.empty()) json["assumptions"] = terms_json(spec.assumptions);
  return json;
}

ProgramSpec spec_from_json(const Json& json) {
  ProgramSpec spec;
  try {
    spec.name = json.at("name").get<std::string>();
    for (const Json& input : json.at("inputs")) {
      spec.inputs.push_back({input.at(0).get<std::string>(),
                             parse_dtype(input.at(1).get<std::string>()), dims_from(input.at(2))});
    }
    for (const Json& stage : json.at("stages")) spec.stages.push_back(stage_from(stage));
    spec.sizes = json.at("sizes").get<std::vector<Sizes>>();
    spec.tolerance = json.at("tolerance").get<double>();
    if (json.contains("assumptions")) spec.assumptions = terms_from(json.at("assumptions"));
  } catch (const nlohmann::json::exception& error) {
    fail("fuzz.file", "the program lacks a field or has one of the wrong type: {}",
         json_fault(error));
  }
  return spec;
}

std::string ProgramSpec::to_json() const { return spec_to_json(*this).dump(); }

ProgramSpec ProgramSpec::from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) fail("fuzz.file", "a program is one JSON object");
  return spec_from_json(json);
}

}  // namespace tilewright::fuzz
