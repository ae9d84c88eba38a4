#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <string_view>

#include "tilewright/codegen/llvm.h"
#include "tilewright/ir/stmt.h"
#include "tilewright/target/target.h"

namespace tilewright::codegen {

/// One LLVM module under construction and what all its functions share.
class ModuleEmitter {
 public:
  /// `ahead_of_time`: entries test the CPU's features and the manifest symbol is emitted.
  ModuleEmitter(llvm::LLVMContext& llvm_context, const Target& for_target,
                const LlvmOptions& llvm_options, bool ahead_of_time);

  /// Adds the body, the entry and the workspace query of `func` (level flat).
  void add_function(const ir::PrimFunc& func);
  /// Adds the `tw_manifest` symbol.
  void add_manifest(const std::string& json);

  /// An internal function with the target's attributes.
  llvm::Function* make_function(
      const std::string& name, llvm::FunctionType* type,
      llvm::GlobalValue::LinkageTypes linkage = llvm::GlobalValue::InternalLinkage);
  /// A function defined elsewhere (libc, libm, the runtime); hidden ones are linked into the library.
  llvm::FunctionCallee external(std::string_view name, llvm::FunctionType* type,
                                bool hidden = false);
  /// int snprintf(char*, size_t, const char*, ...).
  llvm::FunctionCallee snprintf();
  /// A global variable with an initial value, defined in this module.
  llvm::GlobalVariable* make_global(const std::string& name, llvm::Constant* value,
                                    llvm::GlobalValue::LinkageTypes linkage, bool is_constant);
  /// Address of a constant NUL-terminated text.
  llvm::Constant* text(std::string_view characters);

  llvm::Type* i1() { return llvm::Type::getInt1Ty(context); }
  llvm::Type* i8() { return llvm::Type::getInt8Ty(context); }
  llvm::IntegerType* i32() { return llvm::Type::getInt32Ty(context); }
  llvm::IntegerType* i64() { return llvm::Type::getInt64Ty(context); }
  llvm::PointerType* ptr() { return llvm::PointerType::getUnqual(context); }

  llvm::LLVMContext& context;
  std::unique_ptr<llvm::Module> module;
  const Target& target;
  const LlvmOptions& options;
  const bool ahead_of_time;
  /// The target converts between float16 and float32 in hardware.
  bool native_half = false;

 private:
  std::string vector_width_;
  size_t num_texts_ = 0;
};

}  // namespace tilewright::codegen
