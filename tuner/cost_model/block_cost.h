#pragma once

#include <vector>

#include "tilewright/target/target.h"
#include "tilewright/tuner/cost_model/nest_analysis.h"
#include "tuner/cost_model/body_counts.h"

namespace tilewright::tuner {

/// One block in its loops, counted.
struct BlockCost {
  double iterations = 1;  ///< of the body: the innermost unrolled and vectorized loops together
  double vector_ops = 0;  ///< arithmetic instructions of one body
  double loads = 0, stores = 0;  ///< memory instructions of one body
  double accumulators = 0;       ///< registers that hold results across iterations
  double registers = 0;          ///< with the operands that must be held beside them
  double lanes = 1;              ///< used of each vector
  double unrolled = 1;           ///< copies of the body's statement
  double chain = 0;              ///< cycles that one body waits for the one before
  double guards = 0;
  double inner_extent = 1;  ///< of the loop directly around the body
  double waste = 1;         ///< instances of the body per point of the domain
  double gathers = 0;       ///< loads and stores that go lane by lane
  // Of one body, for each resource were it the only one; and of all together.
  double fma_cycles = 0, load_cycles = 0, store_cycles = 0, shuffle_cycles = 0, issue_cycles = 0;
  double body_cycles = 0;
  double entry_cycles = 0;                                         ///< of entering loops, in all
  double cycles = 0;                                               ///< of all bodies, on one core
  double compute_secs = 0, l1_secs = 0, l2_secs = 0, l3_secs = 0;  ///< of these alone
  double l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;  ///< to be delivered into L1, L2, L3
  double parallel = 1;                              ///< cores at work
  double launches = 0;                              ///< of parallel loops
  double secs = 0;                                  ///< by the analytic model
};

/// Counts one block. `loops` are those around it, outermost first.
BlockCost cost_of(const ir::BlockRealizeNode& realize, const std::vector<LoopShape>& loops,
                  const arith::Analyzer& facts, const Target& target, const MachineSpeeds& speeds,
                  int threads);

}  // namespace tilewright::tuner
