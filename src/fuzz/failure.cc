#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fuzz/program_json.h"
#include "tilewright/fuzz/fuzz.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using schedule::Schedule;
using schedule::Trace;

constexpr const char* kFormat = "tilewright-failure";

// The text as a raw string literal of C++.
std::string cpp_literal(const std::string& text) { return "R\"tw(" + text + ")tw\""; }
// The text as a Python literal: neither an IR text nor JSON holds three quotes in a row.
std::string python_literal(const std::string& text) { return "r\"\"\"" + text + "\"\"\""; }

std::string cpp_sizes(const Sizes& sizes) {
  std::vector<std::string> items;
  for (const auto& [name, value] : sizes)
    items.push_back(fmt::format("{{\"{}\", {}}}", name, value));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string python_sizes(const Sizes& sizes) {
  std::vector<std::string> items;
  for (const auto& [name, value] : sizes) items.push_back(fmt::format("\"{}\": {}", name, value));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

}  // namespace

int64_t Failure::primitives() const {
  int64_t count = 0;
  for (const auto& step : trace.instructions) {
    count += step.op != "get_block" && step.op != "get_loops";
  }
  return count;
}

namespace {

// Empty where the program could not be made.
std::string func_text(const ir::PrimFunc& func) {
  return func.defined() ? ir::to_text(func) : std::string();
}

}  // namespace

std::string Failure::cpp() const {
  std::string text =
      "#include <cmath>\n#include <cstdint>\n\n#include \"tilewright/api/testing.h\"\n#include "
      "\"tilewright/ir/text.h\"\n"
      "#include \"tilewright/te/te.h\"\n\nusing namespace tilewright;\n\n"
      "int main() {\n";
  text += subject.spec ? program_cpp(*subject.spec)
                       : fmt::format("    ir::PrimFunc func = ir::parse_func({});\n",
                                     cpp_literal(func_text(subject.func)));
  if (!instructions.empty()) text += "    schedule::TensorInstructions instructions;\n";
  for (const auto& [name, instruction] : instructions) {
    text += fmt::format(
        "    instructions[\"{0}\"] = {{\"{0}\", ir::parse_func({1}),\n        "
        "ir::parse_func({2})}};\n",
        name, cpp_literal(ir::to_text(instruction.reference)),
        cpp_literal(ir::to_text(instruction.implementation)));
  }
  text += fmt::format(
      "    schedule::Schedule sch =\n        schedule::Schedule::replay(func, "
      "schedule::Trace::from_json({}){});\n",
      cpp_literal(trace.to_json()), instructions.empty() ? "" : ", instructions");
  for (const Sizes& sizes : subject.sizes) {
    text += "    {\n        testing::CheckOptions options;\n";
    if (!sizes.empty()) text += fmt::format("        options.sizes = {};\n", cpp_sizes(sizes));
    text += fmt::format("        options.seed = {}u;\n", subject.seed);
    if (subject.tolerance > 0) {
      text += fmt::format("        options.rtol = options.atol = {};\n", subject.tolerance);
    }
    text += "        testing::assert_allclose(sch, options);\n    }\n";
  }
  return text + "}\n";
}

std::string Failure::python() const {
  std::string text = "import tilewright as tw\nfrom tilewright import te\n\n";
  text += subject.spec
              ? program_python(*subject.spec)
              : fmt::format("func = tw.parse({})\n", python_literal(func_text(subject.func)));
  if (!instructions.empty()) text += "declared = tw.Schedule(func)\n";
  for (const auto& [name, instruction] : instructions) {
    text += fmt::format("declared.declare_instruction(\"{}\", tw.parse({}), tw.parse({}))\n", name,
                        python_literal(ir::to_text(instruction.reference)),
                        python_literal(ir::to_text(instruction.implementation)));
  }
  text += fmt::format("sch = tw.Schedule.replay(func, {}{})\n", python_literal(trace.to_json()),
                      instructions.empty() ? "" : ", declared");
  text += "sch.show()\n";
  for (const Sizes& sizes : subject.sizes) {
    std::string options = fmt::format(", seed={}", subject.seed);
    if (!sizes.empty()) options += ", sizes=" + python_sizes(sizes);
    if (subject.tolerance > 0) {
      options += fmt::format(", rtol={0}, atol={0}", subject.tolerance);
    }
    text += fmt::format("tw.testing.assert_allclose(sch{})\n", options);
  }
  return text;
}

std::string Failure::to_json() const {
  Json json;
  json["format"] = kFormat;
  json["version"] = 1;
  json["kind"] = verdict.kind;
  json["message"] = verdict.message;
  json["seed"] = seed;
  json["number"] = number;
  json["data_seed"] = subject.seed;
  json["sizes"] = subject.sizes;
  json["tolerance"] = subject.tolerance;
  json["ir"] = func_text(subject.func);
  json["trace"] = Json::parse(trace.to_json());
  json["instructions"] = Json::object();
  for (const auto& [name, instruction] : instructions) {
    json["instructions"][name] = {ir::to_text(instruction.reference),
                                  ir::to_text(instruction.implementation)};
  }
  json["program"] = subject.spec ? spec_to_json(*subject.spec) : Json();
  json["cpp"] = cpp();
  json["python"] = python();
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Failure Failure::from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", std::string()) != kFormat) {
    fail("fuzz.file", "this is no failure written by `tilewright fuzz`");
  }
  Failure failure;
  try {
    if (json.at("version").get<int>() != 1) {
      fail("fuzz.file", "the failure has format version {}; this build knows 1",
           json.at("version").get<int>());
    }
    failure.verdict.kind = json.at("kind").get<std::string>();
    failure.verdict.message = json.at("message").get<std::string>();
    failure.seed = json.at("seed").get<uint64_t>();
    failure.number = json.at("number").get<int64_t>();
    failure.subject.seed = json.at("data_seed").get<uint64_t>();
    failure.subject.sizes = json.at("sizes").get<std::vector<Sizes>>();
    failure.subject.tolerance = json.at("tolerance").get<double>();
    failure.subject.func = ir::parse_func(json.at("ir").get<std::string>());
    failure.trace = Trace::from_json(json.at("trace").dump());
    // Failures of before tensorize was drawn have none.
    if (json.contains("instructions")) {
      for (const auto& [name, texts] : json.at("instructions").items()) {
        failure.instructions[name] = {name, ir::parse_func(texts.at(0).get<std::string>()),
                                      ir::parse_func(texts.at(1).get<std::string>())};
      }
    }
    if (!json.at("program").is_null()) {
      const ProgramSpec spec = spec_from_json(json.at("program"));
      // A description of another program than the text (te has changed) is of no use.
      if (ir::structural_equal(build_program(spec), failure.subject.func)) {
        failure.subject.spec = spec;
        failure.subject.func = build_program(spec);
      }
    }
  } catch (const nlohmann::json::exception& error) {
    fail("fuzz.file", "the failure lacks a field or has one of the wrong type: {}",
         json_fault(error));
  }
  return failure;
}

Verdict rerun(const Failure& failure) {
  try {
    const auto sch =
        Schedule::try_replay(failure.subject.func, failure.trace, failure.instructions);
    if (sch) return check(failure.subject, *sch);
    fail("fuzz.stale", "the trace is refused by this version: {}: {}", sch.error().code,
         sch.error().reason);
  } catch (const Error& error) {
    if (error.code().starts_with("fuzz.") || error.code().starts_with("trace.")) throw;
    return {"error " + error.code(), error.what(), {}};
  }
}

}  // namespace tilewright::fuzz
