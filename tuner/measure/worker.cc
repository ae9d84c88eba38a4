#include "tuner/measure/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "tilewright/support/error.h"

namespace tilewright::tuner {
namespace {

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last.substr(0, 200);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

}  // namespace

Worker::Worker(std::string program, std::string log)
    : program_(std::move(program)), log_(std::move(log)) {}

Worker::~Worker() { kill(); }

void Worker::start() {
  if (running()) return;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    fail("measure.worker", "cannot make a socket for '{}': {}", program_, std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const std::string parent = std::to_string(getpid());
  char* arguments[] = {program_.data(), const_cast<char*>(parent.c_str()), nullptr};
  const int error = posix_spawn(&pid_, program_.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(sockets[1]);
  if (error != 0) {
    close(sockets[0]);
    pid_ = -1;
    fail("measure.worker", "cannot start the worker '{}': {}", program_, std::strerror(error));
  }
  fd_ = sockets[0];
  closed_ = false;
  killed_from_outside_ = false;
  buffer_.clear();
}

bool Worker::send(const Json& message) {
  if (!running()) return false;
  return WorkerChannel(fd_).send(message);
}

std::optional<std::string> Worker::receive() {
  while (true) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (closed_) return std::nullopt;
    char chunk[65536];
    const ssize_t got = recv(fd_, chunk, sizeof chunk, MSG_DONTWAIT);
    if (got > 0) {
      buffer_.append(chunk, static_cast<size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      closed_ = true;
    } else {
      return std::nullopt;
    }
  }
}

void Worker::close_socket() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void Worker::kill() {
  if (!running()) return;
  ::kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  close_socket();
}

std::string Worker::reap() {
  if (!running()) return "it was not running";
  int status = 0;
  // It closed its end, so it is ending; a child of it may still hold the group.
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::kill(-pid_, SIGKILL);
  pid_ = -1;
  close_socket();
  killed_from_outside_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  std::string text = describe_end(status);
  const std::string said = last_line(log_);
  if (!said.empty()) text += ": " + said;
  return text;
}

int64_t Worker::resident_bytes() const {
  std::ifstream file(fmt::format("/proc/{}/statm", pid_));
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return file ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace tilewright::tuner
