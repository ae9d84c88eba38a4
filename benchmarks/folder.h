#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tilewright/support/error.h"

namespace tilewright::bench {

/// A folder for logs and libraries, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) fail("bench.folder", "cannot make a folder like {}", name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tilewright::bench
