#include "c_library.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tilewright::testing {
namespace {

struct Folder {
  Folder()
      : path((std::filesystem::temp_directory_path() /
              ("tw_unit_runtime_" + std::to_string(::getpid())))
                 .string()) {
    std::filesystem::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

}  // namespace

const std::string& scratch_folder() {
  static const Folder folder;
  return folder.path;
}

std::string run_command(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  while (size_t got = fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, got);
  const int status = pclose(pipe);
  if (status != 0) throw std::runtime_error(command + "\n" + output);
  return output;
}

std::string build_c_library(const std::string& source, const std::string& output,
                            const std::string& flags) {
  const std::string path = scratch_folder() + "/" + output;
  run_command("cc -std=c99 -Wall -Werror -O1 -fPIC -shared -fvisibility=hidden -I" TW_SOURCE_DIR
              "/include -o " +
              path + " " TW_TEST_DATA_DIR "/data/" + source + " " + flags);
  return path;
}

bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find(path) != std::string::npos) return true;
  }
  return false;
}

}  // namespace tilewright::testing
