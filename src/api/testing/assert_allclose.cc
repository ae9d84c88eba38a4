#include "api/testing/arguments.h"
#include "tilewright/support/error.h"

namespace tilewright::testing {
namespace {

using Outputs = std::map<std::string, runtime::NDArray>;

void compare(const std::string& path, const Outputs& actual, const Outputs& expected,
             const CheckOptions& options) {
  for (const auto& [name, wanted] : expected) {
    const auto it = actual.find(name);
    if (it == actual.end()) {
      fail("testing.options", "'{}' is no output, so nothing can be expected of it", name);
    }
    const std::string text = difference(it->second, wanted, options.rtol, options.atol);
    if (!text.empty()) fail("testing.mismatch", "{}: output '{}': {}", path, name, text);
  }
}

Outputs run_reference(const ir::PrimFunc& func, detail::Arguments& arguments, bool check_init,
                      bool check_races = false) {
  arguments.reset();
  detail::run_interpreter(func, arguments, check_init, check_races);
  return arguments.outputs();
}

}  // namespace

Outputs interpret(const Program& program, const CheckOptions& options) {
  detail::Arguments arguments(program.func(), options);
  return run_reference(program.func(), arguments, options.check_init, options.check_races);
}

void assert_allclose(const CompiledKernel& kernel, const Program& reference,
                     const CheckOptions& options) {
  detail::Arguments arguments(reference.func(), options);
  const Outputs interpreted = run_reference(reference.func(), arguments, false);
  compare("the interpreter on the unscheduled program", interpreted, options.expected, options);
  Outputs expected = options.expected;
  expected.insert(interpreted.begin(), interpreted.end());

  const auto check_step = [&](const std::string& path, const ir::PrimFunc& func) {
    compare(path, run_reference(func, arguments, true), expected, options);
    arguments.check_memory(path);
  };
  if (options.interpret_steps) {
    check_step("the interpreter on the scheduled program", kernel.scheduled_funcs()[0]);
    check_step("the interpreter on the lowered program", kernel.lowered_funcs()[0]);
  }
  for (int threads : options.threads) {
    const std::string path =
        fmt::format("compiled code, {} thread{}", threads, threads == 1 ? "" : "s");
    arguments.reset();
    detail::run_compiled(kernel.function(), arguments, threads);
    compare(path, arguments.outputs(), expected, options);
    arguments.check_memory(path);
  }
}

void assert_allclose(const Program& program, const Program& reference,
                     const CheckOptions& options) {
  assert_allclose(build(program, Target::host(), options.build), reference, options);
}

void assert_allclose(const schedule::Schedule& sch, const CheckOptions& options) {
  assert_allclose(Program(sch.func()), Program(sch.original()), options);
}

}  // namespace tilewright::testing
