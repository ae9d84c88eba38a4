#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/target/target.h"

namespace tilewright::lower {

struct LowerOptions {
  bool checked = false;           ///< data-dependent indices and divisions are tested at run time
  bool verify_each = false;       ///< run the verifier after each pass (tests)
  std::vector<std::string> skip;  ///< passes left out by name; an unknown name is an error
  /// Called after each pass with its name and the function as it then is.
  std::function<void(std::string_view pass, const ir::PrimFunc& func)> dump_after;
  /// Called after each pass with its name and wall time in seconds.
  std::function<void(std::string_view pass, double secs)> timed;
};

/// A row of the pass table.
struct PassInfo {
  std::string_view name;
  ir::PrimFunc (*run)(const ir::PrimFunc&, const Target&, const LowerOptions&);
  ir::Level level_after;
  std::string_view what;  ///< one line for `--help` and the architecture page
  /// False where the function is between two levels (plain statements, but logical accesses), which the
  /// verifier and the interpreter do not know.
  bool complete = true;
};

/// All passes in the order in which they run.
const std::vector<PassInfo>& pass_table();

/// Runs the pass table: level scheduled in, level flat out (cpu). Parameters keep their n-d buffers (the
/// shapes are needed for the argument checks); every access is flat: one offset in elements. Allocated
/// buffers become one-dimensional `Alloc` statements of their physical size. Throws Error "lower.*"
/// for what only shows here (a register buffer with a non-constant index, naming the loop to unroll, ...).
ir::PrimFunc lower(const ir::PrimFunc& func, const Target& target,
                   const LowerOptions& options = {});

}  // namespace tilewright::lower
