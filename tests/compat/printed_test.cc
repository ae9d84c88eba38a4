// Traces printed as C++: the printed functions are compiled into this test and called.

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compat/frozen.h"
#include "compat/primitive_examples.h"
#include "compat/printed.inc"
#include "schedule/primitive_signature.h"
#include "schedule/primitive_table.h"
#include "support/expect_error.h"
#include "tilewright/ir/text.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Schedule;
using schedule::SourceOptions;
using schedule::Trace;

// The functions of printed.inc and a table of them.
std::string print_all() {
  std::string code, table;
  for (const auto& [name, sch] : schedules_by_hand()) {
    code += sch.trace().to_cpp({"make_" + name, false}) + "\n";
    code += sch.trace().to_cpp({"make_fixed_" + name, true}) + "\n";
    const char* more = sch.instructions().empty() ? "" : ", i";
    table += fmt::format(
        "    {{\"{0}\", {{[](Func f, [[maybe_unused]] Instructions i) {{ return make_{0}(f{1}); "
        "}},\n"
        "      [](Func f, [[maybe_unused]] Instructions i) {{ return make_fixed_{0}(f{1}); "
        "}}}}}},\n",
        name, more);
  }
  return code +
         "using Func = const tilewright::ir::PrimFunc&;\n"
         "using Instructions = const tilewright::schedule::TensorInstructions&;\n"
         "using MakeSchedule = tilewright::schedule::Schedule (*)(Func, Instructions);\n"
         "const std::map<std::string, std::pair<MakeSchedule, MakeSchedule>> kPrinted = {\n" +
         table + "};\n";
}

std::string read_printed() {
  std::ifstream in(std::string(TW_TEST_DATA_DIR) + "/printed.inc", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("printed C++ is the text that is compiled here", "[compat]") {
  const std::string text = print_all();
  const char* update = std::getenv("TW_UPDATE_GOLDEN");
  if (update && std::string(update) == "1") {
    std::ofstream(std::string(TW_TEST_DATA_DIR) + "/printed.inc", std::ios::binary) << text;
  }
  INFO("TW_UPDATE_GOLDEN=1 writes printed.inc anew; then build again");
  CHECK(read_printed() == text);
}

TEST_CASE("printed C++ makes the program of the trace", "[compat]") {
  for (const auto& [name, sch] : schedules_by_hand()) {
    INFO(name);
    const auto row = kPrinted.find(name);
    if (row == kPrinted.end()) {
      FAIL_CHECK("printed.inc lacks it");
      continue;
    }
    const Schedule again = row->second.first(sch.original(), sch.instructions());
    const Schedule fixed = row->second.second(sch.original(), sch.instructions());
    CHECK(ir::structural_equal(again.func(), sch.func()));
    CHECK(ir::structural_equal(fixed.func(), sch.func()));
    CHECK(again.trace().decisions == sch.trace().decisions);
  }
}

TEST_CASE("every primitive has a signature and an example that prints", "[compat]") {
  std::set<std::string> with_example;
  for (const PrimitiveExample& example : primitive_examples()) {
    PrimitiveExample::Step step;
    Schedule sch = prepare(example, step);
    step(sch);
    INFO(example.primitive);
    with_example.insert(example.primitive);
    CHECK(sch.trace().to_python().find("sch." + example.primitive + "(") != std::string::npos);
    CHECK(sch.trace().to_cpp().find("sch." + example.primitive) != std::string::npos);
  }
  for (const schedule::Primitive& row : schedule::primitive_table()) {
    INFO(row.name);
    CHECK(schedule::find_signature(row.name));
    CHECK(with_example.count(std::string(row.name)) == 1);
  }
}

TEST_CASE("printing names what it cannot print", "[compat]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(["bend",1,[],{},[]])", "trace.unknown_primitive"},
      {R"(["get_loops",1,["b7"],{},["l0"]])", "trace.handle"},
      {R"(["get_block",1,[],{},["b0"]])", "trace.print"},
      {R"(["get_block",9,[],{"name":"C"},["b0"]])", "trace.version"},
      {R"(["sample_categorical",1,[],{"candidates":[1],"weights":[]},[]])", "trace.print"},
      {R"(["sample_categorical",1,[],{"candidates":["$x"],"weights":[],"name":"d"},[]])",
       "trace.decision"},
  };
  for (const auto& [step, code] : cases) {
    INFO(step);
    const Trace trace =
        Trace::from_json(R"({"ver":1,"sketch":"","insts":[)" + step + R"(],"decisions":[]})");
    expect_error(code, {}, [&] { trace.to_python(); });
    expect_error(code, {}, [&] { trace.to_cpp(); });
  }
}

TEST_CASE("steps that no method has an argument for print through apply", "[compat]") {
  const Trace trace =
      Trace::from_json(R"({"ver":1,"sketch":"","insts":[["get_block",1,[],{"name":"C"},["b0"]],)"
                       R"(["get_loops",1,["b0"],{},["l0","l1"]],)"
                       R"(["split",1,["l0"],{"factors":[null,4],"tail":"pad"},["l2","l3"]],)"
                       R"(["unroll",1,["l3"],{},[]]],"decisions":[]})");
  const std::string python = trace.to_python(), cpp = trace.to_cpp();
  INFO(python << cpp);
  CHECK(python.find("l2, l3 = sch.apply(\"split\", [l0], factors=[None, 4], proof=\"lowering\", "
                    "tail=\"pad\")") != std::string::npos);
  CHECK(python.find("sch.unroll(l3)") != std::string::npos);
  CHECK(cpp.find("sch.unroll(std::get<Loop>(results[1]))") != std::string::npos);
}

TEST_CASE("names of blocks, sketches and decisions may hold any character", "[compat]") {
  te::Tensor a = te::placeholder({16}, kFloat32, "A");
  te::Tensor b = te::compute(
      {16}, [&](te::Var i) { return a(i) + 1.0f; }, "B");
  Schedule sch(te::create_prim_func({a, b}, "odd_names"));
  sch.set_sketch("a \"quoted\" sketch\\\n");
  const auto loop = sch.get_loops(sch.get_block("B"))[0];
  const auto width = sch.sample_categorical({4}, {}, "for");
  const auto tile = sch.sample_perfect_tile(loop, 2, 16, "tile of \"i\"");
  sch.split(sch.split(loop, {tile[0], tile[1]})[1], {std::nullopt, width});
  const std::string python = sch.trace().to_python(), cpp = sch.trace().to_cpp();
  INFO(python << cpp);
  CHECK(python.find("for_ = sch.sample_categorical([4], name=\"for\")") != std::string::npos);
  CHECK(python.find("name=\"tile of \\\"i\\\"\"") != std::string::npos);
  CHECK(cpp.find("{tile_of__i_[0], tile_of__i_[1]}") != std::string::npos);
  CHECK(replay_difference(sch) == "");
}

}  // namespace tilewright::testing
