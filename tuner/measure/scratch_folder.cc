#include "tuner/measure/scratch_folder.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tilewright/support/error.h"

namespace tilewright::tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "tilewright-tune-";

// Folders are called <prefix><process>-XXXXXX.
void remove_leftovers(const fs::path& parent) {
  std::error_code error;
  const size_t length = std::strlen(kPrefix);
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    int process = 0;
    const auto parsed = std::from_chars(name.data() + length, name.data() + name.size(), process);
    const bool gone = process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
    if (parsed.ec == std::errc() && gone) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) fail("measure.scratch", "no folder for temporary files: {}", error.message());
  remove_leftovers(parent);
  std::string name = (parent / fmt::format("{}{}-XXXXXX", kPrefix, getpid())).string();
  if (!mkdtemp(name.data())) {
    fail("measure.scratch", "cannot make a folder in '{}': {}", parent.string(),
         std::strerror(errno));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tilewright::tuner
