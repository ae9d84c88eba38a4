// Whole texts of the errors of what stands around programs: dtypes, targets, builds, libraries, arrays, traces, operators
// and records. Those that name a file of this machine, a version of LLVM or an address have no whole text.

#include "golden/errors_support.h"
#include "tilewright/api/build.h"
#include "tilewright/api/library.h"
#include "tilewright/api/stages.h"
#include "tilewright/codegen/llvm.h"
#include "tilewright/lower/lower.h"
#include "tilewright/ops/definition.h"
#include "tilewright/record/tuning_record.h"
#include "tilewright/runtime/module.h"
#include "tilewright/runtime/time_evaluator.h"
#include "tilewright/te/te.h"

namespace tilewright::testing {
namespace {

using runtime::Module;
using runtime::NDArray;
using runtime::SizeExpr;
using schedule::Schedule;
using schedule::Trace;
using te::Tensor;
using te::Var;

ir::PrimFunc doubled(const std::string& name = "doubled") {
  const Tensor a = te::placeholder({8}, kFloat32, "A");
  return te::create_prim_func({a, te::compute(
                                      {8}, [&](Var i) { return a(i) * 2.0f; }, "C")},
                              name);
}

// A trace of one split, of which `from` is read as `to`.
Trace trace(const std::string& from, const std::string& to) {
  Schedule sch(doubled());
  sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 4);
  std::string text = sch.trace().to_json();
  const size_t at = text.find(from);
  return Trace::from_json(text.replace(at, from.size(), to));
}
void replayed(const std::string& from, const std::string& to) {
  Schedule::replay(doubled(), trace(from, to));
}

void compiled(const ir::PrimFunc& func, int opt_level = 2) {
  codegen::LlvmOptions options;
  options.opt_level = opt_level;
  codegen::jit({func}, Target::host(), options);
}

ir::PrimFunc flat() { return lower::lower(doubled(), Target::parse("cpu")); }

const std::vector<Trigger>& target_errors() {
  static const std::vector<Trigger> table = {
      {"dtype.unknown", [] { parse_dtype("floot32"); }},
      {"target.unknown_kind", [] { Target::parse("cpuu"); }},
      {"target.unknown_option", [] { Target::parse("cpu -vectr-bits=256"); }},
      {"target.bad_value", [] { Target::parse("cpu -vector-bits=100"); }},
      {"target.duplicate_option", [] { Target::parse("cpu -cores=4 -cores=8"); }},
      {"target.unknown_feature", [] { Target::parse("cpu -arch=x86_64 -features=avx3"); }},
  };
  return table;
}

const std::vector<Trigger>& build_errors() {
  static const std::vector<Trigger> table = {
      {"build.undefined", [] { build(Program(ir::PrimFunc())); }},
      {"build.source_kind", [] { get_source(Program(doubled()), "ptx"); }},
      {"build.foreign_target", [] { build(Program(doubled()), Target::parse("cuda")); }},
      {"codegen.name",
       [] {
         codegen::jit({flat(), flat()}, Target::host());
       }},
      {"codegen.level", [] { compiled(doubled()); }},
      {"codegen.opt_level", [] { compiled(flat(), 7); }},
      {"library.format", [] { parse_library_format("sharedd"); }},
      {"library.path", [] { compile_library({{doubled()}}, "no/such/folder/libdoubled.so"); }},
      {"module.not_found", [] { Module::load("no/such/library.so"); }},
      {"module.not_loadable", [] { Module::load("/dev/null"); }},
      {"module.undefined", [] { Module().info(); }},
  };
  return table;
}

const std::vector<Trigger>& array_errors() {
  static const std::vector<Trigger> table = {
      {"ndarray.undefined", [] { (void)NDArray().shape(); }},
      {"ndarray.shape",
       [] {
         NDArray::zeros({4, -1}, kFloat32);
       }},
      {"ndarray.view",
       [] {
         NDArray::zeros({4}, kFloat32).view({3, 3}, {});
       }},
      {"ndarray.copy",
       [] {
         NDArray a = NDArray::zeros({4}, kFloat32);
         a.copy_from(NDArray::zeros({5}, kFloat32));
       }},
      {"size.syntax", [] { SizeExpr::parse("n * "); }},
      {"size.arithmetic",
       [] {
         (void)SizeExpr::parse("8 // n").evaluate({{"n", 0}});
       }},
      {"stage.axis",
       [] {
         Schedule sch(doubled());
         (void)Stage(sch, sch.get_block("C")).axis(2);
       }},
      {"time.bad_option",
       [] {
         runtime::TimeOptions options;
         options.number = 0;
         const runtime::Function f = build(Program(doubled())).function();
         time_evaluator(f, {}, options);
       }},
  };
  return table;
}

const std::vector<Trigger>& trace_errors() {
  static const std::vector<Trigger> table = {
      {"trace.parse", [] { Trace::from_json("[]"); }},
      {"trace.version", [] { trace("\"ver\":1", "\"ver\":9"); }},
      {"trace.unknown_primitive", [] { replayed("[\"split\"", "[\"splitt\""); }},
      {"trace.handle", [] { replayed("[\"l0\"]", "[\"l7\"]"); }},
      {"trace.outputs", [] { replayed("\"l1\",\"l2\"", "\"l1\""); }},
      {"trace.attribute", [] { replayed("\"guard\"", "3"); }},
      {"trace.decision", [] { replayed("[null,4]", "[null,\"$tile[0]\"]"); }},
      {"trace.print", [] { trace("\"name\":\"C\"", "").to_python(); }},
      {"record.parse", [] { record::TuningRecord::from_line("[1]"); }},
  };
  return table;
}

const std::vector<Trigger>& operator_errors() {
  static const std::vector<Trigger> table = {
      {"ops.unknown_op", [] { ops::instantiate("matmull", {}); }},
      {"ops.unknown_parameter",
       [] {
         ops::instantiate("conv2d", {{"kernal", "3"}});
       }},
      {"ops.duplicate_parameter",
       [] {
         ops::instantiate("matmul", {{"trans-a", "1"}, {"trans_a", "1"}});
       }},
      {"ops.bad_value",
       [] {
         ops::instantiate("matmul", {{"m", "-3"}});
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("texts of errors: dtypes and targets", "[golden]") { check_triggers(target_errors()); }
TEST_CASE("texts of errors: builds and libraries", "[golden]") { check_triggers(build_errors()); }
TEST_CASE("texts of errors: arrays and sizes", "[golden]") { check_triggers(array_errors()); }
TEST_CASE("texts of errors: traces", "[golden]") { check_triggers(trace_errors()); }
TEST_CASE("texts of errors: operators", "[golden]") { check_triggers(operator_errors()); }

}  // namespace tilewright::testing
