#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/schedule/decision_text.h"
#include "tilewright/target/target.h"

namespace tilewright::ops::detail {

using schedule::map_number;
using schedule::times;

/// Accumulators rows x vectors, one vector of the wide side and one broadcast must fit the register file:
/// rows * vectors + vectors + 1 <= registers.
inline int64_t max_tile_rows(const Target& target, int64_t vectors) {
  return std::max<int64_t>(1, (target.vector_registers - 1 - vectors) / vectors);
}

/// `candidates` up to `limit`, at least one.
inline std::vector<int64_t> up_to(std::vector<int64_t> candidates, int64_t limit) {
  std::erase_if(candidates, [&](int64_t c) { return c > limit; });
  if (candidates.empty()) candidates.push_back(limit);
  return candidates;
}

/// The element width in bits of the block's accumulator.
int64_t accumulator_bits(const schedule::Schedule& sch, const std::string& block);

/// A last nest of plain element-wise loops (the rounding of a 16-bit result): lanes inside, threads outside.
void schedule_elementwise(schedule::Schedule& sch, const std::string& block, int64_t lanes,
                          int threads);

bool has_block(const schedule::Schedule& sch, const std::string& name);

}  // namespace tilewright::ops::detail
