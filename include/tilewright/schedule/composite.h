#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/schedule/schedule.h"

/// \file
/// Steps that come up again and again, made of primitives. They are ordinary functions over the public interface: the
/// trace holds the primitives they call, and a function of one's own is written the same way. tilewright.composite
/// has the same functions in Python, with the same results.

namespace tilewright::schedule {

/// Splits every loop around `block` and orders the parts by levels. `structure` has one letter a level, outermost
/// first: 'S' for all spatial loops, 'R' for all reduction loops. `factors` holds one list for each loop, in the order
/// of get_loops, with one factor for each level of its kind; one fewer leaves the outermost open. Gives the loops
/// level by level.
///
///   before                        after multi_level_tile(sch, C, "SRS", {{8}, {16}, {}})
///   for i: for j: for k:          for i_0: for j_0:
///     C[i, j] += …                  for k:
///                                     for i_1 in 0..8: for j_1 in 0..16: C[…] += …
///
/// The loops must be as created: each alone an axis of the block. Throws Error "schedule.multi_level_tile.structure",
/// ".loop" or ".factors" before anything is changed, and what split and reorder throw.
std::vector<std::vector<Loop>> multi_level_tile(Schedule& sch, BlockRef block,
                                                std::string_view structure,
                                                const std::vector<std::vector<Factor>>& factors,
                                                std::string_view tail = "guard");

/// `consumer` reads `buffer` from a copy that is made inside `loop`, only as much as one iteration needs
/// (cache_read and compute_at). Gives the copying block.
///
///   before                          after stage_in_cache(sch, C, "A", i_0)
///   for i_0: for i_1: for k:        for i_0:
///     C[…] += A[…]                    for …: A_local[…] = A[…]
///                                     for i_1: for k: C[…] += A_local[…]
BlockRef stage_in_cache(Schedule& sch, BlockRef consumer, std::string_view buffer, Loop loop,
                        std::string_view scope = "local");

/// `block` works in a buffer of its own in registers, which is copied out at the end of each iteration of `loop`
/// (cache_write and reverse_compute_at). Every loop inside `loop` that indexes the buffer must be unrolled or
/// vectorized before the program is built. Gives the copying block.
///
///   before                          after accumulate_in_registers(sch, C, i_0)
///   for i_0: for k: for i_1:        for i_0:
///     C[…] += …                       for k: for i_1: C_register[…] += …
///                                     for …: C[…] = C_register[…]
BlockRef accumulate_in_registers(Schedule& sch, BlockRef block, Loop loop);

/// The innermost loop of `block` in vectors of `lanes` elements; a loop of a constant extent up to `lanes` becomes
/// one vector. Gives the vectorized loop.
///
///   before                after vectorize_inner(sch, C, 8)
///   for i in 0..n:        for i_0 in 0..ceil(n / 8):
///     C[i] = …              vectorized i_1 in 0..8: C[…] = …
Loop vectorize_inner(Schedule& sch, BlockRef block, Int lanes, std::string_view tail = "guard");

/// A register tile: all of `rows`, and `columns` in vectors of `lanes` elements, side by side.
///
///   before                          after unroll_tile(sch, i, j, 8)
///   for i in 0..6:                  unrolled i in 0..6:
///     for j in 0..16: C[i, j] …       unrolled j_0 in 0..2:
///                                       vectorized j_1 in 0..8: C[…] …
void unroll_tile(Schedule& sch, Loop rows, Loop columns, Int lanes);

/// The `count` outermost loops of `block`, which must be directly nested, as one parallel loop, which is given.
///
///   before                     after parallelize_outer(sch, C, 2)
///   for i: for j: for k: …     parallel i_j: for k: …
Loop parallelize_outer(Schedule& sch, BlockRef block, int count = 1);

/// A reduction in `nparts` independent parts and their sum (split and rfactor of the outer part), so that the parts
/// can run in parallel or in lanes. Changes the order of a float sum, as rfactor does. Gives the block that computes
/// the parts.
///
///   before                          after split_reduction(sch, k, 4)
///   for i: for k:                   for i: for k_0 in 0..4: for k_1: B_rf[k_0, i] += A[…]
///     B[i] += A[i, k]               for i: for k_0 in 0..4: B[i] += B_rf[k_0, i]
BlockRef split_reduction(Schedule& sch, Loop loop, Int nparts, std::string_view tail = "guard");

/// `consumer` reads `buffer` from panels of `tile` elements of dimension `dimension`, in which that dimension lies
/// innermost; they are rounded up with zeros and made inside `loop` (pack, compute_at, and the copy's loops in the
/// order in which the elements lie, a tile unrolled). Gives the packing block.
///
///   stage_panels(sch, C, "A", i_0, 0, 6) of a matrix A[m, k]:
///     for m_0: for k: unrolled m_1 in 0..6: A_global[…] = A[…]      element (m, k) at [m // 6][k][m % 6]
///
/// Throws Error "schedule.stage_panels.dimension" when the buffer has no such dimension, and what the primitives throw.
BlockRef stage_panels(Schedule& sch, BlockRef consumer, std::string_view buffer, Loop loop,
                      int dimension, Int tile);

}  // namespace tilewright::schedule
