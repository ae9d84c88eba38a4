#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/runtime/function.h"
#include "tilewright/runtime/function_info.h"

namespace tilewright::runtime {

struct LoadOptions {
  /// Makes the library's symbols visible to libraries loaded later (RTLD_GLOBAL).
  bool global_symbols = false;
};

/// A compiled library. Functions taken from it keep it loaded; it is unloaded with the last of them
/// and the last copy of the module.
class Module {
 public:
  Module() = default;

  /// Loads a library made by `tilewright compile`. A file that replaced one still loaded from the same
  /// path is loaded beside it.
  ///
  /// Throws Error module.not_found, module.not_loadable (not a shared library, or for another arch),
  /// module.no_manifest (not made by Tilewright), module.bad_manifest, module.abi_version,
  /// module.bad_symbol. A CPU feature that this machine lacks is reported by the first call.
  static Module load(const std::string& path, const LoadOptions& options = {});

  /// A module of functions that keep their own code alive, such as the JIT makes: one per entry of
  /// `info.functions`, in that order.
  static Module from_functions(LibraryInfo info, std::vector<Function> functions);

  bool defined() const { return impl_ != nullptr; }
  const LibraryInfo& info() const;
  std::vector<std::string> function_names() const;
  /// Throws Error module.unknown_function, naming the nearest one.
  Function get(std::string_view name) const;
  /// The only function of the library. Throws Error module.unknown_function when it has several.
  Function get() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace tilewright::runtime
