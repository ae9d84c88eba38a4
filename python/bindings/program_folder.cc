#include "program_folder.h"

#include <dlfcn.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "tilewright/support/error.h"

namespace tilewright::python {

std::string program_folder() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&program_folder), &info);
  std::error_code ignored;
  const std::filesystem::path module =
      std::filesystem::canonical(info.dli_fname ? info.dli_fname : ".", ignored).parent_path();
  std::vector<std::string> folders;
  for (const std::filesystem::path& folder :
       {module, module / "tilewright" / "bin", module.parent_path() / "bin"}) {
    if (access((folder / "tilewright-builder").c_str(), X_OK) == 0) return folder.string();
    folders.push_back(folder.string());
  }
  fail("measure.worker", "there is no program tilewright-builder in {}", fmt::join(folders, ", "));
}

}  // namespace tilewright::python
