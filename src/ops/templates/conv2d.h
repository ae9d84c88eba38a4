#pragma once

#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::ops::detail {

/// Direct convolution: a register tile of output pixels x output channels, weights packed channel-innermost, input
/// padded once. Lanes run over channels; over pixels for grouped convolutions in NCHW and where channels are few.
/// Decisions: vectors, rows, unroll_kernel (not for kernels wider than 16).
void conv2d_direct(schedule::Schedule& sch, const Target& target, int threads);

}  // namespace tilewright::ops::detail
