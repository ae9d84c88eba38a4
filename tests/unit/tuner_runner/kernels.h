#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tuner/measure/protocol.h"

namespace tilewright::tuner::testing {

/// A folder that is removed at the end, with kernels compiled from C into it.
class Kernels {
 public:
  Kernels() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-runner-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Kernels() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// The library of the kernel with one fault; "none" is right.
  std::string library(const std::string& fault) const {
    const std::string output = file(fault + ".so");
    const std::string command = "cc -O1 -shared -fPIC -DFAULT_" + fault +
                                " -I" TW_SOURCE_DIR "/include -o " + output +
                                " " TW_SOURCE_DIR "/tests/unit/tuner_runner/data/kernel.c";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot compile: " + command);
    return output;
  }

 private:
  std::string path_;
};

inline RunnerTask small_task() {
  RunnerTask task;
  task.data = {1, true, 3};
  return task;
}

}  // namespace tilewright::tuner::testing
