#include "tilewright/te/boundary.h"

#include <algorithm>

#include "te/checks.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te {
namespace {

Expr int64(int64_t value) { return ir::make_int(kInt64, value); }

// What is known of an index from the ranges of the axes in it.
arith::Analyzer facts_of(const Expr& index, const Expr& extent) {
  arith::Analyzer facts;
  detail::bind_sizes(facts, index);
  detail::bind_sizes(facts, extent);
  for (const Var& var : ir::free_vars(index)) {
    const VarDefinition* definition = definition_of(var.node());
    if (!definition || !definition->dom.extent.defined()) continue;
    detail::bind_sizes(facts, definition->dom.min);
    detail::bind_sizes(facts, definition->dom.extent);
    facts.bind(var, definition->dom);
  }
  return facts;
}

// The index moved inside [0, extent), where it isn't known to be there.
Expr inside_index(Boundary::Rule rule, const Expr& index, const Expr& extent) {
  const arith::Analyzer facts = facts_of(index, extent);
  const bool above = facts.can_prove(index >= int64(0));
  const bool below = facts.can_prove(index < extent);
  if (rule == Boundary::Rule::kConstant || (above && below)) return index;
  switch (rule) {
    case Boundary::Rule::kRepeatEdge: {
      Expr inside = below ? index : ir::min(index, extent - int64(1));
      return above ? inside : ir::max(inside, int64(0));
    }
    case Boundary::Rule::kMirrorImage: {
      // Of a period of 2n the second half runs backwards: 2n-1-p, which is below p only there.
      Expr p = ir::floor_mod(index, extent * int64(2));
      return ir::min(p, extent * int64(2) - int64(1) - p);
    }
    case Boundary::Rule::kMirrorInterior: {
      // The period is 2n-2; one element alone has period 1.
      Expr period = extent * int64(2) - int64(2);
      Expr p = ir::floor_mod(index, ir::max(period, int64(1)));
      return ir::min(p, period - p);
    }
    case Boundary::Rule::kRepeatImage: return ir::floor_mod(index, extent);
    case Boundary::Rule::kConstant: break;
  }
  return index;
}

// "index lies in [0, extent)", without what is known; null when it surely does.
Expr in_range(const Expr& index, const Expr& extent) {
  const arith::Analyzer facts = facts_of(index, extent);
  Expr result;
  for (const Expr& condition : {index >= int64(0), index < extent}) {
    if (facts.can_prove(condition)) continue;
    result = result.defined() ? result && condition : condition;
  }
  return result;
}

}  // namespace

Boundary::Boundary(Tensor tensor, Rule rule, Expr value, std::vector<int> dims)
    : tensor_(std::move(tensor)), rule_(rule), value_(std::move(value)), dims_(std::move(dims)) {
  check();
}

Boundary::Boundary(Boundary inner, Rule rule, Expr value, std::vector<int> dims)
    : tensor_(inner.tensor_),
      rule_(rule),
      value_(std::move(value)),
      dims_(std::move(dims)),
      inner_(std::make_shared<const Boundary>(std::move(inner))) {
  check();
}

void Boundary::check() const {
  if (!tensor_.defined()) fail("te.null_tensor", "a boundary condition needs a tensor");
  for (int dim : dims_) {
    if (dim >= 0 && dim < tensor_.rank()) continue;
    fail("te.rank_mismatch", "a boundary condition of tensor '{}' names dimension {} of {}",
         tensor_.name(), dim, tensor_.rank());
  }
  if (rule_ == Rule::kConstant) return;
  for (size_t d = 0; d < tensor_.shape().size(); ++d) {
    if (applies(d) && ir::is_const_int(tensor_.shape()[d], 0)) {
      fail("te.empty_boundary",
           "tensor '{}' has shape {}: there is no element to repeat outside; use constant_exterior",
           tensor_.name(), detail::shown(tensor_.shape()));
    }
  }
}

bool Boundary::applies(size_t dim) const {
  return dims_.empty() ||
         std::find(dims_.begin(), dims_.end(), static_cast<int>(dim)) != dims_.end();
}

Expr Boundary::at(const std::vector<Expr>& indices) const {
  std::vector<Expr> inside;
  Expr condition;
  for (size_t d = 0; d < indices.size(); ++d) {
    Expr index = detail::as_int64(
        "te.index_dtype", fmt::format("index {} of tensor '{}'", d, tensor_.name()), indices[d]);
    if (d >= tensor_.shape().size() || !applies(d)) {
      inside.push_back(index);  // the read below reports the rank
      continue;
    }
    const Expr& extent = tensor_.shape()[d];
    inside.push_back(inside_index(rule_, index, extent));
    const Expr here = rule_ == Rule::kConstant ? in_range(index, extent) : Expr();
    if (here.defined()) condition = condition.defined() ? condition && here : here;
  }
  Expr element = inner_ ? inner_->at(inside) : tensor_.at(inside);
  return condition.defined() ? ir::if_then_else(condition, element, value_) : element;
}

Boundary constant_exterior(Tensor tensor, Expr value, std::vector<int> dims) {
  return Boundary(std::move(tensor), Boundary::Rule::kConstant, std::move(value), std::move(dims));
}

Boundary constant_exterior(Boundary inner, Expr value, std::vector<int> dims) {
  return Boundary(std::move(inner), Boundary::Rule::kConstant, std::move(value), std::move(dims));
}

Boundary repeat_edge(Tensor tensor, std::vector<int> dims) {
  return Boundary(std::move(tensor), Boundary::Rule::kRepeatEdge, Expr(), std::move(dims));
}

Boundary repeat_edge(Boundary inner, std::vector<int> dims) {
  return Boundary(std::move(inner), Boundary::Rule::kRepeatEdge, Expr(), std::move(dims));
}

Boundary mirror_image(Tensor tensor, std::vector<int> dims) {
  return Boundary(std::move(tensor), Boundary::Rule::kMirrorImage, Expr(), std::move(dims));
}

Boundary mirror_image(Boundary inner, std::vector<int> dims) {
  return Boundary(std::move(inner), Boundary::Rule::kMirrorImage, Expr(), std::move(dims));
}

Boundary mirror_interior(Tensor tensor, std::vector<int> dims) {
  return Boundary(std::move(tensor), Boundary::Rule::kMirrorInterior, Expr(), std::move(dims));
}

Boundary mirror_interior(Boundary inner, std::vector<int> dims) {
  return Boundary(std::move(inner), Boundary::Rule::kMirrorInterior, Expr(), std::move(dims));
}

Boundary repeat_image(Tensor tensor, std::vector<int> dims) {
  return Boundary(std::move(tensor), Boundary::Rule::kRepeatImage, Expr(), std::move(dims));
}

Boundary repeat_image(Boundary inner, std::vector<int> dims) {
  return Boundary(std::move(inner), Boundary::Rule::kRepeatImage, Expr(), std::move(dims));
}

}  // namespace tilewright::te
