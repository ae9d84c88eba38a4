#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/target/target.h"

/// \file
/// What can be said about a scheduled program without running it: counts, footprints, and a first guess of its time.

namespace tilewright::tuner {

/// The speeds that the analytic model divides by. Per core, except for what the cores share.
struct MachineSpeeds {
  double fma_per_sec = 5.6e9;            ///< vector multiply-adds of the preferred width
  double l2_bytes_per_sec = 60e9;        ///< into the first-level cache
  double l3_bytes_per_sec = 20e9;        ///< into the second-level cache
  double dram_bytes_per_sec = 8e9;       ///< from memory, all cores together
  double dram_core_bytes_per_sec = 8e9;  ///< from memory, what one core alone can draw
  double launch_secs = 4e-6;             ///< of one parallel loop
  bool operator==(const MachineSpeeds&) const = default;
};

/// What a schedule is described by.
struct NestFeatures {
  std::vector<float> values;  ///< as `feature_names()`: shares and ratios, comparable between tasks
  double prior_secs = 0;      ///< time of one call by the analytic model
};

/// Names of the features, in order.
const std::vector<std::string>& feature_names();

/// Analyses a program at schedule level (`Schedule::func`), block by block: vector operations, loads and stores of
/// the innermost unrolled and vectorized body against the ports of a core, each as often as its operands change;
/// how often loops run and are entered, surplus iterations of splits taken off where code skips them; cache lines
/// touched at each depth of the nest, and from these what each cache level must deliver. A loop that does not index a buffer reuses it as long as
/// the data of one iteration fits the cache. A symbolic extent counts as its upper bound, or as 64 without one.
///
/// (The counting of footprints follows Wolf and Lam, "A data locality optimizing algorithm", PLDI 1991.)
NestFeatures analyze_nest(const ir::PrimFunc& func, const Target& target,
                          const MachineSpeeds& speeds, int threads);

}  // namespace tilewright::tuner
