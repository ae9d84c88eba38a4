#pragma once

#include "tuner/space/sketches/nest_view.h"

namespace tilewright::tuner::sketches {

/// Producers of single elements go into the expressions of their readers. Where that would compute an element more than
/// once (a stencil, an operand of a reduction with reuse) it is a decision named after the block.
void inline_producers(schedule::Schedule& sch);

}  // namespace tilewright::tuner::sketches
