#pragma once

#include <functional>
#include <optional>

#include "lower/bound_mutator.h"

/// \file
/// Shared by the files that carry out tail policies (see materialize_tails).

namespace tilewright::lower {

/// What the policies may change besides the statement: the list of intermediate buffers and the ids.
struct TailState {
  std::vector<ir::Buffer> allocs;
  int64_t next_id = 0;
  std::function<int64_t()> id_source() {
    return [this] { return next_id++; };
  }
};

/// A comparison of integers as a linear form that is positive exactly where it holds; nullopt for
/// other conditions.
std::optional<arith::LinearForm> slack_of(const arith::Analyzer& analyzer,
                                          const ir::Expr& condition);

/// The coefficient of `var`; nullopt when it also occurs inside another term.
std::optional<int64_t> coefficient_of(const arith::LinearForm& form, const ir::Var& var);

/// All block realizations below `stmt`.
std::vector<const ir::BlockRealizeNode*> realizes_below(const ir::Stmt& stmt);

/// Rewrites the guard of every block below; `change` gives the new conjunct or nullopt to drop it.
using ChangeConjunct =
    std::function<std::optional<ir::Conjunct>(const ir::BlockRealizeNode&, const ir::Conjunct&)>;
ir::Stmt change_guards(const ir::Stmt& stmt, const ChangeConjunct& change);

/// A copy that may stand beside the original: fresh loops, blocks and variables, and fresh buffers for those
/// that live in a loop of the copy.
ir::Stmt copy_nest(const ir::Stmt& stmt, TailState& state);

/// Replaces `factor * outer` by `start` in all index expressions below `body`. Throws Error `code`
/// when `outer` occurs otherwise.
ir::Stmt move_tile(const arith::Analyzer& analyzer, const ir::ForNode& outer, int64_t factor,
                   const ir::Expr& start, const std::string& code);

/// Do all axes of blocks and extents of loops below `outer` see the tiles of a condition (`slack`: limit - F * outer - inner …) as their
/// start plus a place in them? What was reduced by the tile size, as `(F * outer + inner) mod F = inner`, holds for
/// starts that are multiples of it alone; so may a quotient or remainder of `outer` in the extent of a loop inside,
/// as `(max(2 * outer, 2) + 3) div 2`, simplified to `max(2 * outer, 2) div 2 + 1`.
bool keeps_tiles(const arith::Analyzer& analyzer, const ir::ForNode& outer,
                 const arith::LinearForm& slack);

/// kPad: relaxes the conditions to whole tiles and enlarges the buffers.
ir::Stmt pad_tails(const ir::PrimFunc& func, const ir::Stmt& body, TailState& state);

/// The sizes of balanced tiles: runs of equal size, in order, that cover `extent` with
/// ceil(extent / factor) tiles of at most `factor`; at most three runs.
struct TileRun {
  int64_t count = 0, size = 0;
};
std::vector<TileRun> balanced_tiles(int64_t extent, int64_t factor);

}  // namespace tilewright::lower
