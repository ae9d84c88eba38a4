#pragma once

#include <string>
#include <vector>

#include "tuner/space/sketches/nest_view.h"

namespace tilewright::tuner::sketches {

/// Can the operand be copied to where the points of `axis` lie side by side, and is each element of the copy used more
/// than once?
bool is_packable(const NestView& nest, const Access& load, const ir::Var& axis);

/// What is to be packed of the operands of a register tile.
struct PackingPlan {
  struct Operand {
    std::string buffer;
    size_t dimension = 0;  ///< which lies innermost in tiles
    size_t rank = 0;
    bool by_lane = false;           ///< else by row
    std::vector<bool> outer_first;  ///< dimensions of axes outside of the tile and the reduction
  };
  std::vector<Operand> operands;
  bool all = true;  ///< every operand that a tile indexes is packed
};

/// Decides for each operand whether it is packed; one that is not contiguous along the lanes always is.
PackingPlan choose_packing(schedule::Schedule& sch, const NestView& nest, const ir::Var& lane,
                           const ir::Var& row);

struct PackedOperand {
  schedule::BlockRef block;
  const PackingPlan::Operand* operand = nullptr;
  schedule::Int tile;
};

/// Makes the copies, rounded up to whole tiles, in front of the nest.
std::vector<PackedOperand> pack_operands(schedule::Schedule& sch, schedule::BlockRef reader,
                                         const PackingPlan& plan, const schedule::Int& width,
                                         const schedule::Int& rows);

/// Moves each copy to where its panel is used, unless loops outside would make the same panel again and again, and
/// arranges its loops: whole rows in vectors where the operand is contiguous along the tile, else tile by tile.
void place_operands(schedule::Schedule& sch, const std::vector<PackedOperand>& packed,
                    schedule::Loop lane_place, schedule::Loop row_place,
                    const std::vector<schedule::Loop>& others, int64_t lanes, int threads);

}  // namespace tilewright::tuner::sketches
