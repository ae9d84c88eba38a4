#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tilewright/te/tensor.h"

namespace tilewright::te::detail {

/// One value of one operation: what a tensor is, whatever buffer names it.
using ValueKey = std::pair<const Operation*, int64_t>;
ValueKey key_of(const ir::BufferNode* buffer);

/// What a set of outputs is computed from.
struct Graph {
  std::vector<const Operation*> operations;  ///< producers before consumers, without placeholders
  std::vector<ir::Buffer> placeholders;      ///< in order of first use
  std::vector<Var> scalars;                  ///< in order of first use
};

/// Depth first from the first output on, reads in order of use.
Graph collect_graph(const std::vector<Tensor>& outputs);

/// The values, conditions and ranges of an operation, in the order they count as used.
std::vector<Expr> expressions_of(const Operation& op);

/// The tensors that an operation reads, in order of first use.
const std::vector<ir::Buffer>& inputs_of(const Operation& op);

}  // namespace tilewright::te::detail
