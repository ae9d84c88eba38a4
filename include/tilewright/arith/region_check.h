#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::arith {

/// Accesses of opaque blocks that can't be shown to lie in what the block declares to read and write, one line
/// each; empty when there are none. What a C function does with the tensors it is given is not looked at. An
/// index that depends on data lies in the whole dimension, or in the range that assume_range promises.
std::vector<std::string> region_faults(const ir::PrimFunc& func);

}  // namespace tilewright::arith
