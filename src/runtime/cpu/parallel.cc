#include "tilewright/runtime/parallel.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tilewright/support/cpu_features.h"

namespace tilewright::runtime {
namespace {

// Threads wait here until all of them exist, so that a loop whose threads cannot be had runs nothing.
class Gate {
 public:
  void open(bool run) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      state_ = run ? State::kRun : State::kAbandon;
    }
    changed_.notify_all();
  }

  bool wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return state_ != State::kClosed; });
    return state_ == State::kRun;
  }

 private:
  enum class State { kClosed, kRun, kAbandon };
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kClosed;
};

}  // namespace

int default_num_threads() { return available_cpu_count(); }

int32_t std_thread_parallel_for(void*, int64_t n, int32_t max_slots, tw_parallel_body body,
                                void* closure) {
  if (n <= 0) return TW_OK;
  if (max_slots > n) max_slots = static_cast<int32_t>(n);
  if (max_slots <= 1) return body(closure, 0, n, 0);

  std::vector<int32_t> statuses(static_cast<size_t>(max_slots), TW_OK);
  const auto run_share = [&](int32_t slot) {
    const int64_t share = n / max_slots, longer = n % max_slots;
    const int64_t begin = slot * share + (slot < longer ? slot : longer);
    const int64_t end = begin + share + (slot < longer ? 1 : 0);
    statuses[static_cast<size_t>(slot)] = body(closure, begin, end, slot);
  };
  Gate gate;
  bool complete = true;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(max_slots) - 1);
  try {
    for (int32_t slot = 1; slot < max_slots; ++slot) {
      threads.emplace_back([&gate, &run_share, slot] {
        if (gate.wait()) run_share(slot);
      });
    }
  } catch (const std::system_error&) {
    complete = false;
  }
  gate.open(complete);
  if (complete) run_share(0);
  for (std::thread& thread : threads) thread.join();
  if (!complete) return TW_ERR_NO_THREADS;
  for (int32_t status : statuses) {
    if (status != TW_OK) return status;
  }
  return TW_OK;
}

tw_parallel_for_fn default_parallel_for() {
#if defined(TW_TSAN)
  return std_thread_parallel_for;
#else
  return tw_default_parallel_for;
#endif
}

}  // namespace tilewright::runtime
