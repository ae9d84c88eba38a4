#include <algorithm>
#include <cmath>

#include "fuzz/program_maker.h"

/// \file
/// Stencils, reductions, matrix products and convolutions of random programs.

namespace tilewright::fuzz {

void ProgramMaker::add_stencil() {
  const Known source = known_[known_.size() - 1 - (chance(70) ? 0 : rng_.below(known_.size()))];
  if (source.shape.empty()) return add_pointwise();
  StageSpec stage;
  stage.shape = source.shape;
  const size_t dim = rng_.below(source.shape.size());
  const int64_t width = rng_.between(2, 3);
  // Inside: the result is smaller. Padding: it is larger. Else as large, with a boundary condition.
  const bool inside = source.shape[dim].value >= width && chance(45);
  const bool padding = !inside && chance(25);
  if (inside) stage.shape[dim].value -= width - 1;
  if (padding) stage.shape[dim].value += width - 1;
  TermMaker maker = terms(stage.shape);
  const std::string rule = inside ? "" : maker.boundary_rule(source.shape);
  Bounded sum;
  const int64_t taps = padding ? 1 : width;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t offset = inside ? tap : padding ? -(width / 2) : tap - width / 2;
    std::vector<Term> index;
    for (size_t d = 0; d < source.shape.size(); ++d) {
      Term at = axis_term(static_cast<int64_t>(d));
      if (d == dim && offset != 0) {
        at = op_term("add", kInt64, {at, const_term(kInt64, offset)});
      }
      index.push_back(at);
    }
    Bounded read = TermMaker::load_at(source, index, rule);
    if (tap == 0) {
      sum = std::move(read);
      continue;
    }
    const bool maximum = source.dtype.is_bool() || chance(30);
    double bound = maximum ? std::max(sum.bound, read.bound) : sum.bound + read.bound;
    const std::string op = source.dtype.is_bool() ? "logical_or" : maximum ? "max" : "add";
    sum = {op_term(op, source.dtype, {std::move(sum.term), std::move(read.term)}), bound};
  }
  sum = maker.convert(std::move(sum), source.dtype);
  stage.values = {sum.term};
  finish(stage, {sum.bound});
}

void ProgramMaker::reduce_with(StageSpec stage, Bounded term, TermMaker& maker) {
  const DType dtype = term.term.dtype;
  std::vector<const ReducerRow*> fitting;
  for (const ReducerRow& row : reducers()) {
    const bool legal = dtype.is_bool() ? row.values == ReducerRow::kBools
                       : row.values == ReducerRow::kBools
                           ? false
                           : row.values == ReducerRow::kNumbers || dtype.is_integer();
    if (legal) fitting.push_back(&row);
  }
  const ReducerRow* row = chance(45) ? fitting[0] : pick(fitting);
  // Those whose terms must stay in order are few.
  if (dtype.is_integer() && chance(30)) row = find_reducer(chance(60) ? "horner" : "compose");
  const auto count = static_cast<double>(most(stage.reduce));
  stage.reducer = row->name;
  if (dtype.bits == 16 && dtype.is_float() && stage.reducer == "sum" && chance(50)) {
    stage.accumulate = "float32";
  }
  const DType acc = stage.accumulate.empty() ? dtype : parse_dtype(stage.accumulate);
  double bound = term.bound;
  const bool adds = stage.reducer == "sum" || stage.reducer == "sum_and_max";
  if (adds && term.bound * count > exact_limit(acc)) {
    const double each = std::floor(exact_limit(acc) / count);
    if (each >= 1) {
      term = maker.clamped(std::move(term), static_cast<int64_t>(std::min(each, 4.0)));
    } else {
      stage.reducer = "max";
      stage.accumulate.clear();
    }
  }
  if (adds) bound = term.bound * count;
  if (stage.reducer == "prod") {
    if (std::pow(term.bound, count) > exact_limit(acc)) term = maker.clamped(std::move(term), 1);
    bound = std::pow(term.bound, count);
  }
  if (!dtype.is_float() && !dtype.is_bool()) bound = std::ldexp(1.0, dtype.bits);
  stage.values = {term.term};
  std::vector<double> bounds = {bound};
  if (row->outputs == 2 && row->user) {
    Bounded second = maker.convert(maker.value(dtype, 1), dtype);
    stage.values.push_back(second.term);
    bounds.push_back(std::max(bound, second.bound));
  } else if (row->outputs == 2) {
    bounds.push_back(term.bound);
  }
  finish(std::move(stage), bounds);
}

void ProgramMaker::add_reduction() {
  const Known source = known_[known_.size() - 1 - (chance(70) ? 0 : rng_.below(known_.size()))];
  if (source.shape.empty()) return add_pointwise();
  StageSpec stage;
  std::vector<Term> index(source.shape.size());
  std::vector<size_t> reduced;
  for (size_t d = 0; d < source.shape.size(); ++d) {
    if (chance(45) && reduced.size() < 2) reduced.push_back(d);
  }
  if (reduced.empty()) reduced.push_back(source.shape.size() - 1);
  for (size_t d = 0; d < source.shape.size(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
    index[d] = axis_term(static_cast<int64_t>(stage.shape.size()));
    stage.shape.push_back(source.shape[d]);
  }
  if (stage.shape.empty() && chance(60)) stage.shape.push_back({"", rng_.between(1, 6)});
  for (size_t d : reduced) {
    index[d] = axis_term(static_cast<int64_t>(stage.shape.size() + stage.reduce.size()));
    stage.reduce.push_back(source.shape[d]);
  }
  std::vector<Dim> axes = stage.shape;
  axes.insert(axes.end(), stage.reduce.begin(), stage.reduce.end());
  if (most(axes) > kMostIterations) return add_pointwise();
  TermMaker maker = terms(axes);
  Bounded term = TermMaker::load_at(source, index, "");
  const DType dtype = chance(80) ? source.dtype : some_dtype();
  term = maker.convert(std::move(term), dtype);
  if (!dtype.is_bool() && chance(40)) {
    Bounded other = maker.clamped(maker.value(dtype, 1), 2);
    term = maker.clamped(std::move(term), 4);
    term = {op_term("mul", dtype, {std::move(term.term), std::move(other.term)}), 8};
  }
  if (chance(25)) stage.where = {maker.condition(2)};
  reduce_with(std::move(stage), std::move(term), maker);
}

void ProgramMaker::add_matmul() {
  const Dim m = pick(pool_), n = pick(pool_);
  const Dim k = known_.back().shape.size() == 2 ? known_.back().shape[1] : pick(pool_);
  const DType dtype = main_dtype_.is_bool() ? kFloat32 : main_dtype_;
  if (most({m, n, k}) > kMostIterations) return add_reduction();
  Known a = known_.back();
  if (a.shape.size() != 2) a = add_input({m, k}, dtype);
  const bool transposed = chance(30);
  const Known b = add_input(transposed ? std::vector<Dim>{n, k} : std::vector<Dim>{k, n}, dtype);
  StageSpec stage;
  stage.shape = {a.shape[0], n};
  stage.reduce = {k};
  const Term i = axis_term(0), j = axis_term(1), r = axis_term(2);
  TermMaker maker = terms({a.shape[0], n, k});
  Bounded left = maker.convert(TermMaker::load_at(a, {i, r}, ""), dtype);
  if (left.bound > 64) left = maker.clamped(std::move(left), 4);
  const Bounded right =
      TermMaker::load_at(b, transposed ? std::vector<Term>{j, r} : std::vector<Term>{r, j}, "");
  Bounded term{op_term("mul", dtype, {left.term, right.term}), left.bound * right.bound};
  if (most(stage.shape) > kMostElements) return add_pointwise();
  reduce_with(std::move(stage), maker.convert(std::move(term), dtype), maker);
}

void ProgramMaker::add_convolution() {
  const DType dtype = main_dtype_.is_bool() ? kFloat32 : main_dtype_;
  const int64_t spatial = chance(60) ? 1 : 2;
  StageSpec stage;
  std::vector<Dim> data_shape, weight_shape;
  const bool channels = chance(50);
  const Dim ci{"", rng_.between(1, 4)}, co{"", rng_.between(1, 5)};
  if (channels) {
    data_shape.push_back(ci);
    weight_shape = {co, ci};
    stage.shape.push_back(co);
    stage.reduce.push_back(ci);
  }
  std::vector<int64_t> strides;
  for (int64_t d = 0; d < spatial; ++d) {
    const int64_t window = rng_.between(1, 3), out = rng_.between(1, 6);
    strides.push_back(rng_.between(1, 2));
    stage.shape.push_back({"", out});
    stage.reduce.push_back({"", window});
    weight_shape.push_back({"", window});
    data_shape.push_back({"", (out - 1) * strides.back() + window});
  }
  const Known data = add_input(data_shape, dtype), weight = add_input(weight_shape, dtype);
  const auto rank = static_cast<int64_t>(stage.shape.size());
  std::vector<Term> data_index, weight_index;
  int64_t out_axis = 0, reduce_axis = rank;
  if (channels) {
    data_index.push_back(axis_term(reduce_axis));
    weight_index = {axis_term(out_axis++), axis_term(reduce_axis++)};
  }
  for (int64_t stride : strides) {
    Term at = axis_term(out_axis++);
    if (stride != 1) at = op_term("mul", kInt64, {at, const_term(kInt64, stride)});
    data_index.push_back(op_term("add", kInt64, {at, axis_term(reduce_axis)}));
    weight_index.push_back(axis_term(reduce_axis++));
  }
  std::vector<Dim> axes = stage.shape;
  axes.insert(axes.end(), stage.reduce.begin(), stage.reduce.end());
  TermMaker maker = terms(axes);
  Term product = op_term("mul", dtype,
                         {TermMaker::load_at(data, data_index, "").term,
                          TermMaker::load_at(weight, weight_index, "").term});
  reduce_with(std::move(stage), {std::move(product), 16}, maker);
}

}  // namespace tilewright::fuzz
