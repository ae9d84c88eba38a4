#pragma once

#include "tilewright/ir/stmt.h"
#include "tilewright/lower/lower.h"
#include "tilewright/target/target.h"

/// \file
/// The passes of the table in pipeline.cc, one file each. A pass is a pure function: it gives a new
/// function, or the same one when there is nothing to do, and throws Error "lower.*" for a program that
/// can't be lowered.

namespace tilewright::lower {

#define TILEWRIGHT_PASS(name) \
  ir::PrimFunc name(const ir::PrimFunc& func, const Target& target, const LowerOptions& options);

// Level scheduled.
TILEWRIGHT_PASS(place_inits)
TILEWRIGHT_PASS(materialize_tails)
TILEWRIGHT_PASS(lower_blocks)
// Level flat; accesses are logical until flatten_buffers.
TILEWRIGHT_PASS(insert_checks)
TILEWRIGHT_PASS(compact_buffers)
TILEWRIGHT_PASS(expand_versions)
TILEWRIGHT_PASS(flatten_buffers)
TILEWRIGHT_PASS(insert_prefetches)
TILEWRIGHT_PASS(simplify)
TILEWRIGHT_PASS(hoist_guards)
TILEWRIGHT_PASS(vectorize)
TILEWRIGHT_PASS(unroll)
TILEWRIGHT_PASS(scalarize_registers)
TILEWRIGHT_PASS(hoist_invariants)
TILEWRIGHT_PASS(expand_math)
TILEWRIGHT_PASS(verify)
#undef TILEWRIGHT_PASS

}  // namespace tilewright::lower
