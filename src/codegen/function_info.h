#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/runtime/function_info.h"
#include "tilewright/target/target.h"

namespace tilewright::codegen {

/// The argument contract of `func`. Size parameters are bound from the shapes and are no arguments.
/// The ids of tuning records are the attribute "records", separated by commas; the operations of one call
/// are the attribute "operation_count", a real number.
runtime::FunctionInfo function_info(const ir::PrimFunc& func, bool has_workspace);

/// What the manifest of a library of these functions says.
runtime::LibraryInfo library_info(const std::vector<runtime::FunctionInfo>& functions,
                                  const Target& target);

}  // namespace tilewright::codegen
