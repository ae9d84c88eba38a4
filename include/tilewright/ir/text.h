#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/stmt.h"

namespace tilewright::ir {

struct PrintOptions {
  bool show_ids = false;      ///< pretty form: loop and block ids (schedule handles) as comments
  bool show_regions = true;   ///< reads/writes of blocks; without, the text does not round-trip
  int64_t underline_id = -1;  ///< loop or block to underline with ^^^ (error messages)
};

/// The textual form, the interchange format at every level: `parse_func(to_text(f))` is structurally
/// equal to `f` and has its loop and block ids. Floats are hexadecimal, dtypes are stated (a bare
/// integer is an int64), names are made unique. `src/ir/parser.h` gives the grammar.
std::string to_text(const PrimFunc& func, const PrintOptions& options = {});
std::string to_text(const Stmt& stmt, const PrintOptions& options = {});
std::string to_text(const Expr& expr);
std::string to_text(const IRModule& module, const PrintOptions& options = {});
/// A form for people (`show()`, error messages): decimal floats, no dtypes where they are obvious,
/// loop nest as `for i in 0..512 parallel`.
std::string to_pretty(const PrimFunc& func, const PrintOptions& options = {});
std::string to_pretty(const Stmt& stmt, const PrintOptions& options = {});
std::string to_pretty(const Expr& expr);

/// Throws Error "ir.parse" with line, column and what was expected.
PrimFunc parse_func(std::string_view text);
IRModule parse_module(std::string_view text);

/// Equal up to ids and the names of bound variables and buffers; free variables compare by identity.
/// Buffers allocated at a loop must be allocated at corresponding loops.
bool structural_equal(const PrimFunc& a, const PrimFunc& b);
bool structural_equal(const Stmt& a, const Stmt& b);
bool structural_equal(const Expr& a, const Expr& b);
bool structural_equal(const Reducer& a, const Reducer& b);
/// Agrees with `structural_equal`; stable across runs and machines.
uint64_t structural_hash(const PrimFunc& func);
uint64_t structural_hash(const Stmt& stmt);
uint64_t structural_hash(const Expr& expr);

/// Checks the invariants of the function's level (bound variables, dtypes, ranks, ids unique, scopes,
/// blocks only at level scheduled, init/reducer/Update agree, allocs enclose their uses, vector shapes,
/// ...). Returns the faults, empty when well-formed. Each is one line naming the object.
std::vector<std::string> verify(const PrimFunc& func);
/// Throws InternalError with all faults when `verify` finds any; `after` names the step.
void verify_or_die(const PrimFunc& func, std::string_view after);

}  // namespace tilewright::ir
