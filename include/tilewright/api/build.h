#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/runtime/module.h"
#include "tilewright/runtime/time_evaluator.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

/// \file
/// From a program to code that can be called in this process.

namespace tilewright {

/// What is compiled: a function with its loops as they stand, or what a schedule has made of one. A
/// function fresh from create_prim_func runs serially and as written; `schedule::default_schedule(func)`
/// gives it the schedule used when nothing else is known.
class Program {
 public:
  Program(ir::PrimFunc func) : func_(std::move(func)) {}         // NOLINT
  Program(const schedule::Schedule& sch) : func_(sch.func()) {}  // NOLINT
  const ir::PrimFunc& func() const { return func_; }

 private:
  ir::PrimFunc func_;
};

struct BuildOptions {
  /// Data-dependent indices and divisions are tested while the code runs; a failed test ends the call with
  /// Error call.check.
  bool checked = false;
  /// a*b+c may become one fused operation, rounded once. No other liberty is taken with floats.
  bool contract_fma = true;
  /// Effort of LLVM's back end, 0 to 3.
  int opt_level = 2;
  /// The verifier runs after each pass.
  bool verify_each = false;
  /// Addresses of the C functions that te::extern_call names, by symbol. One that is not listed is looked up
  /// among the symbols of this process.
  std::map<std::string, void*> externs = {};
  /// Passes left out, by name; see `lower::pass_table`.
  std::vector<std::string> skip_passes = {};
  /// Called after each pass with its name and the function as it then is.
  std::function<void(std::string_view pass, const ir::PrimFunc& func)> dump_after = {};
  /// Called after each pass with its name and wall time in seconds.
  std::function<void(std::string_view pass, double secs)> timed = {};
};

/// The program as plain loops, vectors and flat accesses, ready for code generation. A function that is flat
/// already (parsed from text) stays as it is.
///
/// Throws Error build.malformed for IR that the verifier refuses, lower.* for what cannot be lowered.
ir::PrimFunc lowered(const Program& program, const Target& target = Target::host(),
                     const BuildOptions& options = {});

/// Functions compiled into this process, and the programs they came from. A cheap handle; functions taken
/// from it keep their code alive.
class CompiledKernel {
 public:
  CompiledKernel() = default;

  bool defined() const { return impl_ != nullptr; }
  const runtime::Module& module() const;
  const Target& target() const;
  const std::vector<ir::PrimFunc>& scheduled_funcs() const;
  const std::vector<ir::PrimFunc>& lowered_funcs() const;
  std::vector<std::string> function_names() const { return module().function_names(); }

  /// The only function. Throws Error module.unknown_function when there are several.
  runtime::Function function() const { return module().get(); }
  /// Throws Error module.unknown_function, naming the nearest one.
  runtime::Function function(std::string_view name) const { return module().get(name); }

  /// Calls the only function with the inputs in order (arrays, integers, reals) and returns its outputs,
  /// newly allocated: `kernel(a, b)[0]`. Throws as `runtime::Function::call` does.
  template <typename... Inputs>
  std::vector<runtime::NDArray> operator()(const Inputs&... inputs) const {
    const std::vector<runtime::Arg> args{runtime::Arg(inputs)...};
    return function().invoke(args);
  }

  /// kind: "ir" (as scheduled, loops around blocks), "lowered" (plain loops), "llvm" or "asm".
  /// Throws Error build.source_kind naming the legal kinds.
  std::string get_source(std::string_view kind) const;

  /// Times calls of the only function; see runtime/time_evaluator.h.
  runtime::TimeResult time_evaluator(std::span<const runtime::Arg> args,
                                     const runtime::TimeOptions& options = {}) const {
    return runtime::time_evaluator(function(), args, options);
  }

 private:
  friend CompiledKernel build(const std::vector<Program>& programs, const Target& target,
                              const BuildOptions& options);
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// Compiles programs for this process. Different programs need different function names.
///
/// Throws Error codegen.extern for a C function that is not found, build.foreign_target when this machine cannot run code for `target`, and what `lowered`
/// and code generation throw.
CompiledKernel build(const std::vector<Program>& programs, const Target& target = Target::host(),
                     const BuildOptions& options = {});
CompiledKernel build(const Program& program, const Target& target = Target::host(),
                     const BuildOptions& options = {});

/// Source of a program without compiling it for this process, so for any target: kinds as
/// `CompiledKernel::get_source`.
std::string get_source(const Program& program, std::string_view kind,
                       const Target& target = Target::host(), const BuildOptions& options = {});

}  // namespace tilewright
