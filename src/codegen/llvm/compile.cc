#include "codegen/llvm/compile.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Pass.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar.h>

#include <mutex>
#include <set>

#include "codegen/function_info.h"
#include "codegen/llvm/module_emitter.h"
#include "codegen/llvm/target_machine.h"
#include "tilewright/support/error.h"

namespace tilewright::codegen {
namespace {

void check_names(const std::vector<ir::PrimFunc>& funcs) {
  static constexpr std::string_view kReserved[] = {"manifest", "default_parallel_for",
                                                   "missing_cpu_feature"};
  std::set<std::string> symbols(std::begin(kReserved), std::end(kReserved));
  for (const ir::PrimFunc& func : funcs) {
    const std::string& name = func->name;
    const bool legal =
        !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
            std::string::npos;
    if (!legal) {
      fail("codegen.name", "'{}' cannot be the name of a function: use letters, digits and _",
           name);
    }
    if (!symbols.insert(name).second || !symbols.insert(name + "_workspace").second) {
      fail("codegen.name", "the symbol tw_{} is taken; give the function another name", name);
    }
  }
}

void verify_module(const llvm::Module& module) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module, &stream)) throw InternalError("malformed LLVM IR: " + message);
}

// Whether the loop strength reduction pass runs is a global of LLVM that is read while a pipeline is
// put together; the lock covers that.
class LoopReductionSetting {
 public:
  explicit LoopReductionSetting(bool enabled) : lock_(mutex()) {
    auto& known = llvm::cl::getRegisteredOptions();
    const auto it = known.find("disable-lsr");
    if (it != known.end()) static_cast<llvm::cl::opt<bool>*>(it->second)->setValue(!enabled);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
};

}  // namespace

BuiltModule build_module(llvm::LLVMContext& context, const std::vector<ir::PrimFunc>& funcs,
                         const Target& target, const LlvmOptions& options, bool ahead_of_time) {
  check_names(funcs);
  ModuleEmitter emitter(context, target, options, ahead_of_time);
  std::vector<runtime::FunctionInfo> infos;
  for (const ir::PrimFunc& func : funcs) {
    emitter.add_function(func);
    const bool has_workspace = emitter.module->getFunction("tw_" + func->name + "_workspace");
    infos.push_back(function_info(func, has_workspace));
  }
  runtime::LibraryInfo info = library_info(infos, target);
  if (ahead_of_time) emitter.add_manifest(runtime::to_manifest(info));
  verify_module(*emitter.module);
  // Registers out of stack slots, and one copy of each address. Vectorising, unrolling and moving code out
  // of loops have been done before, by the schedule and the emitter.
  llvm::legacy::FunctionPassManager passes(emitter.module.get());
  passes.add(llvm::createSROAPass());
  passes.add(llvm::createEarlyCSEPass());
  passes.doInitialization();
  for (llvm::Function& function : *emitter.module) passes.run(function);
  passes.doFinalization();
  return {std::move(emitter.module), std::move(info)};
}

llvm::SmallVector<char, 0> generate(llvm::Module& module, const Target& target,
                                    const LlvmOptions& options, FileKind kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  {
    const LoopReductionSetting setting(options.loop_strength_reduction);
    const auto type = kind == FileKind::kObject ? llvm::CodeGenFileType::ObjectFile
                                                : llvm::CodeGenFileType::AssemblyFile;
    if (target_machine(target, options)
            .addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true)) {
      fail("codegen.target", "LLVM emits no files for this target");
    }
  }
  passes.run(module);
  return bytes;
}

std::vector<char> emit_object(const std::vector<ir::PrimFunc>& funcs, const Target& target,
                              const LlvmOptions& options, runtime::LibraryInfo* info) {
  llvm::LLVMContext context;
  BuiltModule built = build_module(context, funcs, target, options, true);
  const auto bytes = generate(*built.module, target, options, FileKind::kObject);
  if (info) *info = std::move(built.info);
  return {bytes.begin(), bytes.end()};
}

std::string emit_text(const std::vector<ir::PrimFunc>& funcs, const Target& target,
                      std::string_view kind, const LlvmOptions& options) {
  if (kind != "llvm" && kind != "asm") {
    fail("codegen.source_kind", "the CPU back end has no source of kind '{}'; legal are llvm, asm",
         kind);
  }
  llvm::LLVMContext context;
  const auto [module, info] = build_module(context, funcs, target, options, false);
  if (kind == "asm") {
    const auto bytes = generate(*module, target, options, FileKind::kAssembly);
    return {bytes.begin(), bytes.end()};
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace tilewright::codegen
