#include "tuner/task_scheduler.h"

#include <catch2/catch.hpp>

namespace tilewright::tuner {
namespace {

using Info = TaskScheduler::TaskInfo;

// Rounds given to each task when `secs(task, round)` is its best time after a round.
template <typename Secs>
std::vector<int> rounds(std::vector<Info> tasks, int total, Secs secs) {
  std::vector<int> made(tasks.size(), 0);
  TaskScheduler scheduler(std::move(tasks), 1);
  for (int i = 0; i < total; ++i) {
    const size_t task = *scheduler.next();
    scheduler.tell(task, secs(task, ++made[task]));
  }
  return made;
}

TEST_CASE("every task gets one round before any gets a second") {
  TaskScheduler scheduler({{1, 0, "a"}, {100, 0, "b"}, {1, 0, "c"}}, 7);
  for (size_t i = 0; i < 3; ++i) {
    REQUIRE(scheduler.next() == i);
    scheduler.tell(i, 1);
  }
}

TEST_CASE("rounds go where the weighted sum of times can fall most") {
  const auto constant = [](size_t, int) { return 1.0; };
  const std::vector<int> by_weight = rounds({{1, 0, "a"}, {9, 0, "b"}}, 40, constant);
  CHECK(by_weight[1] > 2 * by_weight[0]);
  const std::vector<int> by_time = rounds({{1, 0, "a"}, {1, 0, "b"}}, 40,
                                          [](size_t task, int) { return task == 0 ? 9.0 : 1.0; });
  CHECK(by_time[0] > 2 * by_time[1]);
  const std::vector<int> alike = rounds({{1, 0, "a"}, {1, 0, "b"}}, 40, constant);
  CHECK(std::abs(alike[0] - alike[1]) <= 6);
}

TEST_CASE("the gradient is that of Ansor") {
  TaskScheduler scheduler({{2, 0, "a"}, {1, 0, "b"}}, 1);
  scheduler.tell(1, 1);
  scheduler.tell(0, 8);
  // One round: no history, and all of the time is hoped for.
  CHECK(scheduler.gradient(0) == Approx(2 * 0.8 * -8));
  for (double secs : {7.0, 6.0, 5.0}) scheduler.tell(0, secs);
  CHECK(scheduler.gradient(0) == Approx(2 * (0.2 * (5.0 - 8.0) / 3 + 0.8 * (-5.0 / 4))));
}

TEST_CASE("a task far below the rate of its like has more to gain") {
  // 100 operations in 1 s beside 100 in 10 s: twice the time of the faster one is thought possible.
  TaskScheduler scheduler({{1, 100, "conv"}, {1, 100, "conv"}, {1, 100, "other"}}, 1);
  scheduler.tell(0, 1);
  scheduler.tell(2, 10);
  for (int i = 0; i < 50; ++i) scheduler.tell(1, 10);
  CHECK(scheduler.gradient(1) == Approx(0.8 * (2 - 10)));
  for (int i = 0; i < 49; ++i) scheduler.tell(2, 10);
  CHECK(scheduler.gradient(2) == Approx(0.8 * (-10.0 / 50)));
}

TEST_CASE("a closed task gets no rounds") {
  TaskScheduler scheduler({{1, 0, "a"}, {1, 0, "b"}}, 1);
  scheduler.close(0);
  for (int i = 0; i < 30; ++i) {
    REQUIRE(scheduler.next() == 1);
    scheduler.tell(1, 1);
  }
  scheduler.close(1);
  CHECK_FALSE(scheduler.next());
}

}  // namespace
}  // namespace tilewright::tuner
