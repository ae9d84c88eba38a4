#include <catch2/catch.hpp>

#include "support/expect_error.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

using testing::expect_error;

struct Add {
  te::Tensor a = te::placeholder({100}, kFloat32, "A");
  te::Tensor b = te::compute(
      {100}, [&](te::Var i) { return a(i) + 1.0f; }, "B");
  ir::PrimFunc func = te::create_prim_func({a, b}, "add_one");
};

NDArray hundred() {
  std::vector<float> values(100);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return NDArray::copy_of<float>({100}, kFloat32, std::span<const float>(values));
}

TEST_CASE("A scheduled function is built and called", "[build]") {
  const Add add;
  Schedule sch(add.func);
  Stages stages(sch);
  const auto [io, ii] = stages[add.b].split(stages[add.b].axis(0), 32);
  stages[add.b].vectorize(ii);
  stages[add.b].parallel(io);
  const CompiledKernel kernel = build(sch);
  const NDArray out = kernel(hundred()).at(0);
  CHECK(out.data_as<float>()[0] == 1);
  CHECK(out.data_as<float>()[99] == 100);
  CHECK(kernel.function_names() == std::vector<std::string>{"add_one"});
  CHECK(kernel.function().info().signature() == "add_one(A: float32 (100,)) -> B: float32 (100,)");
  const std::vector<Arg> args = {hundred(), NDArray::empty({100}, kFloat32)};
  CHECK(kernel.time_evaluator(args, {.repeat = 3}).samples_secs.size() == 3);
}

TEST_CASE("Functions outlive the kernel they came from", "[build]") {
  Function function;
  {
    const Add add;
    function = build(Program(add.func)).function();
  }
  const std::vector<Arg> inputs = {hundred()};
  CHECK(function.invoke(inputs).at(0).data_as<float>()[50] == 51);
}

TEST_CASE("Several functions are built into one module", "[build]") {
  const Add add;
  te::Tensor c = te::compute(
      {100}, [&](te::Var i) { return add.a(i) * 2.0f; }, "C");
  const CompiledKernel kernel =
      build({Program(add.func), te::create_prim_func({add.a, c}, "twice")});
  const std::vector<Arg> inputs = {hundred()};
  CHECK(kernel.function("add_one").invoke(inputs).at(0).data_as<float>()[7] == 8);
  CHECK(kernel.function("twice").invoke(inputs).at(0).data_as<float>()[7] == 14);
  expect_error("module.unknown_function", {"twice"}, [&] { kernel.function("twise"); });
  expect_error("module.unknown_function", {}, [&] { kernel.function(); });
}

TEST_CASE("Sources of all kinds", "[build]") {
  const Add add;
  const CompiledKernel kernel = build(Program(add.func));
  CHECK(ir::structural_equal(ir::parse_func(kernel.get_source("ir")), add.func));
  CHECK(ir::parse_func(kernel.get_source("lowered"))->level == ir::Level::kFlat);
  CHECK(kernel.get_source("llvm").find("fadd") != std::string::npos);
  CHECK(kernel.get_source("asm").find("tw_add_one") != std::string::npos);
  expect_error("build.source_kind", {"'lvm'", "'llvm'", "legal"},
               [&] { kernel.get_source("lvm"); });
  expect_error("build.source_kind", {"cuda"}, [&] { get_source(add.func, "cuda"); });
}

TEST_CASE("A lowered function is built as it is", "[build]") {
  const Add add;
  const ir::PrimFunc flat = lowered(add.func);
  CHECK(lowered(flat).same_as(flat));
  const std::string text = ir::to_text(flat);
  CHECK(build(Program(ir::parse_func(text)))(hundred()).at(0).data_as<float>()[3] == 4);
}

TEST_CASE("Passes are seen, timed and skipped by name", "[build]") {
  const Add add;
  BuildOptions options;
  std::vector<std::string> seen, timed;
  options.dump_after = [&](std::string_view pass, const ir::PrimFunc&) { seen.emplace_back(pass); };
  options.timed = [&](std::string_view pass, double secs) {
    timed.emplace_back(pass);
    CHECK(secs >= 0);
  };
  options.skip_passes = {"hoist_invariants"};
  options.verify_each = true;
  build(Program(add.func), Target::host(), options);
  CHECK(seen == timed);
  CHECK(seen.size() == lower::pass_table().size() - 1);
  options.skip_passes = {"hoist_invariant"};
  expect_error("lower.unknown_pass", {"'hoist_invariants'"},
               [&] { build(Program(add.func), Target::host(), options); });
}

TEST_CASE("What cannot be built is said", "[build]") {
  const Add add;
  expect_error("build.undefined", {"no function"}, [] { build(Program(ir::PrimFunc())); });
  expect_error("build.undefined", {"no function"}, [] { build(std::vector<Program>{}); });
  Target foreign = Target::host();
  foreign.arch = "riscv64";
  expect_error("build.foreign_target", {"riscv64", "compile_library"},
               [&] { build(Program(add.func), foreign); });
  // The body uses a variable that nothing binds.
  const ir::Var loose("loose");
  const ir::PrimFunc malformed =
      ir::with_body(lowered(add.func),
                    ir::store(add.func->params[1].buffer, {loose}, ir::make_float(kFloat32, 0)),
                    ir::Level::kFlat);
  expect_error("build.malformed", {"add_one", "loose"}, [&] { build(Program(malformed)); });
  expect_error("build.undefined", {"undefined"}, [] { CompiledKernel().module(); });
}

}  // namespace
}  // namespace tilewright
