#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

#include "tilewright/codegen/llvm.h"
#include "tilewright/runtime/function_info.h"

namespace tilewright::codegen {

struct BuiltModule {
  std::unique_ptr<llvm::Module> module;
  runtime::LibraryInfo info;
};

/// The functions as an LLVM module, after the function pipeline, and their contracts. `ahead_of_time`:
/// with the CPU test and the manifest.
BuiltModule build_module(llvm::LLVMContext& context, const std::vector<ir::PrimFunc>& funcs,
                         const Target& target, const LlvmOptions& options, bool ahead_of_time);

enum class FileKind { kObject, kAssembly };

/// Machine code (or its text) of a module.
llvm::SmallVector<char, 0> generate(llvm::Module& module, const Target& target,
                                    const LlvmOptions& options, FileKind kind);

}  // namespace tilewright::codegen
