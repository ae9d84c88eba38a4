#include <algorithm>
#include <cmath>

#include "fuzz/program_maker.h"

/// \file
/// Recurrences of random programs.

namespace tilewright::fuzz {

void ProgramMaker::add_scan() {
  const Known source = known_[known_.size() - 1 - (chance(70) ? 0 : rng_.below(known_.size()))];
  StageSpec stage;
  std::vector<Term> index(source.shape.size());
  const bool along = !source.shape.empty() && chance(80);
  if (along) {
    const size_t dim = rng_.below(source.shape.size());
    for (size_t d = 0; d < source.shape.size(); ++d) {
      if (d == dim) continue;
      index[d] = axis_term(static_cast<int64_t>(stage.shape.size()));
      stage.shape.push_back(source.shape[d]);
    }
    stage.steps = {source.shape[dim]};
    index[dim] = axis_term(static_cast<int64_t>(stage.shape.size()));
  } else {
    stage.shape = {pick(pool_)};
    stage.steps = {pick(pool_)};
  }
  stage.step_axis = rng_.between(0, static_cast<int64_t>(stage.shape.size()));
  if (most(result_shape(stage)) > kMostElements) return add_pointwise();
  const DType dtype = along && chance(80) ? source.dtype : some_dtype();
  std::vector<Dim> axes = stage.shape;
  TermMaker before = terms(axes);
  axes.push_back(stage.steps[0]);
  TermMaker maker = terms(axes);
  const int64_t states = chance(45) ? 1 : rng_.between(2, 3);
  for (int64_t s = 0; s < states; ++s) {
    stage.init.push_back(limited(before.value(dtype, chance(60) ? 0 : 1), dtype, before).term);
  }
  for (int64_t s = 0; s < states; ++s) {
    // The state of the step before the last: a recurrence of second order.
    if (s > 0 && chance(40)) {
      stage.values.push_back(state_term(stage, s - 1, dtype));
      continue;
    }
    Bounded old{state_term(stage, s, dtype), 4};
    if (states > 1 && chance(50)) {
      const Term other = state_term(stage, (s + 1) % states, dtype);
      old = combined(std::move(old), {other, 4}, dtype);
    }
    Bounded fresh = along && chance(80)
                        ? maker.convert(TermMaker::load_at(source, index, ""), dtype)
                        : maker.value(dtype, 1);
    stage.values.push_back(
        limited(combined(std::move(old), std::move(fresh), dtype), dtype, maker).term);
  }
  const double bound = dtype.is_bool() ? 1 : dtype.is_float() ? 4 : std::ldexp(1.0, dtype.bits);
  finish(std::move(stage), std::vector<double>(static_cast<size_t>(states), bound));
}

Bounded ProgramMaker::limited(Bounded value, DType dtype, TermMaker& maker) {
  return dtype.is_float() ? maker.clamped(std::move(value), 4) : value;
}

Bounded ProgramMaker::combined(Bounded a, Bounded b, DType dtype) {
  static const std::vector<std::string> bools = {"logical_and", "logical_or", "ne"},
                                        numbers = {"add", "add", "sub", "max", "min"};
  const std::string& op = pick(dtype.is_bool() ? bools : numbers);
  return {op_term(op, dtype, {std::move(a.term), std::move(b.term)}), a.bound + b.bound};
}

Term ProgramMaker::state_term(const StageSpec& stage, int64_t state, DType dtype) {
  Term read{"state", dtype, state, {}, {}, {}};
  for (size_t d = 0; d < stage.shape.size(); ++d) {
    Term at = axis_term(static_cast<int64_t>(d));
    if (stage.shape[d].size.empty() && chance(15)) {
      at = op_term("sub", kInt64, {const_term(kInt64, stage.shape[d].value - 1), at});
    }
    read.args.push_back(at);
  }
  return read;
}

}  // namespace tilewright::fuzz
