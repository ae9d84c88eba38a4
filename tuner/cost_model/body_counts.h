#pragma once

#include <vector>

#include "tilewright/ir/stmt.h"
#include "tuner/cost_model/access_shape.h"

namespace tilewright::tuner {

/// What the statements of a block's body do in one instance.
struct BodyCounts {
  struct Access {
    ir::Buffer buffer;
    std::vector<ir::Expr> indices;  ///< over the block's own variables
    bool writes;
  };
  struct Op {
    double count = 1;         ///< instructions
    std::vector<bool> loops;  ///< those that its value changes with
  };
  std::vector<Access> accesses;
  /// Arithmetic. A product that is added up at once is part of the addition; arithmetic of indices is not counted.
  std::vector<Op> ops;
  bool updates = false;  ///< it reduces

  /// Counts the body of a block inside `loops`.
  void count(const ir::BlockRealizeNode& realize, const std::vector<LoopShape>& loops);
};

/// Lowers the extents of `loops` to how often they run: conditions of the block that a split which overshoots leaves
/// cut whole iterations off the outer loops of that split. The loops from `body_depth` inwards, unrolled and vectorized,
/// run whole where the tail is padded or shifted inwards, and the vectorized ones under any other policy as well. The
/// result is an average, and may be a fraction.
void clip_loops(const ir::BlockRealizeNode& realize, const arith::Analyzer& facts,
                size_t body_depth, std::vector<LoopShape>& loops);

}  // namespace tilewright::tuner
