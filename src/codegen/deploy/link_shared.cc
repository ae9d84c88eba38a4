#include <fcntl.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tilewright/codegen/link.h"
#include "tilewright/codegen/llvm.h"
#include "tilewright/runtime/standalone.h"
#include "tilewright/support/error.h"

/// \file
/// Links with ld directly: under 5 ms for one object, where a compiler driver takes several times as
/// long. The libraries are named by file, so no development package of libc is needed.

extern char** environ;

namespace tilewright::codegen {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "tilewright-link-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
      fail("codegen.link", "cannot make a temporary folder in '{}'",
           fs::temp_directory_path().string());
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) fail("codegen.link", "cannot write '{}'", path);
}

// Exit status of the command, its output in the file `log`; nullopt when there is no such program.
std::optional<int> run(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return code == 127 ? std::nullopt : std::optional<int>(code);
}

bool is_linker(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  return name.ends_with("ld") || name.starts_with("ld.");
}

// Up to the objects; `script` names the exported symbols.
std::vector<std::string> start_of_command(const std::string& program, const std::string& name,
                                          const std::string& script) {
  if (is_linker(program)) {
    return {program,
            "-shared",
            "--no-undefined",
            "--as-needed",
            "-z",
            "noexecstack",
            "--hash-style=gnu",
            "-soname",
            name,
            "--version-script=" + script};
  }
  return {program,
          "-shared",
          "-nostdlib",
          "-Wl,--no-undefined",
          "-Wl,--as-needed",
          "-Wl,-z,noexecstack",
          "-Wl,-soname," + name,
          "-Wl,--version-script=" + script};
}

}  // namespace

void link_shared(const std::vector<std::string>& object_paths, const std::string& path) {
  link_shared(object_paths, path,
              {"ld", "/usr/bin/ld", "cc", "gcc", "clang", "ld.lld", "ld.lld-19", "clang-19"});
}

void link_shared(const std::vector<std::string>& object_paths, const std::string& path,
                 const std::vector<std::string>& linkers) {
  const TemporaryFolder folder;
  const std::string script = folder.file("exports.ld"), log = folder.file("log");
  const std::string support = folder.file("support.o");
  write_file(script, "{ global: tw_*; local: *; };\n");
  write_file(support, runtime::standalone_object());
  // Linked beside the goal and moved over it: a library in use is replaced, never overwritten.
  const std::string output = fmt::format("{}.{}.tmp", path, getpid());
  const std::string name = fs::path(path).filename().string();

  std::optional<int> status;
  for (const std::string& linker : linkers) {
    std::vector<std::string> command = start_of_command(linker, name, script);
    command.insert(command.end(), {"-o", output});
    command.insert(command.end(), object_paths.begin(), object_paths.end());
    command.insert(command.end(), {support, "-l:libm.so.6", "-l:libc.so.6"});
    status = run(command, log);
    if (status) break;
  }
  if (!status) {
    fail("codegen.no_linker",
         "cannot link '{}': none of {} was found (on Debian: apt-get install binutils); an object "
         "file needs no linker",
         path, fmt::join(linkers, ", "));
  }
  std::error_code error;
  if (*status != 0) {
    std::stringstream text;
    text << std::ifstream(log).rdbuf();
    fs::remove(output, error);
    fail("codegen.link", "cannot link '{}':\n{}", path, text.str());
  }
  fs::rename(output, path, error);
  if (error) {
    std::error_code ignored;
    fs::remove(output, ignored);
    fail("codegen.link", "cannot write '{}': {}", path, error.message());
  }
}

}  // namespace tilewright::codegen
