#pragma once

#include <optional>
#include <vector>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/stmt.h"

/// \file
/// Which elements of a buffer are there when a padded block reads them: surplus iterations read beyond what the program
/// needs, and that must have been written all the same.

namespace tilewright::lower {

bool writes(const ir::BlockNode& block, const ir::Buffer& buffer);

/// A block of one statement: no nest and no instruction, which nobody looks into.
bool is_one_point(const ir::BlockNode& block);

class PaddedWriters {
 public:
  /// Of the function's body before any condition is relaxed.
  PaddedWriters(const ir::PrimFunc& func, ir::Stmt body);

  bool is_sole(const ir::Buffer& buffer) const;

  /// Do the writers inside the loop run in its surplus iterations as well?
  static bool run_with(const ir::ForNode& loop, const ir::Buffer& buffer);

  /// What is written of the buffer by the time it is read inside `loops`, over which `facts` knows the bounds: in this
  /// iteration of the innermost one that has a writer inside as well, else by the function. Unknown where a mask leaves
  /// elements out, or where the surplus of a fused loop ends inside a row.
  std::optional<ir::Region> made(const ir::Buffer& buffer,
                                 const std::vector<const ir::ForNode*>& loops,
                                 const arith::Analyzer& facts) const;

  /// Where in dimension `d` those writers end that keep their conditions, as their loops may run further; 0 where the
  /// conditions are not understood, null: there are no such writers.
  ir::Expr guarded_end(const ir::Buffer& buffer, size_t d) const;

 private:
  /// The axes as far as the block's own conditions let them go; nothing when one is no bound of an axis.
  std::optional<std::vector<ir::Range>> guarded_axes(const ir::BlockRealizeNode& realize) const;

  const ir::PrimFunc& func_;
  ir::Stmt body_;
  arith::Analyzer sizes_;  // of the function alone, loops not bound
};

}  // namespace tilewright::lower
