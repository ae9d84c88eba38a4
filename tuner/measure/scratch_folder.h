#pragma once

#include <string>

namespace tilewright::tuner {

/// A folder of its own for the files of one run, removed at the end. Folders left behind by processes that were
/// killed are removed on the way.
class ScratchFolder {
 public:
  /// Throws Error "measure.scratch" when the folder for temporary files cannot be used.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tilewright::tuner
