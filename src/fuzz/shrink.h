#pragma once

#include <functional>
#include <vector>

#include "tilewright/fuzz/fuzz.h"

namespace tilewright::fuzz {

struct Replayed {
  schedule::Schedule sch;
  /// The first error of a step that is no refusal: "error " and its code, its text, and the trace up to that step.
  std::string thrown, message;
  schedule::Trace thrown_trace;
};

/// The trace applied to `func` as far as it goes: steps that are refused, or whose operands are missing, are left
/// out. `instructions` are those that the trace names. With `stand_ins`, an operand that is missing is replaced by
/// what is nearest to it: an input of the step that would have made it, the block whose name the wanted name extends,
/// the innermost loop where a block has fewer than before.
Replayed replay_what_fits(const ir::PrimFunc& func, const schedule::Trace& trace,
                          const schedule::TensorInstructions& instructions = {},
                          bool stand_ins = false);

/// Those of `declared` that a step of the trace names.
schedule::TensorInstructions used_instructions(const schedule::Trace& trace,
                                               const schedule::TensorInstructions& declared);

/// Descriptions that differ from `spec` in one place and are smaller, the boldest first. Not all of them build.
std::vector<ProgramSpec> smaller_programs(const ProgramSpec& spec);

}  // namespace tilewright::fuzz
