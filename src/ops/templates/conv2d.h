#pragma once

#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::ops::detail {

/// Direct convolution: a register tile of output pixels of one row x output channels (or, for grouped
/// convolutions in NCHW, of channels x pixels), weights packed channel-innermost, input padded once. Decisions:
/// vectors, rows, unroll_kernel.
void conv2d_direct(schedule::Schedule& sch, const Target& target, int threads);

}  // namespace tilewright::ops::detail
