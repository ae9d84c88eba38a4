#include "codegen/llvm/target_machine.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <mutex>

#include "tilewright/support/error.h"

namespace tilewright::codegen {
namespace {

void initialize_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

std::string triple_of(const Target& target, const LlvmOptions& options) {
  if (!options.triple.empty()) return llvm::Triple::normalize(options.triple);
  if (!target.triple.empty()) return llvm::Triple::normalize(target.triple);
  const llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  if (target.arch.empty() || target.arch == host.getArchName()) return host.str();
  return target.arch + "-unknown-linux-gnu";
}

std::string feature_string(const Target& target) {
  std::string text;
  for (const std::string& feature : target.features) text += (text.empty() ? "+" : ",+") + feature;
  return text;
}

llvm::CodeGenOptLevel codegen_level(int level) {
  switch (level) {
    case 0: return llvm::CodeGenOptLevel::None;
    case 1: return llvm::CodeGenOptLevel::Less;
    case 2: return llvm::CodeGenOptLevel::Default;
    case 3: return llvm::CodeGenOptLevel::Aggressive;
    default: break;
  }
  fail("codegen.opt_level", "opt_level is {}; legal are 0 to 3", level);
}

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& triple,
                                                  const std::string& features, int level) {
  initialize_llvm();
  std::string message;
  const llvm::Target* llvm_target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!llvm_target) {
    fail("codegen.target", "this LLVM generates no code for '{}': {}", triple, message);
  }
  llvm::TargetOptions target_options;
  // A trap instruction where control cannot come costs nothing and ends a miscompiled call early.
  target_options.TrapUnreachable = false;
  std::unique_ptr<llvm::TargetMachine> machine(
      llvm_target->createTargetMachine(triple, "", features, target_options, llvm::Reloc::PIC_,
                                       llvm::CodeModel::Small, codegen_level(level)));
  if (!machine) fail("codegen.target", "this LLVM generates no code for '{}'", triple);
  return machine;
}

}  // namespace

llvm::TargetMachine& target_machine(const Target& target, const LlvmOptions& options) {
  if (target.kind != TargetKind::kCpu) {
    fail("codegen.target", "the LLVM back end compiles for cpu, not for {}",
         to_string(target.kind));
  }
  thread_local std::string key;
  thread_local std::unique_ptr<llvm::TargetMachine> machine;
  const std::string triple = triple_of(target, options);
  const std::string features = feature_string(target);
  const std::string wanted = fmt::format("{} {} {}", triple, features, options.opt_level);
  if (!machine || key != wanted) {
    machine = make_machine(triple, features, options.opt_level);
    key = wanted;
  }
  return *machine;
}

}  // namespace tilewright::codegen
