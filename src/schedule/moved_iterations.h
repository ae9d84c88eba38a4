#pragma once

#include <vector>

#include "schedule/invocation.h"
#include "schedule/rewrite.h"

/// \file
/// reverse_compute_at gives a block another place in its iterations of the loops that are around it: the rules for when
/// it runs there.

namespace tilewright::schedule {

/// What one iteration of the loop produces of one buffer, and by which block.
struct Produced {
  ir::Buffer buffer;
  std::vector<ir::Range> ranges;
  const ir::BlockRealizeNode* writer = nullptr;
};

struct MovedBlock {
  const Invocation& in;
  const ir::BlockRealizeNode& old;               ///< where it is now
  const ir::BlockRealizeNode& placed;            ///< with the values and the guard of its new place
  const std::vector<const ir::ForNode*>& outer;  ///< the loops around the new place
  const std::vector<NestLoop>& own;              ///< its own ones there
  const arith::Analyzer& facts;                  ///< inside `outer`
  const std::vector<Produced>& produced;         ///< what it reads there
};

/// Is the condition of `writer`, which is inside of the loops `outer`, over one of its further loops (be it one that no
/// axis follows)? It cannot be said of a block beside it then.
bool over_own_loops(const Invocation& in, const std::vector<const ir::ForNode*>& outer,
                    const ir::BlockRealizeNode& writer, const ir::Expr& cond);

/// The consumer runs where the guards of all its producers hold: that must be in each iteration which one of them spends
/// on elements of its own, and in some iteration where each makes everything at once. Error .guard.
void require_common_iterations(const MovedBlock& moved);

/// Where the consumer shares loops with the place already, it keeps its iteration of them, or those that work with it
/// there would be left behind. Error .order.
void require_same_iterations(const MovedBlock& moved);

}  // namespace tilewright::schedule
