#pragma once

#include <string>

#include "tilewright/ir/stmt.h"
#include "tuner/measure/protocol.h"

namespace tilewright::tuner {

/// Compares outputs that compiled code gave for `func` (outputs one after the other, as a runner writes them)
/// with what the interpreter computes from the same data. Empty when they agree, else one line. The shapes
/// of `func` are constant.
std::string differs_from_interpreter(const ir::PrimFunc& func, const RunnerTask& task,
                                     const std::string& output_path);

}  // namespace tilewright::tuner
