#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tilewright::testing {

/// Compares `text` with the file tests/golden/<path>. Gives "" when they agree, else what differs; a
/// missing file differs. With TW_UPDATE_GOLDEN=1 in the environment the file is written instead, so a
/// test calls this after its other checks have passed.
inline std::string golden_difference(const std::string& path, const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::path(TW_SOURCE_DIR) / "tests" / "golden" / path;
  const char* update = std::getenv("TW_UPDATE_GOLDEN");
  if (update && std::string(update) == "1") {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return "";
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return file.string() + " is missing; it should hold:\n" + text;
  }
  std::stringstream wanted;
  wanted << in.rdbuf();
  if (wanted.str() == text) return "";
  return file.string() + " (TW_UPDATE_GOLDEN=1 rewrites it) holds:\n" + wanted.str() +
         "\nbut this is:\n" + text;
}

}  // namespace tilewright::testing
