#pragma once

#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/trace.h"

namespace tilewright::cli {

/// What a function of a Python file defines.
struct ScriptProgram {
  ir::PrimFunc func;
  std::string expr_hash;                ///< of the tensor expressions it gave; empty: it gave none
  std::vector<schedule::Trace> traces;  ///< of the schedules it made, of one and the same program
};

/// Runs `python3 -m tilewright.export FILE:FUNCTION`, which prints the program. Bad use (EarlyEnd) when that fails;
/// what Python says is on stderr then.
ScriptProgram run_script(const std::string& script);

/// Reads what it prints. Throws Error "ir.parse" or "trace.parse".
ScriptProgram parse_script_output(const std::string& text);

}  // namespace tilewright::cli
