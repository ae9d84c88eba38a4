#pragma once

#include <string>

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {

/// How one random schedule came out.
struct FuzzResult {
  std::string fault;  ///< "": none
  bool refused_late =
      false;  ///< lowering gave a clear error (a register buffer with a variable index, ...)
};

/// Replay, races, values: the interpreter on the scheduled program and, with `compile`, on the lowered one, and the
/// compiled code.
FuzzResult check_random(const Program& program, const schedule::Schedule& sch, bool compile);

/// Leaves out instructions of a faulty schedule as long as the result is still faulty.
schedule::Schedule shrink(const Program& program, const schedule::Schedule& sch, bool compile);

/// Everything that is needed to see a fault again.
std::string describe_fault(const Program& program, const schedule::Schedule& sch,
                           const std::string& fault);

}  // namespace tilewright::testing
