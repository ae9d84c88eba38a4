#include "tuner/measure/runner_clock.h"

#include <sched.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <ctime>
#include <thread>

namespace tilewright::tuner {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double core_secs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// This thread and all that it starts share one core, as with other programs on a busy machine.
class OneCore {
 public:
  OneCore() {
    REQUIRE(sched_getaffinity(0, sizeof before_, &before_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (!CPU_ISSET(core, &before_)) continue;
      CPU_SET(core, &one);
      break;
    }
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_{};
};

// Works until others have had the core for 2 ms of the time, and gives what both clocks say.
struct Outcome {
  double passed, one_thread, threads;
};
Outcome work_beside_another() {
  const OneCore core;
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) {
    }
  });
  const CallClock one_thread(true), threads(false);
  const Clock::time_point begin = Clock::now();
  const double core_begin = core_secs();
  while (since(begin) - (core_secs() - core_begin) < 2e-3) {
  }
  const Outcome outcome{since(begin), one_thread.secs(), threads.secs()};
  stop = true;
  other.join();
  return outcome;
}

}  // namespace

TEST_CASE("what other programs have of the core does not count for one thread") {
  const Outcome outcome = work_beside_another();
  CHECK(outcome.one_thread > 0);
  CHECK(outcome.one_thread < outcome.passed - 1e-3);
  CHECK(outcome.threads >= outcome.passed);
}

TEST_CASE("a call that waits takes the time that passes") {
  const CallClock clock(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  CHECK(clock.secs() >= 3e-3);
}

}  // namespace tilewright::tuner
