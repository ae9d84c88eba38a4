#pragma once

#include <set>
#include <string>

#include "tilewright/ir/stmt.h"

namespace tilewright::codegen {

/// The C functions that a function calls.
std::set<std::string> extern_symbols(const ir::PrimFunc& func);

}  // namespace tilewright::codegen
