#pragma once

#include <optional>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// Where the parts of a loop begin (one more entry than parts: the end), clamped to the loop's extent.
/// `sizes` has at most one open entry, which takes what the others leave.
std::vector<ir::Expr> part_bounds(const arith::Analyzer& facts, const ir::Expr& extent,
                                  const std::vector<std::optional<int64_t>>& sizes);

/// Ends a primitive that cuts `loop` into consecutive loops over [bounds[p], bounds[p + 1]). Part number `keep`
/// keeps the ids of the blocks and loops inside, the others hold copies. A reduction over the loop is decomposed
/// first. Policies of tails that would move the loop's iterations become plain conditions. Gives the
/// ids of the new loops; with `keep_loop` the kept part has the id of `loop`.
std::vector<int64_t> finish_partitioned(Invocation& in, const ir::ForNode& loop,
                                        const std::vector<ir::Expr>& bounds, size_t keep,
                                        bool keep_loop = false);

}  // namespace tilewright::schedule
