#include "tilewright/runtime/parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <vector>

using namespace tilewright::runtime;

namespace {

struct Visit {
  std::vector<std::atomic<int>> times;
  std::vector<std::atomic<int>> active;  // per slot
  std::atomic<bool> broken{false};
  std::atomic<int> shares{0};

  Visit(int64_t n, int slots)
      : times(static_cast<size_t>(n)), active(static_cast<size_t>(slots > 0 ? slots : 1)) {}
};

int32_t visit(void* closure, int64_t begin, int64_t end, int32_t slot) {
  Visit& v = *static_cast<Visit*>(closure);
  if (slot < 0 || static_cast<size_t>(slot) >= v.active.size() || begin >= end) {
    v.broken = true;
    return TW_ERR_INTERNAL;
  }
  if (++v.active[static_cast<size_t>(slot)] != 1) v.broken = true;
  for (int64_t i = begin; i < end; ++i) ++v.times[static_cast<size_t>(i)];
  --v.active[static_cast<size_t>(slot)];
  ++v.shares;
  return TW_OK;
}

std::vector<tw_parallel_for_fn> hooks() {
#if defined(TW_TSAN)
  return {std_thread_parallel_for};
#else
  return {tw_default_parallel_for, std_thread_parallel_for};
#endif
}

}  // namespace

TEST_CASE("a parallel loop visits every iteration once") {
  for (tw_parallel_for_fn hook : hooks()) {
    for (int slots : {-1, 0, 1, 2, 3, 7}) {
      for (int64_t n : {0, 1, 2, 3, 5, 64, 1001}) {
        INFO("slots " << slots << ", n " << n);
        Visit v(n, slots);
        REQUIRE(hook(nullptr, n, slots, visit, &v) == TW_OK);
        CHECK_FALSE(v.broken);
        CHECK(v.shares <= std::max(slots, 1));
        for (auto& times : v.times) REQUIRE(times == 1);
      }
    }
    CHECK(hook(nullptr, -5, 4, visit, nullptr) == TW_OK);
  }
}

TEST_CASE("more than one thread really runs") {
  for (tw_parallel_for_fn hook : hooks()) {
    Visit v(8, 4);
    REQUIRE(hook(nullptr, 8, 4, visit, &v) == TW_OK);
    CHECK(v.shares == 4);
  }
}

TEST_CASE("the status of the lowest failing slot is returned, and all shares end") {
  struct Closure {
    std::atomic<int> ran{0};
  };
  const tw_parallel_body body = [](void* closure, int64_t, int64_t, int32_t slot) -> int32_t {
    ++static_cast<Closure*>(closure)->ran;
    return slot == 0 ? TW_OK : 10 + slot;
  };
  for (tw_parallel_for_fn hook : hooks()) {
    for (int round = 0; round < 20; ++round) {
      Closure closure;
      CHECK(hook(nullptr, 100, 4, body, &closure) == 11);
      CHECK(closure.ran == 4);
    }
  }
}

TEST_CASE("a loop inside a loop") {
  for (tw_parallel_for_fn hook : hooks()) {
    struct Closure {
      tw_parallel_for_fn hook;
      std::atomic<int64_t> total{0};
    } closure{hook, {}};
    const tw_parallel_body outer = [](void* data, int64_t begin, int64_t end, int32_t) -> int32_t {
      auto& c = *static_cast<Closure*>(data);
      const tw_parallel_body inner = [](void* inside, int64_t b, int64_t e, int32_t) -> int32_t {
        static_cast<Closure*>(inside)->total += e - b;
        return TW_OK;
      };
      for (int64_t i = begin; i < end; ++i) {
        if (int32_t status = c.hook(nullptr, 10, 2, inner, data)) return status;
      }
      return TW_OK;
    };
    CHECK(hook(nullptr, 6, 3, outer, &closure) == TW_OK);
    CHECK(closure.total == 60);
  }
}

TEST_CASE("defaults") {
  CHECK(default_num_threads() >= 1);
  CHECK(default_parallel_for() != nullptr);
}

TEST_CASE("the missing CPU feature is named by its place") {
  CHECK(tw_missing_cpu_feature("") == -1);
  CHECK(tw_missing_cpu_feature("no-such-feature") == 0);
#if defined(__x86_64__)
  CHECK(tw_missing_cpu_feature("sse2") == -1);
  CHECK(tw_missing_cpu_feature("sse2,sse3") == -1);
  CHECK(tw_missing_cpu_feature("sse2,sse,sse3") == 1);
  CHECK(tw_missing_cpu_feature("sse2,sse3,nothing") == 2);
#endif
}
