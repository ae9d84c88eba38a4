#pragma once

#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/trace.h"
#include "tilewright/target/target.h"
#include "tilewright/tuner/space/space.h"

namespace tilewright::tuner {

/// Sketches for any program, derived from its blocks: which axes each has, of which kind, and which axes index which
/// operand. No operator is named.
///
/// "generated.tiled" schedules each block by itself, after injective producers have gone into their readers where that
/// computes nothing twice (else that is a decision):
///   - a reduction whose operands are used again along some axis: register tile of rows x vectors, accumulated in
///     registers and written once by the element-wise consumer or a copy; panels of the reduction; packed operands;
///   - a reduction along the lanes' own direction (row sums, matrix times vector): vectors of partial sums, several
///     rows at a time;
///   - everything else: vectors of the contiguous axis, unrolled; threads outside.
/// "generated.fused", for programs of several blocks: strips of the last block's outer axis, in which all blocks before
/// it are computed (rows of a softmax, stages of a stencil chain, rolled where strips overlap).
///
/// They are nests for a CPU; there are none for other targets. What a primitive refuses is left out, so that every
/// sketch gives a schedule for every program. Numbers come from the shape and the target (lanes, registers) and are left
/// to sampling primitives, named after the block.
///
/// `start`: steps made by hand. Every sketch begins with them; numbers that they leave to sampling are searched as well,
/// and blocks whose loops they have touched are only finished (vectorized and run in parallel where that is still open).
/// Throws ScheduleException or Error "trace.*" when they do not fit `func`.
std::vector<Sketch> generated_sketches(const ir::PrimFunc& func, const Target& target, int threads,
                                       const schedule::Trace& start = {});

}  // namespace tilewright::tuner
