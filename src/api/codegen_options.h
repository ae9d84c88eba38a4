#pragma once

#include "tilewright/api/build.h"
#include "tilewright/codegen/llvm.h"

namespace tilewright::detail {

codegen::LlvmOptions llvm_options(const BuildOptions& options, const Target& target);

}  // namespace tilewright::detail
