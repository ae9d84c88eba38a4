#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"
#include "tuner/space/sketches/nest_view.h"

/// \file
/// What several rules do in the same way.

namespace tilewright::tuner::sketches {

/// Runs `steps`, which use `sch`; when a primitive refuses, `sch` is as it was before. Did all succeed?
template <typename Steps>
bool attempt(schedule::Schedule& sch, const Steps& steps) {
  schedule::Schedule before = sch;
  try {
    steps();
    return true;
  } catch (const schedule::ScheduleException&) {
    sch = std::move(before);
    return false;
  }
}

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// A decision among the candidates up to `limit`, at least one. A choice of one is none.
schedule::Int choose(schedule::Schedule& sch, const NestView& nest, const char* what,
                     std::vector<int64_t> candidates, int64_t limit = kSymbolic);

/// A loop of a block inside another loop, and what it feeds.
struct InnerLoop {
  schedule::Loop loop;
  int64_t extent = 0;
  bool reduce = false;
  std::optional<size_t> dimension;  ///< of what the block writes
};
/// The loops around `block` that are inside `place`, outermost first; of all when there is no place.
std::vector<InnerLoop> inner_loops(schedule::Schedule& sch, schedule::BlockRef block,
                                   std::optional<schedule::Loop> place);

/// The loops as one parallel loop; of those that do not fuse the first.
void run_in_parallel(schedule::Schedule& sch, const std::vector<schedule::Loop>& outer,
                     int threads);

}  // namespace tilewright::tuner::sketches
