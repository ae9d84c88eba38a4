#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::testing {

struct CommandResult {
  int exit_code = -1;  ///< 128 + n: killed by signal n
  std::string out, err;

  std::string last_line() const;
};

/// A folder that is the current one of the commands run in it; removed at the end.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;

  /// Runs a program of the build (skips the test when it is not built) and waits for it.
  CommandResult run(const std::string& program, const std::vector<std::string>& arguments) const;
  /// The same, and sends `signal` once its standard error contains `text`.
  CommandResult run_and_signal(const std::string& program,
                               const std::vector<std::string>& arguments, const std::string& text,
                               int signal) const;

  /// Starts a program without waiting for it; `wait` must follow.
  pid_t start(const std::string& program, const std::vector<std::string>& arguments) const;
  /// True once its standard error contains `text`; false when it has ended without, or a minute has passed.
  bool says(pid_t process, const std::string& text) const;
  CommandResult wait(pid_t process) const;

 private:
  std::string path_;
};

/// Processes that `process` has started and that are still there.
std::vector<pid_t> children_of(pid_t process);

}  // namespace tilewright::testing
