#include "tuner/measure/runner_clock.h"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>

namespace tilewright::tuner {

CallClock::CallClock(bool one_thread) : one_thread_(one_thread), start_(read()) {}

CallClock::Reading CallClock::read() {
  timespec core{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &core);
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {std::chrono::steady_clock::now(),
          static_cast<double>(core.tv_sec) + 1e-9 * static_cast<double>(core.tv_nsec),
          usage.ru_nivcsw, usage.ru_nvcsw};
}

double CallClock::secs() const {
  // The clock first: what reading the rest takes is not the calls'.
  const auto now = std::chrono::steady_clock::now();
  const Reading end = read();
  const double passed = std::chrono::duration<double>(now - start_.now).count();
  const bool interrupted = end.interruptions != start_.interruptions;
  const bool waited = end.waits != start_.waits;
  if (!one_thread_ || !interrupted || waited) return passed;
  return std::min(passed, end.core_secs - start_.core_secs);
}

}  // namespace tilewright::tuner
