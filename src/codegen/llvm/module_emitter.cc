#include "codegen/llvm/module_emitter.h"

#include "codegen/llvm/entry.h"
#include "codegen/llvm/target_machine.h"
#include "tilewright/support/error.h"

namespace tilewright::codegen {

ModuleEmitter::ModuleEmitter(llvm::LLVMContext& llvm_context, const Target& for_target,
                             const LlvmOptions& llvm_options, bool is_ahead_of_time)
    : context(llvm_context),
      module(std::make_unique<llvm::Module>("tilewright", llvm_context)),
      target(for_target),
      options(llvm_options),
      ahead_of_time(is_ahead_of_time),
      native_half(for_target.arch == "aarch64" || for_target.has_feature("f16c")) {
  llvm::TargetMachine& machine = target_machine(for_target, llvm_options);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  if (for_target.has_feature("avx512f")) vector_width_ = std::to_string(for_target.vector_bits);
}

void ModuleEmitter::add_function(const ir::PrimFunc& func) {
  if (func->level != ir::Level::kFlat) {
    fail("codegen.level", "'{}' is at level {}; the CPU back end takes level flat (lower it first)",
         func->name, ir::spelling(func->level));
  }
  emit_entry(*this, func);
}

void ModuleEmitter::add_manifest(const std::string& json) {
  auto* data = llvm::ConstantDataArray::getString(context, json);
  llvm::GlobalVariable* global =
      make_global("tw_manifest", data, llvm::GlobalValue::ExternalLinkage, /*is_constant=*/true);
  global->setAlignment(llvm::Align(1));
}

llvm::Function* ModuleEmitter::make_function(const std::string& name, llvm::FunctionType* type,
                                             llvm::GlobalValue::LinkageTypes linkage) {
  auto* function = llvm::Function::Create(type, linkage, name, module.get());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  // The x86 back end takes the width from these two, not from the features.
  if (!vector_width_.empty()) {
    function->addFnAttr("prefer-vector-width", vector_width_);
    function->addFnAttr("min-legal-vector-width", vector_width_);
  }
  return function;
}

llvm::FunctionCallee ModuleEmitter::external(std::string_view name, llvm::FunctionType* type,
                                             bool hidden) {
  llvm::FunctionCallee callee =
      module->getOrInsertFunction(llvm::StringRef(name.data(), name.size()), type);
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addFnAttr(llvm::Attribute::NoUnwind);
    // In this process the function is far away and reached through a table.
    if (hidden && ahead_of_time) function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
  return callee;
}

llvm::FunctionCallee ModuleEmitter::snprintf() {
  return external("snprintf", llvm::FunctionType::get(i32(), {ptr(), i64(), ptr()}, true));
}

llvm::GlobalVariable* ModuleEmitter::make_global(const std::string& name, llvm::Constant* value,
                                                 llvm::GlobalValue::LinkageTypes linkage,
                                                 bool is_constant) {
  module->getOrInsertGlobal(name, value->getType());
  llvm::GlobalVariable* global = module->getGlobalVariable(name, /*AllowInternal=*/true);
  global->setInitializer(value);
  global->setLinkage(linkage);
  global->setConstant(is_constant);
  return global;
}

llvm::Constant* ModuleEmitter::text(std::string_view characters) {
  auto* data = llvm::ConstantDataArray::getString(
      context, llvm::StringRef(characters.data(), characters.size()));
  llvm::GlobalVariable* global = make_global("text." + std::to_string(num_texts_++), data,
                                             llvm::GlobalValue::PrivateLinkage, true);
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(1));
  return global;
}

}  // namespace tilewright::codegen
