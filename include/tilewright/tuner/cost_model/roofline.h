#pragma once

#include <optional>

#include "tilewright/tuner/cost_model/nest_analysis.h"

/// \file
/// What a machine allows at best, whatever the schedule.

namespace tilewright::tuner {

/// Peak of one core in single precision, in 1e9 operations a second; a multiply-add counts two.
double peak_gflops(const MachineSpeeds& speeds, const Target& target);

/// A lower bound for one call of a function: its arithmetic on `threads` cores at their peak, or moving its
/// parameters once from where they fit (the second-level caches, the third level, memory), whichever takes longer.
/// Nullopt when `operations` is not positive or a shape is symbolic.
///
/// (The roofline of Williams, Waterman and Patterson, CACM 2009.)
std::optional<double> roofline_secs(const ir::PrimFunc& func, double operations,
                                    const Target& target, const MachineSpeeds& speeds, int threads);

}  // namespace tilewright::tuner
