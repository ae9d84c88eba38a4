#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tilewright/schedule/tensor_instruction.h"
#include "tilewright/support/rng.h"

namespace tilewright::fuzz {

/// An instruction that does what the nest from the loop on does: its reference is the nest over the parts of the
/// buffers that it accesses, its implementation the same with other loop kinds or in another order of loops. Where
/// the init of a reduction is not in the nest, the instruction adds to what is there. Nothing where the nest is no
/// small tile: several blocks, a condition, a symbolic extent, an element that no sum of loop variables gives, or a
/// value that depends on the place of the tile.
std::optional<schedule::TensorInstruction> tile_instruction(const ir::PrimFunc& func, int64_t loop,
                                                            const std::string& name, Rng& rng);

}  // namespace tilewright::fuzz
