#include "tuner/cost_model/access_shape.h"

#include <algorithm>
#include <cmath>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::tuner {

using namespace ir;  // NOLINT

double extent_of(const arith::Analyzer& facts, const Expr& expr) {
  if (const int64_t* value = as_const_int(expr)) return static_cast<double>(*value);
  const arith::Interval range = facts.const_interval(expr);
  constexpr double kUnknown = 64;
  return range.bounded() ? static_cast<double>(range.max) : kUnknown;
}

AccessShape::AccessShape(const arith::Analyzer& facts, const std::vector<LoopShape>& loops,
                         const Buffer& buffer, const std::vector<Expr>& indices, bool writes)
    : loops_(loops), buffer_(buffer), indices_(indices), writes_(writes) {
  std::vector<Expr> physical = indices;
  std::vector<double> extents;
  for (const Expr& extent : buffer->shape) extents.push_back(extent_of(facts, extent));
  if (buffer->layout && !buffer->layout->vars.empty()) {
    VarMap map;
    arith::Analyzer bounds(facts);
    for (size_t d = 0; d < indices.size(); ++d) {
      map[buffer->layout->vars[d]] = indices[d];
      bounds.bind_extent(buffer->layout->vars[d], buffer->shape[d]);
    }
    physical.clear();
    extents.clear();
    for (const Expr& index : buffer->layout->physical) {
      physical.push_back(facts.simplify(substitute(index, map)));
      const arith::Interval range = bounds.const_interval(index);
      extents.push_back(range.bounded() ? static_cast<double>(range.max) + 1 : 64);
    }
  }
  // Loops around the allocation meet the same memory again and again.
  if (buffer->alloc_at.kind == AllocAt::Kind::kLoop) {
    for (size_t i = 0; i < loops.size(); ++i) {
      if (loops[i].loop->id == buffer->alloc_at.loop) home_ = i + 1;
    }
  }
  strides_.assign(loops.size(), 0);
  double stride = 1;
  dims_.resize(physical.size());
  for (size_t d = physical.size(); d-- > 0;) {
    Dim& dim = dims_[d];
    dim.extent = extents[d];
    const arith::LinearForm form = facts.linear_form(physical[d]);
    for (const auto& [term, factor] : form.terms) {
      dim.terms.push_back(
          make_term(facts, term, std::abs(static_cast<double>(factor)), extents[d]));
      for (size_t i = 0; i < loops.size(); ++i) {
        strides_[i] += dim.terms.back().coefficients[i] * stride;
      }
    }
    stride *= std::max(1.0, extents[d]);
  }
}

AccessShape::Term AccessShape::make_term(const arith::Analyzer& facts, const Expr& expr,
                                         double factor, double cap) const {
  Term term{std::vector<double>(loops_.size(), 0), cap};
  for (size_t i = 0; i < loops_.size(); ++i) {
    if (expr.get() == loops_[i].loop->var.get()) {
      if (i >= home_) term.coefficients[i] = factor;
      return term;
    }
  }
  const auto* binary = expr.as<BinaryNode>();
  const int64_t* divisor = binary ? as_const_int(binary->b) : nullptr;
  const bool quotient = divisor && *divisor > 0 && binary->op == BinaryOp::kFloorDiv;
  const bool remainder = divisor && *divisor > 0 && binary->op == BinaryOp::kFloorMod;
  if (quotient || remainder) {
    const double scale = quotient ? 1 / static_cast<double>(*divisor) : 1;
    if (remainder) term.cap = std::min(cap, factor * static_cast<double>(*divisor));
    for (const auto& [inner, c] : facts.linear_form(binary->a).terms) {
      const Term part = make_term(facts, inner, std::abs(static_cast<double>(c)), 1e18);
      for (size_t i = 0; i < loops_.size(); ++i) {
        term.coefficients[i] += part.coefficients[i] * scale * factor;
      }
    }
    return term;
  }
  // Anything else may go anywhere in the dimension.
  for (size_t i = home_; i < loops_.size(); ++i) {
    if (uses_var(expr, loops_[i].loop->var)) {
      term.coefficients[i] = cap / std::max(1.0, loops_[i].extent);
    }
  }
  return term;
}

double AccessShape::range(const Dim& dim, size_t depth) const {
  double values = 1;
  for (const Term& term : dim.terms) {
    double reach = 0;
    for (size_t i = depth; i < loops_.size(); ++i) {
      reach += term.coefficients[i] * (loops_[i].extent - 1);
    }
    values += std::min(reach, std::max(0.0, term.cap - 1));
  }
  return std::min(values, std::max(1.0, dim.extent));
}

double AccessShape::lines(size_t depth, double line_bytes) const {
  const double per_line = line_bytes / static_cast<double>(buffer_->dtype.bytes());
  double count = 1;
  bool whole = true;  // the dimensions further in are covered from end to end
  double run = 1;     // contiguous elements
  for (size_t d = dims_.size(); d-- > 0;) {
    const double values = range(dims_[d], depth);
    if (whole) {
      run *= values;
      whole = values >= dims_[d].extent;
    } else {
      count *= values;
    }
  }
  return count * std::max(1.0, run / per_line);
}

bool AccessShape::same_elements(const AccessShape& other) const {
  if (!buffer_.same_as(other.buffer_) || indices_.size() != other.indices_.size()) return false;
  return strides_ == other.strides_;
}

}  // namespace tilewright::tuner
