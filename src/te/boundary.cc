#include "tilewright/te/boundary.h"

#include "te/checks.h"

namespace tilewright::te {
namespace {

Expr int64(int64_t value) { return ir::make_int(kInt64, value); }

Expr inside_index(Boundary::Rule rule, const Expr& index, const Expr& extent) {
  switch (rule) {
    case Boundary::Rule::kConstant: return index;
    case Boundary::Rule::kRepeatEdge: return ir::max(ir::min(index, extent - int64(1)), int64(0));
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
  }
  return index;
}

}  // namespace

Boundary::Boundary(Tensor tensor, Rule rule, Expr value)
    : tensor_(std::move(tensor)), rule_(rule), value_(std::move(value)) {
  if (!tensor_.defined()) fail("te.null_tensor", "a boundary condition needs a tensor");
  if (rule_ == Rule::kConstant) return;
  for (const Expr& extent : tensor_.shape()) {
    if (ir::is_const_int(extent, 0)) {
      fail("te.empty_boundary",
           "tensor '{}' has shape {}: there is no element to repeat outside; use constant_exterior",
           tensor_.name(), detail::shown(tensor_.shape()));
    }
  }
}

Expr Boundary::at(const std::vector<Expr>& indices) const {
  std::vector<Expr> inside;
  Expr in_range;
  for (size_t d = 0; d < indices.size(); ++d) {
    Expr index = detail::as_int64(
        "te.index_dtype", fmt::format("index {} of tensor '{}'", d, tensor_.name()), indices[d]);
    if (d >= tensor_.shape().size()) {
      inside.push_back(index);  // the read below reports the rank
      continue;
    }
    const Expr& extent = tensor_.shape()[d];
    inside.push_back(inside_index(rule_, index, extent));
    Expr here = index >= int64(0) && index < extent;
    in_range = in_range.defined() ? in_range && here : here;
  }
  Expr element = tensor_.at(inside);
  if (rule_ != Rule::kConstant || !in_range.defined()) return element;
  return ir::if_then_else(in_range, element, value_);
}

Boundary constant_exterior(Tensor tensor, Expr value) {
  return Boundary(std::move(tensor), Boundary::Rule::kConstant, std::move(value));
}

Boundary repeat_edge(Tensor tensor) {
  return Boundary(std::move(tensor), Boundary::Rule::kRepeatEdge, {});
}

Boundary mirror_image(Tensor tensor) {
  return Boundary(std::move(tensor), Boundary::Rule::kMirrorImage, {});
}

Boundary mirror_interior(Tensor tensor) {
  return Boundary(std::move(tensor), Boundary::Rule::kMirrorInterior, {});
}

}  // namespace tilewright::te
