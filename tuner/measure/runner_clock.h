#pragma once

#include <chrono>
#include <cstdint>

namespace tilewright::tuner {

/// Times calls made on this thread. When the system takes the core away for another program meanwhile, calls that use
/// no other thread and never wait count with what they had of the core; all others with the time that passes.
class CallClock {
 public:
  /// Starts. `one_thread`: the calls start no other threads.
  explicit CallClock(bool one_thread);
  /// Seconds since the start.
  double secs() const;

 private:
  struct Reading {
    std::chrono::steady_clock::time_point now;
    double core_secs = 0;                  // that this thread had
    int64_t interruptions = 0, waits = 0;  // of this thread
  };
  static Reading read();

  bool one_thread_;
  Reading start_;
};

}  // namespace tilewright::tuner
