#include "tilewright/api/build.h"

#include "api/codegen_options.h"
#include "tilewright/arith/region_check.h"
#include "tilewright/codegen/llvm.h"
#include "tilewright/ir/text.h"
#include "tilewright/lower/lower.h"
#include "tilewright/support/suggest.h"

namespace tilewright {
namespace {

const std::vector<std::string>& source_kinds() {
  static const std::vector<std::string> kinds = {"ir", "lowered", "llvm", "asm"};
  return kinds;
}

void check_source_kind(std::string_view kind) {
  for (const std::string& known : source_kinds()) {
    if (kind == known) return;
  }
  fail("build.source_kind", "there is no source of kind '{}'{}; legal are ir, lowered, llvm, asm",
       kind,
       nearest_name(source_kinds(), kind).empty()
           ? ""
           : "; did you mean '" + nearest_name(source_kinds(), kind) + "'?");
}

void check_well_formed(const ir::PrimFunc& func) {
  std::vector<std::string> faults = ir::verify(func);
  if (faults.empty() && func->level == ir::Level::kScheduled) faults = arith::region_faults(func);
  if (faults.empty()) return;
  std::string text;
  for (const std::string& fault : faults) text += "\n  " + fault;
  fail("build.malformed", "the function '{}' is not well-formed:{}", func->name, text);
}

std::string join_texts(const std::vector<ir::PrimFunc>& funcs) {
  std::string text;
  for (const ir::PrimFunc& func : funcs) text += (text.empty() ? "" : "\n") + ir::to_text(func);
  return text;
}

std::string source_of(const std::vector<ir::PrimFunc>& scheduled,
                      const std::vector<ir::PrimFunc>& flat, const Target& target,
                      const BuildOptions& options, std::string_view kind) {
  if (kind == "ir") return join_texts(scheduled);
  if (kind == "lowered") return join_texts(flat);
  return codegen::emit_text(flat, target, kind, detail::llvm_options(options, target));
}

}  // namespace

struct CompiledKernel::Impl {
  std::vector<ir::PrimFunc> scheduled, flat;
  Target target;
  BuildOptions options;
  std::shared_ptr<runtime::Module> module;
};

namespace detail {

codegen::LlvmOptions llvm_options(const BuildOptions& options, const Target& target) {
  codegen::LlvmOptions result;
  result.opt_level = options.opt_level;
  result.contract_fma = options.contract_fma;
  result.triple = target.triple;
  result.externs = options.externs;
  return result;
}

}  // namespace detail

ir::PrimFunc lowered(const Program& program, const Target& target, const BuildOptions& options) {
  const ir::PrimFunc& func = program.func();
  if (!func.defined()) fail("build.undefined", "there is no function to build");
  check_well_formed(func);
  if (func->level == ir::Level::kFlat) return func;
  lower::LowerOptions lowering;
  lowering.checked = options.checked;
  lowering.verify_each = options.verify_each;
  lowering.skip = options.skip_passes;
  lowering.dump_after = options.dump_after;
  lowering.timed = options.timed;
  return lower::lower(func, target, lowering);
}

const runtime::Module& CompiledKernel::module() const {
  if (!impl_) fail("build.undefined", "the kernel is undefined");
  return *impl_->module;
}

const Target& CompiledKernel::target() const {
  module();
  return impl_->target;
}

const std::vector<ir::PrimFunc>& CompiledKernel::scheduled_funcs() const {
  module();
  return impl_->scheduled;
}

const std::vector<ir::PrimFunc>& CompiledKernel::lowered_funcs() const {
  module();
  return impl_->flat;
}

std::string CompiledKernel::get_source(std::string_view kind) const {
  module();
  check_source_kind(kind);
  return source_of(impl_->scheduled, impl_->flat, impl_->target, impl_->options, kind);
}

CompiledKernel build(const std::vector<Program>& programs, const Target& target,
                     const BuildOptions& options) {
  if (programs.empty()) fail("build.undefined", "there is no function to build");
  if (const auto why = Target::host().why_unusable(target)) {
    fail("build.foreign_target",
         "this machine cannot run code for target '{}': {}; compile_library makes a file for it",
         target.to_string(), *why);
  }
  auto impl = std::make_shared<CompiledKernel::Impl>();
  impl->target = target;
  impl->options = options;
  for (const Program& program : programs) {
    impl->flat.push_back(lowered(program, target, options));
    impl->scheduled.push_back(program.func());
  }
  impl->module = codegen::jit(impl->flat, target, detail::llvm_options(options, target));
  CompiledKernel kernel;
  kernel.impl_ = std::move(impl);
  return kernel;
}

CompiledKernel build(const Program& program, const Target& target, const BuildOptions& options) {
  return build(std::vector<Program>{program}, target, options);
}

std::string get_source(const Program& program, std::string_view kind, const Target& target,
                       const BuildOptions& options) {
  check_source_kind(kind);
  if (kind == "ir") return join_texts({program.func()});
  return source_of({program.func()}, {lowered(program, target, options)}, target, options, kind);
}

}  // namespace tilewright
