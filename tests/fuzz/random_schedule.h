#pragma once

#include <string>
#include <vector>

#include "tilewright/schedule/schedule.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing {

/// Applies `attempts` random primitives with random operands to a schedule; those that are refused change
/// nothing. Gives the number of accepted ones.
int apply_random_primitives(schedule::Schedule& sch, Rng& rng, int attempts);

}  // namespace tilewright::testing
