#pragma once

#include <memory>
#include <string>

namespace tilewright::runtime {

// An open shared library; closed with its last owner.
class SharedLibrary {
 public:
  // Throws Error module.not_found or module.not_loadable.
  static std::shared_ptr<SharedLibrary> open(const std::string& path, bool global_symbols);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  // Null when the library itself does not define the symbol.
  void* symbol(const std::string& name) const;

 private:
  SharedLibrary(void* handle, int file) : handle_(handle), file_(file) {}
  void* handle_;
  int file_;  // kept open while loaded under its /proc name; -1 otherwise
};

}  // namespace tilewright::runtime
