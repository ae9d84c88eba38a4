#pragma once

#include <optional>
#include <string>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/trace.h"

namespace tilewright::cli {

/// What a function of a Python file defines.
struct ScriptProgram {
  ir::PrimFunc func;
  schedule::Trace trace;  ///< of the schedule it made; empty when it gives a program alone
};

/// Runs `python3 -m tilewright.export FILE:FUNCTION`, which prints the program. Bad use (EarlyEnd) when that fails;
/// what Python says is on stderr then.
ScriptProgram run_script(const std::string& script);

}  // namespace tilewright::cli
