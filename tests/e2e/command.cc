#include "command.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/testing.h"

namespace tilewright::testing {

std::string CommandResult::last_line() const {
  std::istringstream lines(out);
  std::string last;
  for (std::string line; std::getline(lines, line);) last = line;
  return last;
}

Workplace::Workplace() {
  std::string name = (std::filesystem::temp_directory_path() / "tw-e2e-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Workplace::read(const std::string& name) const {
  std::stringstream text;
  text << std::ifstream(file(name)).rdbuf();
  return text.str();
}

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name)) << text;
}

pid_t Workplace::start(const std::string& program,
                       const std::vector<std::string>& arguments) const {
  const std::string path = std::string(TW_BIN_DIR) + "/" + program;
  if (access(path.c_str(), X_OK) != 0) skip(program + " is not built");
  std::vector<std::string> words{path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  // The speeds of this machine are measured once for all tests, and the user's own folder is left alone.
  setenv("XDG_CACHE_HOME", TW_BIN_DIR "/../cache", 1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, path_.c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, ".out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, ".err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t process = 0;
  const int error = posix_spawn(&process, path.c_str(), &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + path);
  return process;
}

CommandResult Workplace::wait(pid_t process) const {
  int status = 0;
  waitpid(process, &status, 0);
  CommandResult result;
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = read(".out");
  result.err = read(".err");
  return result;
}

CommandResult Workplace::run(const std::string& program,
                             const std::vector<std::string>& arguments) const {
  return wait(start(program, arguments));
}

bool Workplace::says(pid_t process, const std::string& text) const {
  for (int i = 0; i < 6000; ++i) {
    if (read(".err").find(text) != std::string::npos) return true;
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == process) break;
    usleep(10'000);
  }
  return read(".err").find(text) != std::string::npos;
}

CommandResult Workplace::run_and_signal(const std::string& program,
                                        const std::vector<std::string>& arguments,
                                        const std::string& text, int signal) const {
  const pid_t process = start(program, arguments);
  says(process, text);
  kill(process, signal);
  return wait(process);
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

}  // namespace tilewright::testing
