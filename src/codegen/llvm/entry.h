#pragma once

#include "codegen/llvm/module_emitter.h"

namespace tilewright::codegen {

/// Adds everything of one function: the body, `tw_<name>` and `tw_<name>_workspace`.
void emit_entry(ModuleEmitter& module, const ir::PrimFunc& func);

}  // namespace tilewright::codegen
