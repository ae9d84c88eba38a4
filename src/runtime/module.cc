#include "tilewright/runtime/module.h"

#include "runtime/shared_library.h"
#include "tilewright/runtime/abi.h"
#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright::runtime {

struct Module::Impl {
  std::shared_ptr<SharedLibrary> library;
  LibraryInfo info;
  std::vector<Function> functions;  // as in info
};

namespace {

Function make_function(const std::string& path, const std::shared_ptr<SharedLibrary>& library,
                       const LibraryInfo& info, const FunctionInfo& function) {
  const std::string entry_name = TW_ENTRY_PREFIX + function.name;
  void* entry = library->symbol(entry_name);
  if (!entry) {
    fail("module.bad_symbol", "'{}' lists function '{}' but does not define {}", path,
         function.name, entry_name);
  }
  void* workspace = nullptr;
  if (function.has_workspace) {
    workspace = library->symbol(entry_name + TW_WORKSPACE_SUFFIX);
    if (!workspace) {
      fail("module.bad_symbol", "'{}' lists a workspace of '{}' but does not define {}{}", path,
           function.name, entry_name, TW_WORKSPACE_SUFFIX);
    }
  }
  return Function(reinterpret_cast<tw_entry_fn>(entry), function, library,
                  reinterpret_cast<tw_workspace_fn>(workspace), info.features);
}

}  // namespace

Module Module::load(const std::string& path, const LoadOptions& options) {
  auto impl = std::make_shared<Impl>();
  impl->library = SharedLibrary::open(path, options.global_symbols);
  const void* manifest = impl->library->symbol(TW_MANIFEST_SYMBOL);
  if (!manifest) {
    fail("module.no_manifest", "'{}' is not a Tilewright library: it does not define {}", path,
         TW_MANIFEST_SYMBOL);
  }
  try {
    impl->info = parse_manifest(static_cast<const char*>(manifest));
  } catch (const Error& error) {
    const bool known = error.code() == "module.abi_version";
    fail(known ? error.code() : "module.bad_manifest", "cannot load '{}': {}", path, error.what());
  }
  for (const FunctionInfo& function : impl->info.functions) {
    impl->functions.push_back(make_function(path, impl->library, impl->info, function));
  }
  Module module;
  module.impl_ = std::move(impl);
  return module;
}

Module Module::from_functions(LibraryInfo info, std::vector<Function> functions) {
  internal_check(info.functions.size() == functions.size(), "{} functions described, {} given",
                 info.functions.size(), functions.size());
  auto impl = std::make_shared<Impl>();
  impl->info = std::move(info);
  impl->functions = std::move(functions);
  Module module;
  module.impl_ = std::move(impl);
  return module;
}

const LibraryInfo& Module::info() const {
  if (!impl_) fail("module.undefined", "the module is undefined");
  return impl_->info;
}

std::vector<std::string> Module::function_names() const {
  std::vector<std::string> names;
  for (const FunctionInfo& function : info().functions) names.push_back(function.name);
  return names;
}

Function Module::get(std::string_view name) const {
  if (!impl_) fail("module.undefined", "the module is undefined");
  for (const Function& function : impl_->functions) {
    if (function.name() == name) return function;
  }
  fail("module.unknown_function", "the library has no function '{}'{}", name,
       suggestion(function_names(), name));
}

Function Module::get() const {
  if (info().functions.size() != 1) {
    fail("module.unknown_function", "the library has {} functions; name one{}",
         info().functions.size(), suggestion(function_names(), ""));
  }
  return impl_->functions.front();
}

}  // namespace tilewright::runtime
