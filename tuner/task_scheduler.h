#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/support/rng.h"

namespace tilewright::tuner {

/// Chooses which of several tasks gets the next round of trials: the one for which the weighted sum of all times is
/// expected to fall fastest. The same seed and the same reports give the same choices.
///
/// The gradient scheduler of Ansor (Zheng et al., OSDI 2020, section 6 and appendix A): of a task with best time g
/// after t rounds,
///
///     gradient = weight * (alpha * (g(t) - g(t - window)) / window
///                          + (1 - alpha) * (min(g - g / t, beta * C / V) - g))
///
/// where C are its operations and V is the highest rate (operations a second) reached by a similar task: it is hoped
/// that time falls to nothing over as many rounds as were made, but not that a task beats its like by more than beta.
class TaskScheduler {
 public:
  struct TaskInfo {
    double weight = 1;
    double operation_count = 0;  ///< 0: unknown, no task is similar to it
    std::string kind;            ///< tasks of the same kind are similar
  };
  TaskScheduler(std::vector<TaskInfo> tasks, uint64_t seed);

  /// The task of the next round; nullopt when all are closed. Each gets one round before any gets a second.
  std::optional<size_t> next();
  /// A round of the task has ended; `best_secs` is that of its fastest schedule, the default one included.
  void tell(size_t task, double best_secs);
  /// The task gets no more rounds: nothing is left to try, or it cannot be measured.
  void close(size_t task);

  /// Negative: what the weighted sum changes by in one more round.
  double gradient(size_t task) const;

 private:
  struct State {
    TaskInfo info;
    std::vector<double> best_secs;  ///< after each round
    bool closed = false;
  };
  double hoped_secs(const State& state) const;

  std::vector<State> tasks_;
  Rng rng_;
};

}  // namespace tilewright::tuner
