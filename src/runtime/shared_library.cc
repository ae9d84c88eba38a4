#include "runtime/shared_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

const link_map* map_of(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map : nullptr;
}

// Inode of the file that is mapped at `address`, 0 when unknown.
ino_t mapped_inode(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long begin = 0, end = 0, inode = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %lu", &begin, &end, &inode) != 3) continue;
    if (address >= begin && address < end) return static_cast<ino_t>(inode);
  }
  return 0;
}

// The loader knows a library by its path: for a path whose file has been replaced it returns the
// library it loaded first.
bool is_replaced_file(void* handle, const struct stat& file) {
  const link_map* map = map_of(handle);
  if (!map) return false;
  const ino_t inode = mapped_inode(reinterpret_cast<uintptr_t>(map->l_ld));
  return inode != 0 && inode != file.st_ino;
}

[[noreturn]] void not_loadable(const std::string& path) {
  const char* reason = dlerror();
  fail("module.not_loadable", "cannot load '{}': {}", path, reason ? reason : "unknown reason");
}

// The loader maps segments without looking whether the file is that long; a library that was cut short would end the
// process at the first touch of a missing page.
bool is_cut_short(const std::string& path, uint64_t size_bytes) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return false;  // the loader's own checks refuse those
  }
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file) return true;
    if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > size_bytes) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<SharedLibrary> SharedLibrary::open(const std::string& path, bool global_symbols) {
  std::error_code ignored;
  // With a slash in it, or the loader searches its own folders.
  const std::string full_path = std::filesystem::absolute(path, ignored).string();
  struct stat file {};
  if (stat(full_path.c_str(), &file) != 0) {
    fail("module.not_found", "cannot load '{}': {}", path, std::strerror(errno));
  }
  if (!S_ISREG(file.st_mode)) {
    fail("module.not_loadable", "cannot load '{}': it is not a regular file", path);
  }
  if (is_cut_short(full_path, static_cast<uint64_t>(file.st_size))) {
    fail("module.not_loadable", "cannot load '{}': the file is cut short", path);
  }
  const int flags = RTLD_NOW | (global_symbols ? RTLD_GLOBAL : RTLD_LOCAL);
  void* handle = dlopen(full_path.c_str(), flags);
  if (!handle) not_loadable(path);
  if (!is_replaced_file(handle, file)) {
    return std::shared_ptr<SharedLibrary>(new SharedLibrary(handle, -1));
  }
  dlclose(handle);
  const int descriptor = ::open(full_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fail("module.not_found", "cannot load '{}': {}", path, std::strerror(errno));
  }
  // The descriptor stays open as long as the library, so no other file gets this name meanwhile.
  handle = dlopen(fmt::format("/proc/self/fd/{}", descriptor).c_str(), flags);
  if (!handle) {
    close(descriptor);
    not_loadable(path);
  }
  return std::shared_ptr<SharedLibrary>(new SharedLibrary(handle, descriptor));
}

SharedLibrary::~SharedLibrary() {
  dlclose(handle_);
  if (file_ >= 0) close(file_);
}

void* SharedLibrary::symbol(const std::string& name) const {
  void* address = dlsym(handle_, name.c_str());
  Dl_info info{};
  const link_map* map = map_of(handle_);
  // dlsym also looks into the library's dependencies.
  if (!address || !map || dladdr(address, &info) == 0) return nullptr;
  return reinterpret_cast<uintptr_t>(info.dli_fbase) == map->l_addr ? address : nullptr;
}

}  // namespace tilewright::runtime
