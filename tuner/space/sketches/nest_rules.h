#pragma once

#include "tilewright/target/target.h"
#include "tuner/space/sketches/nest_view.h"

/// \file
/// Rules for one plain nest, by what it is.

namespace tilewright::tuner::sketches {

/// A reduction whose operands lie along the reduction: vectors of partial sums of several rows at a time, whose lanes
/// are added one by one. Changes the order of a float sum.
///
///   for others: for i_0:
///     for k_0: unrolled i_1: unrolled k_1: vectorized k_2: partial sums in registers
///     unrolled i_1: unrolled k_12: add them
void sum_in_lanes(schedule::Schedule& sch, const NestView& nest, const Target& target, int threads);
/// Its two steps. The first makes the block of the partial sums; the second arranges the loops of both inside `place`,
/// where the nest may have been moved in between, and gives the loops outside of the tile.
struct PartialSums {
  schedule::BlockRef partial;
  int64_t lanes = 1;
  schedule::Int rows = 1;
  std::optional<size_t> row_dim;  ///< of the result
};
PartialSums cut_into_lanes(schedule::Schedule& sch, const NestView& nest, const Target& target);
std::vector<schedule::Loop> arrange_sums(schedule::Schedule& sch, const NestView& nest,
                                         const PartialSums& sums,
                                         std::optional<schedule::Loop> place);
/// Whether `sum_in_lanes` applies: one output and a reducer that may be regrouped.
bool can_sum_in_lanes(const NestView& nest);

/// The spatial axis along which most of output and operands are contiguous, the output counting most; null when no axis
/// has more than one point.
const Axis* vector_axis(const NestView& nest);
/// Independent elements: vectors along the axis that lies contiguous in the output, a few at a time; threads outside.
void vectorize_elements(schedule::Schedule& sch, const NestView& nest, const Target& target,
                        int threads);

/// Whichever rule fits; what none can do runs in parallel where that is legal.
void schedule_nest(schedule::Schedule& sch, schedule::BlockRef block, const Target& target,
                   int threads);

/// `schedule_nest` for each block of the program.
void schedule_nests(schedule::Schedule& sch, const Target& target, int threads);

/// A nest that steps have been made on already: vectors and threads where they are still open.
void finish_nest(schedule::Schedule& sch, schedule::BlockRef block, const Target& target,
                 int threads);

}  // namespace tilewright::tuner::sketches
