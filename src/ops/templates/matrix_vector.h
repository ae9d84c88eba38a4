#pragma once

#include <string>

#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::ops::detail {

/// A product whose result is a vector (or one number), for each matrix of the batch.
struct MatrixVector {
  bool over_rows = true;         ///< the result has one column; else one row
  int64_t length = 1;            ///< of the result
  int64_t depth = 1;             ///< terms of each sum
  bool depth_contiguous = true;  ///< the terms of one sum lie side by side in the matrix
};

/// Every element of the matrix is used once, so nothing is packed. Where the terms of a sum lie side by side, lanes
/// run over them: several rows at a time, each with vectors of partial sums that are added at the end; decisions rows,
/// vectors. Otherwise lanes run over the result; decision vectors.
void schedule_matrix_vector(schedule::Schedule& sch, const std::string& block,
                            const MatrixVector& p, int64_t lanes, int threads);

}  // namespace tilewright::ops::detail
