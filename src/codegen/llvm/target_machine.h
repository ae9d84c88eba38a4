#pragma once

#include <llvm/Target/TargetMachine.h>

#include "tilewright/codegen/llvm.h"
#include "tilewright/target/target.h"

namespace tilewright::codegen {

/// A machine for the target's features (never for a CPU name), kept by this thread until it asks for a
/// different one. Throws Error "codegen.target" when LLVM lacks the architecture.
llvm::TargetMachine& target_machine(const Target& target, const LlvmOptions& options);

}  // namespace tilewright::codegen
