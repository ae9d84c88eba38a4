#pragma once

#include <vector>

#include "tilewright/schedule/tensor_instruction.h"

namespace tilewright::schedule {

/// Does the instruction add to what its accumulators hold, so that it stands for the updates of a reduction without
/// their init?
bool accumulates(const TensorInstruction& instruction);

/// The reference as it is to be matched: without the init where the instruction accumulates.
ir::PrimFunc matched_reference(const TensorInstruction& instruction);

/// Throws Error "schedule.instruction.malformed" naming the fault, or "schedule.instruction.mismatch" with an
/// element for which reference and implementation differ. An implementation that calls C functions, which the
/// interpreter does not run, is taken on trust.
void check_instruction(const TensorInstruction& instruction);

}  // namespace tilewright::schedule
