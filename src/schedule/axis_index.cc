#include "schedule/axis_index.h"

#include <algorithm>

namespace tilewright::schedule {

using namespace ir;

namespace {

bool is_size(const PrimFunc& func, const Expr& term) {
  return std::any_of(func->params.begin(), func->params.end(), [&](const Param& param) {
    return param.var.defined() && param.var.same_as(term);
  });
}

}  // namespace

Range AxisIndex::at(const Range& range) const {
  if (sign > 0) return {range.min + offset, range.extent};
  return {offset - (range.min + range.extent - 1), range.extent};
}

Range AxisIndex::from(const Range& range) const {
  return sign > 0 ? Range{range.min - offset, range.extent} : at(range);
}

Expr AxisIndex::inverse(const Expr& value) const {
  return sign > 0 ? value - offset : offset - value;
}

std::optional<AxisIndex> axis_index(const PrimFunc& func, const arith::Analyzer& facts,
                                    const Block& block, const Expr& index) {
  const auto& iters = block->iter_vars;
  const arith::LinearForm form = facts.linear_form(index);
  std::optional<AxisIndex> found;
  Expr offset = make_int(kInt64, form.constant);
  for (const auto& [term, factor] : form.terms) {
    const auto it = std::find_if(iters.begin(), iters.end(),
                                 [&](const IterVar& iter) { return iter.var.same_as(term); });
    if (it == iters.end() && is_size(func, term)) {
      offset = offset + term * make_int(kInt64, factor);
    } else if (it == iters.end() || found || (factor != 1 && factor != -1)) {
      return {};
    } else {
      found = {static_cast<size_t>(it - iters.begin()), factor, {}};
    }
  }
  if (found) found->offset = facts.simplify(offset);
  return found;
}

}  // namespace tilewright::schedule
