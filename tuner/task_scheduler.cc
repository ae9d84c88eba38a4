#include "tuner/task_scheduler.h"

#include <algorithm>

namespace tilewright::tuner {
namespace {

// As in Ansor.
constexpr double kAlpha = 0.2, kBeta = 2;
constexpr size_t kWindow = 3;
// Share of rounds given to any task, so that one that was misjudged is seen again.
constexpr double kExplored = 0.05;

}  // namespace

TaskScheduler::TaskScheduler(std::vector<TaskInfo> tasks, uint64_t seed) : rng_(seed) {
  for (TaskInfo& info : tasks) tasks_.push_back({std::move(info), {}, false});
}

void TaskScheduler::tell(size_t task, double best_secs) {
  tasks_[task].best_secs.push_back(best_secs);
}

void TaskScheduler::close(size_t task) { tasks_[task].closed = true; }

double TaskScheduler::hoped_secs(const State& state) const {
  const double best = state.best_secs.back();
  double hoped = best - best / static_cast<double>(state.best_secs.size());
  double highest_rate = 0;
  for (const State& other : tasks_) {
    const bool similar = &other != &state && other.info.kind == state.info.kind &&
                         other.info.operation_count > 0 && !other.best_secs.empty();
    if (similar) {
      highest_rate = std::max(highest_rate, other.info.operation_count / other.best_secs.back());
    }
  }
  if (highest_rate > 0 && state.info.operation_count > 0) {
    const double own_rate = state.info.operation_count / best;
    highest_rate = std::max(highest_rate, own_rate);
    hoped = std::min(hoped, kBeta * state.info.operation_count / highest_rate);
  }
  return hoped;
}

double TaskScheduler::gradient(size_t task) const {
  const State& state = tasks_[task];
  const std::vector<double>& best = state.best_secs;
  double backward = 0;
  if (best.size() > kWindow) {
    backward = (best.back() - best[best.size() - 1 - kWindow]) / static_cast<double>(kWindow);
  }
  const double forward = hoped_secs(state) - best.back();
  return state.info.weight * (kAlpha * backward + (1 - kAlpha) * forward);
}

std::optional<size_t> TaskScheduler::next() {
  std::vector<size_t> open;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].closed) continue;
    if (tasks_[i].best_secs.empty()) return i;
    open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  if (rng_.unit() < kExplored) return open[rng_.below(open.size())];
  return *std::min_element(open.begin(), open.end(),
                           [this](size_t a, size_t b) { return gradient(a) < gradient(b); });
}

}  // namespace tilewright::tuner
