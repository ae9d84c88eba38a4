#pragma once

#include <vector>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/stmt.h"

namespace tilewright::tuner {

/// One loop around a block, as the model sees it.
struct LoopShape {
  const ir::ForNode* loop = nullptr;
  double extent = 1;
};

/// How one access of a block moves over a buffer as the loops run. All in physical dimensions.
class AccessShape {
 public:
  /// `indices` are logical, over the loops' variables.
  AccessShape(const arith::Analyzer& facts, const std::vector<LoopShape>& loops,
              const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, bool writes);

  const ir::Buffer& buffer() const { return buffer_; }
  bool writes() const { return writes_; }
  /// Does the address change with loop `i`?
  bool moves_with(size_t i) const { return strides_[i] != 0; }
  /// Elements between the addresses of neighbouring iterations of loop `i`; 0: the same element.
  double stride(size_t i) const { return strides_[i]; }
  /// Cache lines touched while the loops from `depth` inwards run.
  double lines(size_t depth, double line_bytes) const;
  /// Two accesses of the same elements.
  bool same_elements(const AccessShape& other) const;

 private:
  // sum of coefficients * loop variables, of which no more than `cap` values differ
  struct Term {
    std::vector<double> coefficients;
    double cap;
  };
  struct Dim {
    double extent = 1;
    std::vector<Term> terms;
  };
  Term make_term(const arith::Analyzer& facts, const ir::Expr& expr, double factor,
                 double cap) const;
  double range(const Dim& dim, size_t depth) const;

  const std::vector<LoopShape>& loops_;
  ir::Buffer buffer_;
  std::vector<ir::Expr> indices_;
  bool writes_;
  std::vector<Dim> dims_;
  std::vector<double> strides_;
  size_t home_ = 0;  ///< depth of the loop body that the buffer lives in
};

/// A number for an extent: itself, its upper bound, or 64.
double extent_of(const arith::Analyzer& facts, const ir::Expr& expr);

}  // namespace tilewright::tuner
