#pragma once

#include <optional>
#include <vector>

#include "tilewright/target/target.h"
#include "tuner/space/sketches/nest_view.h"

namespace tilewright::tuner::sketches {

/// The two axes of a register tile, as places in `NestView::axes`.
struct TileAxes {
  size_t lane = 0;            ///< its points lie in the lanes of vectors
  std::optional<size_t> row;  ///< its points use what was loaded for a vector again
};

/// The register tiles that a reduction allows, the most promising first. An axis carries lanes when each operand is
/// contiguous along it, not indexed by it, or can be packed such that it is contiguous, which pays only where another
/// axis uses it again.
std::vector<TileAxes> tile_axes(const NestView& nest, int64_t lanes);

/// A plain nest of a reduction as a register tile within blocks for the caches (Goto and van de Geijn, "Anatomy of
/// high-performance matrix multiplication", ACM TOMS 2008):
///
///   for others: for j_0: (for k_0:) [pack] for i_0: [pack] for j_1: for i_1:
///     for k: unrolled i: unrolled j: vectorized j: accumulate in registers
///     unrolled i: unrolled j: vectorized j: write
///
/// What writes is the element-wise reader of the result where there is one, else a copy; of several panels (k_0) it is
/// the sum over them.
void tile_reduction(schedule::Schedule& sch, const NestView& nest, const TileAxes& axes,
                    const Target& target, int threads);

}  // namespace tilewright::tuner::sketches
