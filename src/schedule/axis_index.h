#pragma once

#include <optional>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/stmt.h"

namespace tilewright::schedule {

/// An index that is one axis of a block, forwards or backwards, from some place on: sign * axis + offset.
struct AxisIndex {
  size_t axis = 0;   ///< which of the block's iter vars
  int64_t sign = 1;  ///< 1 or -1
  ir::Expr offset;   ///< over the sizes of the function

  bool is_axis() const { return sign > 0 && ir::is_const_int(offset, 0); }
  /// What the index runs over while the axis runs over `range`.
  ir::Range at(const ir::Range& range) const;
  /// What the axis runs over while the index runs over `range`.
  ir::Range from(const ir::Range& range) const;
  /// The axis where the index is `value`.
  ir::Expr inverse(const ir::Expr& value) const;
};

/// Nothing for an index of another form.
std::optional<AxisIndex> axis_index(const ir::PrimFunc& func, const arith::Analyzer& facts,
                                    const ir::Block& block, const ir::Expr& index);

}  // namespace tilewright::schedule
