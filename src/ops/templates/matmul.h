#pragma once

#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::ops::detail {

/// Register tile, cache blocks and packed panels after Goto and van de Geijn. Decisions: vectors, mr, row_tiles,
/// column_tiles, kc, pack_a, pack_b. Results of one row or one column: see matrix_vector.h.
void matmul_goto(schedule::Schedule& sch, const Target& target, int threads);

}  // namespace tilewright::ops::detail
