#pragma once

#include <string>
#include <vector>

namespace tilewright::codegen {

/// `link_shared` of llvm.h with the programs to try, in order: linkers (`ld`, or a path whose file name
/// ends in ld or starts with ld.) or compiler drivers.
///
/// Throws Error "codegen.no_linker" when none of them is found, "codegen.link" with the linker's words when
/// it fails.
void link_shared(const std::vector<std::string>& object_paths, const std::string& path,
                 const std::vector<std::string>& linkers);

}  // namespace tilewright::codegen
