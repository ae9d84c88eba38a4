#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedule/block_nest.h"
#include "schedule/invocation.h"

namespace tilewright::schedule {

/// Where a buffer of a reference lies in a program's buffer: element [r0, …] at [base0 + r0, …] in the dimensions
/// `dims`, at the index `base` alone in the others. Over the variables of the loops around the nest.
struct BoundBuffer {
  ir::Buffer buffer;
  std::vector<ir::Expr> base;  ///< one a dimension of `buffer`
  std::vector<int> dims;  ///< for each dimension of the reference's buffer, the one of `buffer`
};
using BoundBuffers = std::map<const ir::BufferNode*, BoundBuffer>;

/// Does the nest compute what `reference` does, on parts of its own buffers? Loops of one iteration aside, the
/// loops must have the same extents in the same order, and the statements the same form (operands of commutative
/// operations may change places). Returns the reason when not; else fills `bound`.
std::string match_nest(const Invocation& in, const BlockNest& nest, const ir::PrimFunc& reference,
                       BoundBuffers& bound);

}  // namespace tilewright::schedule
