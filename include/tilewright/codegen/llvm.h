#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/runtime/module.h"
#include "tilewright/target/target.h"

namespace tilewright::codegen {

struct LlvmOptions {
  int opt_level =
      2;  ///< code generation effort 0..3 (back end; the middle-end passes are few and fixed)
  bool loop_strength_reduction = true;  ///< off: faster compiles for tuning candidates
  bool contract_fma = true;             ///< a*b+c may become one fused operation
  std::string triple;                   ///< empty: the host
  std::map<std::string, void*> externs =
      {};  ///< addresses of C functions, for code of this process
};

/// Compiles lowered (flat) functions in this process and gives a loaded module.
std::shared_ptr<runtime::Module> jit(const std::vector<ir::PrimFunc>& funcs, const Target& target,
                                     const LlvmOptions& options = {});

/// A relocatable object for the target with one `tw_<name>` entry per function, workspace queries and
/// the manifest (see runtime/abi.h), of which `info`, when given, gets a copy.
std::vector<char> emit_object(const std::vector<ir::PrimFunc>& funcs, const Target& target,
                              const LlvmOptions& options = {},
                              runtime::LibraryInfo* info = nullptr);

/// kind: "llvm" or "asm". Throws Error "codegen.source_kind" naming the legal kinds.
std::string emit_text(const std::vector<ir::PrimFunc>& funcs, const Target& target,
                      std::string_view kind, const LlvmOptions& options = {});

/// Links objects into a shared library at `path` whose dynamic dependencies are libc and libm only. Throws
/// Error "codegen.no_linker" when neither ld nor a C compiler is found.
void link_shared(const std::vector<std::string>& object_paths, const std::string& path);

/// The version of LLVM in use, e.g. "19.1.7".
std::string llvm_version();

}  // namespace tilewright::codegen
