#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tilewright/ir/ops.h"
#include "tilewright/support/rng.h"

namespace tilewright::testing {

using Values = std::unordered_map<const ir::ExprNode*, int64_t>;

/// Value of an integer or bool expression of index operations by the meaning in expr.h, on exact
/// integers.
int64_t evaluate(const ir::Expr& expr, const Values& values);

/// A loop-like variable and its range [low, low + extent).
struct RandomVar {
  ir::Var var;
  int64_t low = 0, extent = 1;
};

/// Makes random index expressions and conditions over given variables.
class RandomIndex {
 public:
  RandomIndex(Rng& rng, std::vector<RandomVar> vars) : rng_(rng), vars_(std::move(vars)) {}

  ir::Expr index(int depth);
  ir::Expr condition(int depth);
  Values values();

 private:
  ir::Expr leaf();
  int64_t constant();
  int64_t divisor();

  Rng& rng_;
  std::vector<RandomVar> vars_;
};

/// One to five variables with extents such as tile loops have.
std::vector<RandomVar> random_vars(Rng& rng);

}  // namespace tilewright::testing
