#include "tilewright/arith/analyzer.h"

#include "arith/impl.h"

namespace tilewright::arith {

using namespace ir;

Analyzer::Analyzer() : impl_(std::make_unique<Impl>()) {}
Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;
Analyzer::Analyzer(const Analyzer& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Analyzer& Analyzer::operator=(const Analyzer& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}

void Analyzer::bind(const Var& var, const Range& range) {
  if (!is_index_dtype(var.dtype())) return;
  Linear low = impl_->linearize(range.min);
  Linear extent = impl_->linearize(range.extent);
  impl_->bind(var, low, linear_offset(linear_add(low, extent), -1));
}

void Analyzer::bind_extent(const Var& var, const Expr& extent) {
  bind(var, Range{make_int(extent.dtype(), 0), extent});
}

void Analyzer::bind_value(const Var& var, const Expr& value) {
  if (is_index_dtype(var.dtype()) && is_index_dtype(value.dtype())) impl_->bind_value(var, value);
}

void Analyzer::assume(const Expr& condition) { impl_->assume(condition); }

Expr Analyzer::simplify(const Expr& expr) const { return impl_->simplify(expr); }

bool Analyzer::can_prove(const Expr& condition) const { return impl_->prove(condition); }

bool Analyzer::can_prove_equal(const Expr& a, const Expr& b) const {
  if (is_index_dtype(a.dtype()) && is_index_dtype(b.dtype())) {
    Linear difference = impl_->merge(linear_add(impl_->linearize(a), impl_->linearize(b), -1));
    return impl_->prove_zero(difference, Impl::kThoroughSteps);
  }
  return impl_->prove(a == b);
}

Interval Analyzer::const_interval(const Expr& expr) const {
  if (!is_index_dtype(expr.dtype())) {
    if (const int64_t* value = as_const_int(expr)) return {*value, *value};
    return interval_of_dtype(expr.dtype());
  }
  return impl_->refined_interval(impl_->linearize(expr));
}

Congruence Analyzer::congruence(const Expr& expr) const {
  if (!is_index_dtype(expr.dtype())) return {};
  return impl_->congruence(impl_->linearize(expr));
}

LinearForm Analyzer::linear_form(const Expr& expr) const {
  internal_check(is_index_dtype(expr.dtype()), "linear_form of an expression that is no index");
  Linear form = impl_->linearize(expr);
  LinearForm result;
  result.constant = form.constant;
  for (const auto& [atom, k] : impl_->display_terms(form)) {
    result.terms.emplace_back(impl_->render_atom(atom, kInt64), k);
  }
  return result;
}

Expr from_linear_form(const LinearForm& form, DType dtype) {
  Expr sum = make_int(dtype, 0);
  for (const auto& [term, k] : form.terms) {
    Expr t = term.dtype() == dtype ? term : cast(dtype, term);
    sum = k < 0 && k != INT64_MIN ? sum - t * make_int(dtype, -k) : sum + t * make_int(dtype, k);
  }
  return sum + make_int(dtype, form.constant);
}

}  // namespace tilewright::arith
