#pragma once

#include <cstdint>

#include "tilewright/ops/definition.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing {

/// Parameters of a matmul that is legal and small, every parameter drawn; ones and odd sizes are frequent.
ops::TextValues random_matmul(Rng& rng);

/// The same for conv2d: all layouts, dtypes, groups, kernels, strides, pads and dilations.
ops::TextValues random_conv2d(Rng& rng);

}  // namespace tilewright::testing
