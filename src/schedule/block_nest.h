#pragma once

#include <string>
#include <vector>

#include "schedule/invocation.h"

namespace tilewright::schedule {

/// A loop nest around one block, seen as one block whose iteration variables stand for the loops around the nest.
struct BlockNest {
  const ir::ForNode* loop = nullptr;  ///< the outermost loop of the nest
  const ir::BlockRealizeNode* realize = nullptr;
  std::vector<const ir::ForNode*> inner;  ///< the loops of the nest, outermost first
  std::vector<ir::IterVar>
      iters;                     ///< of the new block: one for each loop around that the nest uses
  std::vector<ir::Expr> values;  ///< the loops' variables
  ir::VarMap to_iters;           ///< loop variable around -> iteration variable
  std::vector<ir::Conjunct> outside;  ///< conditions of the block over loops around alone
  std::vector<ir::Conjunct> inside;   ///< the others, over the loops' variables
};

/// Refuses unless the nest is one block that one thread may run as a whole, apart from the other iterations of the
/// loops around. Codes: several_blocks, opaque_block, parallel_loop, conditional, open_reduction, mixed_kinds,
/// dependent_extent, scattered.
BlockNest require_block_nest(const Invocation& in, const ir::ForNode& loop);

}  // namespace tilewright::schedule
