#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "tuner/measure/protocol.h"

namespace tilewright::tuner {

/// A worker process as the tuner sees it: started by exec in a process group of its own, spoken to by lines.
class Worker {
 public:
  /// What it writes to standard error goes to the file `log`.
  Worker(std::string program, std::string log);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Starts the process when none runs. Throws Error "measure.worker" naming the program.
  void start();
  bool running() const { return pid_ > 0; }
  int fd() const { return fd_; }
  /// False when the worker is gone.
  bool send(const Json& message);
  /// Reads what has arrived; the first whole line, if there is one.
  std::optional<std::string> receive();
  /// True once the worker has closed its end.
  bool closed() const { return closed_; }
  /// Ends the process with all it has started.
  void kill();
  /// Waits for the end of a worker that closed its end, and says how it ended: "killed by signal 11
  /// (Segmentation fault): last line it printed".
  std::string reap();
  /// True when the last `reap` saw a SIGKILL that was not ours: the kernel ran out of memory.
  bool killed_from_outside() const { return killed_from_outside_; }
  int64_t resident_bytes() const;

 private:
  void close_socket();

  std::string program_, log_, buffer_;
  pid_t pid_ = -1;
  int fd_ = -1;
  bool closed_ = false;
  bool killed_from_outside_ = false;
};

}  // namespace tilewright::tuner
