#pragma once

#include <string>
#include <string_view>

#include "tilewright/runtime/function_info.h"

namespace tilewright::codegen {

/// A C99 header that declares the entries of a compiled library and tells, for each, its arguments in
/// order. `library_name` ("libmm") names it in the comments and the include guard. The header stands
/// alone: it contains the call ABI (runtime/abi.h).
std::string emit_c_header(const runtime::LibraryInfo& info, std::string_view library_name);

}  // namespace tilewright::codegen
