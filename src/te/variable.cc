#include "tilewright/te/variable.h"

#include <cmath>

#include "te/checks.h"

namespace tilewright::te {
namespace {

Var make_var(std::string name, DType dtype, VarRole role, Range dom = {}) {
  detail::check_name(fmt::format("a variable"), name);
  Ref<const RefCounted> definition(new VarDefinition(role, std::move(dom)));
  return Var(new ir::VarNode(dtype, std::move(name), std::move(definition)));
}

Expr checked_end(const std::string& name, const char* which, const Expr& end) {
  const std::string what = fmt::format("reduce axis '{}': its {}", name, which);
  Expr value = detail::as_int64("te.bad_range", what, end);
  if (Expr other = detail::non_size_part(value); other.defined()) {
    fail("te.bad_range",
         "{}, {}, depends on {}; a range is over constants and sizes. Reduce over the whole range "
         "and leave out terms by the reducer's `where`, such as sum(x, k, k <= i)",
         what, detail::shown(value), detail::shown(other));
  }
  return value;
}

Range checked_range(const std::string& name, const Range& dom) {
  Range result{checked_end(name, "begin", dom.min), checked_end(name, "extent", dom.extent)};
  const int64_t* extent = ir::as_const_int(result.extent);
  const int64_t* begin = ir::as_const_int(result.min);
  if (extent && *extent < 0) {
    fail("te.bad_range", "reduce axis '{}' has extent {}; it must be 0 or more", name, *extent);
  }
  int64_t end;
  if (extent && begin && __builtin_add_overflow(*begin, *extent, &end)) {
    fail("te.bad_range", "reduce axis '{}' ends beyond 2^63", name);
  }
  return result;
}

}  // namespace

const VarDefinition* definition_of(const ir::VarNode* var) {
  return var ? dynamic_cast<const VarDefinition*>(var->definition.get()) : nullptr;
}

Var var(std::string name) { return make_var(std::move(name), kInt64, VarRole::kSize); }

Var size_var(std::string name) { return var(std::move(name)); }

Var scalar(std::string name, DType dtype) {
  detail::check_dtype(fmt::format("scalar '{}'", name), dtype);
  return make_var(std::move(name), dtype, VarRole::kScalar);
}

Expr constant(DType dtype, double value) {
  if (dtype.is_float()) return ir::make_float(dtype, value);
  if (!(std::trunc(value) == value && std::abs(value) < 0x1p63)) {
    fail("te.bad_constant", "{} is no value of {}; use cast to round a value", value,
         to_string(dtype));
  }
  return constant_int(dtype, static_cast<int64_t>(value));
}

Expr constant_int(DType dtype, int64_t value) {
  if (dtype.is_float()) return ir::make_float(dtype, static_cast<double>(value));
  const Expr result = ir::make_int(dtype, value);
  const int64_t* stored = ir::as_const_int(result);
  if (!stored || *stored != value || (dtype == kUInt64 && value < 0)) {
    fail("te.bad_constant", "{} is no value of {}", value, to_string(dtype));
  }
  return result;
}

Range range(Expr begin, Expr end) {
  Expr from = detail::as_int64("te.bad_range", "the begin of a range", begin);
  Expr to = detail::as_int64("te.bad_range", "the end of a range", end);
  return {from, to - from};
}

ReduceAxis::ReduceAxis(const Expr& var)
    : Var(var.defined() ? var.as<ir::VarNode>() : static_cast<const ir::VarNode*>(nullptr)) {
  const VarDefinition* definition = definition_of(node());
  if (!definition || definition->role != VarRole::kReduceAxis) {
    fail("te.not_an_axis", "{} is not a reduce axis; make one with reduce_axis(extent, name)",
         var.defined() ? detail::shown(var) : "a null expression");
  }
}

ReduceAxis::ReduceAxis(Range dom, std::string name)
    : Var(make_var(std::move(name), kInt64, VarRole::kReduceAxis, std::move(dom))) {}

const Range& ReduceAxis::dom() const { return definition_of(node())->dom; }

ReduceAxis reduce_axis(Range dom, std::string name) {
  Range checked = checked_range(name, dom);
  return ReduceAxis(std::move(checked), std::move(name));
}

ReduceAxis reduce_axis(Expr extent, std::string name) {
  return reduce_axis(Range{ir::make_int(kInt64, 0), std::move(extent)}, std::move(name));
}

}  // namespace tilewright::te
