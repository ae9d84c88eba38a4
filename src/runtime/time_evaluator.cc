#include "tilewright/runtime/time_evaluator.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <numeric>

#include "tilewright/support/error.h"

namespace tilewright::runtime {
namespace {

void check(const TimeOptions& options) {
  if (options.number < 1 || options.repeat < 1 || options.warmup < 0) {
    fail("time.bad_option",
         "number and repeat must be at least 1 and warmup at least 0; got {}, {}, {}",
         options.number, options.repeat, options.warmup);
  }
  if (!(options.min_repeat_ms >= 0) || !std::isfinite(options.min_repeat_ms)) {
    fail("time.bad_option", "min_repeat_ms must be 0 or more; got {}", options.min_repeat_ms);
  }
  if (!options.flush_cache) return;
  if (options.number != 1 || options.min_repeat_ms > 0) {
    fail("time.bad_option",
         "with flush_cache every call is a sample: number must be 1 and "
         "min_repeat_ms 0");
  }
  if (options.flush_bytes < 1) {
    fail("time.bad_option", "flush_bytes must be at least 1; got {}", options.flush_bytes);
  }
}

// Seconds of `number` calls in a row.
double timed_calls(PreparedCall& call, int number) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < number; ++i) call.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Evicts the arguments by writing a block larger than the caches.
class CacheFlusher {
 public:
  explicit CacheFlusher(int64_t size_bytes) : block_(static_cast<size_t>(size_bytes)) {}

  void flush() {
    ++round_;
    for (size_t i = 0; i < block_.size(); i += 64) block_[i] = round_;
    asm volatile("" : : "r"(block_.data()) : "memory");
  }

 private:
  std::vector<char> block_;
  char round_ = 0;
};

int calls_for(PreparedCall& call, int number, double secs_wanted) {
  while (true) {
    const double secs = timed_calls(call, number);
    if (secs >= secs_wanted || number >= INT_MAX / 4) return number;
    // Aim a little above, and at most tenfold at once: one short sample says little.
    const double factor = secs > 0 ? 1.1 * secs_wanted / secs : 10.0;
    const double next = std::ceil(number * std::clamp(factor, 1.0, 10.0));
    number = std::max(number + 1, static_cast<int>(std::min<double>(next, INT_MAX / 4)));
  }
}

}  // namespace

double TimeResult::min_secs() const {
  return *std::min_element(samples_secs.begin(), samples_secs.end());
}

double TimeResult::median_secs() const {
  std::vector<double> sorted = samples_secs;
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double TimeResult::mean_secs() const {
  return std::accumulate(samples_secs.begin(), samples_secs.end(), 0.0) /
         static_cast<double>(samples_secs.size());
}

TimeResult time_evaluator(const Function& function, std::span<const Arg> args,
                          const TimeOptions& options) {
  check(options);
  PreparedCall call(function, args, options.call);
  for (int i = 0; i < options.warmup; ++i) call.run();
  TimeResult result;
  result.number = options.number;
  if (options.min_repeat_ms > 0) {
    result.number = calls_for(call, options.number, options.min_repeat_ms * 1e-3);
  }
  CacheFlusher flusher(options.flush_cache ? options.flush_bytes : 0);
  for (int i = 0; i < options.repeat; ++i) {
    if (options.flush_cache) flusher.flush();
    result.samples_secs.push_back(timed_calls(call, result.number) / result.number);
  }
  return result;
}

}  // namespace tilewright::runtime
