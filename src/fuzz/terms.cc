#include "fuzz/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace tilewright::fuzz {

const std::vector<TermOp>& term_ops() {
  static const std::vector<TermOp> rows = {
      {"neg", 1, "-{}", "-{}"},
      {"not", 1, "!{}", "te.logical_not({})"},
      {"abs", 1, "te::abs({})", "te.abs({})"},
      {"floor", 1, "te::floor({})", "te.floor({})"},
      {"ceil", 1, "te::ceil({})", "te.ceil({})"},
      {"trunc", 1, "te::trunc({})", "te.trunc({})"},
      {"round", 1, "te::round({})", "te.round({})"},
      {"exp", 1, "te::exp({})", "te.exp({})"},
      {"sqrt", 1, "te::sqrt({})", "te.sqrt({})"},
      {"tanh", 1, "te::tanh({})", "te.tanh({})"},
      {"sigmoid", 1, "te::sigmoid({})", "te.sigmoid({})"},
      {"add", 2, "({} + {})", "({} + {})"},
      {"sub", 2, "({} - {})", "({} - {})"},
      {"mul", 2, "({} * {})", "({} * {})"},
      {"div", 2, "({} / {})", "({} / {})"},
      {"floor_div", 2, "te::floor_div({}, {})", "te.floor_div({}, {})"},
      {"floor_mod", 2, "te::floor_mod({}, {})", "te.floor_mod({}, {})"},
      {"trunc_div", 2, "te::trunc_div({}, {})", "te.trunc_div({}, {})"},
      {"trunc_mod", 2, "te::trunc_mod({}, {})", "te.trunc_mod({}, {})"},
      {"min", 2, "te::min(te::Expr({}), te::Expr({}))", "te.minimum({}, {})"},
      {"max", 2, "te::max(te::Expr({}), te::Expr({}))", "te.maximum({}, {})"},
      {"fmin", 2, "te::fmin({}, {})", "te.fmin({}, {})"},
      {"fmax", 2, "te::fmax({}, {})", "te.fmax({}, {})"},
      {"and", 2, "({} & {})", "({} & {})"},
      {"or", 2, "({} | {})", "({} | {})"},
      {"xor", 2, "({} ^ {})", "({} ^ {})"},
      {"shl", 2, "({} << {})", "({} << {})"},
      {"shr", 2, "({} >> {})", "({} >> {})"},
      {"lt", 2, "({} < {})", "({} < {})"},
      {"le", 2, "({} <= {})", "({} <= {})"},
      {"eq", 2, "({} == {})", "({} == {})"},
      {"ne", 2, "({} != {})", "({} != {})"},
      {"logical_and", 2, "({} && {})", "te.logical_and({}, {})"},
      {"logical_or", 2, "({} || {})", "te.logical_or({}, {})"},
      {"select", 3, "te::select({}, {}, {})", "te.select({}, {}, {})"},
      {"if_then_else", 3, "te::if_then_else({}, {}, {})", "te.if_then_else({}, {}, {})"},
  };
  return rows;
}

const std::vector<ReducerRow>& reducers() {
  static const std::vector<ReducerRow> rows = {
      {"sum", 1, ReducerRow::kNumbers, false},
      {"prod", 1, ReducerRow::kNumbers, false},
      {"max", 1, ReducerRow::kNumbers, false},
      {"min", 1, ReducerRow::kNumbers, false},
      {"any", 1, ReducerRow::kBools, false},
      {"all", 1, ReducerRow::kBools, false},
      {"argmax", 2, ReducerRow::kNumbers, false},
      {"argmin", 2, ReducerRow::kNumbers, false},
      // A step that is declared associative and commutative.
      {"xor_all", 1, ReducerRow::kIntegers, true},
      // Declared nothing: its terms must stay in order.
      {"horner", 1, ReducerRow::kIntegers, true},
      // Composition of x -> a*x + b: associative, not commutative.
      {"compose", 2, ReducerRow::kIntegers, true},
      {"sum_and_max", 2, ReducerRow::kNumbers, true},
  };
  return rows;
}

const TermOp* find_term_op(std::string_view name) {
  for (const TermOp& row : term_ops()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const ReducerRow* find_reducer(std::string_view name) {
  for (const ReducerRow& row : reducers()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Term dim_term(const Dim& dim) {
  if (dim.size.empty()) return const_term(kInt64, dim.value);
  if (dim.value == 0) return size_term(dim.size);
  return op_term("add", kInt64, {size_term(dim.size), const_term(kInt64, dim.value)});
}

int64_t num_outputs(const StageSpec& stage) {
  if (!stage.steps.empty()) return static_cast<int64_t>(stage.values.size());
  const ReducerRow* row = find_reducer(stage.reducer);
  return row ? row->outputs : 1;
}

std::vector<Dim> result_shape(const StageSpec& stage) {
  std::vector<Dim> shape = stage.shape;
  if (!stage.steps.empty()) shape.insert(shape.begin() + stage.step_axis, stage.steps[0]);
  return shape;
}

namespace {

void add_features(const Term& term, std::set<std::string>& found) {
  found.insert("dtype " + to_string(term.dtype));
  if (!term.rule.empty()) found.insert("boundary " + term.rule);
  for (const Term& arg : term.args) add_features(arg, found);
}

}  // namespace

std::set<std::string> features(const ProgramSpec& spec) {
  std::set<std::string> found;
  if (!spec.assumptions.empty()) found.insert("assumption");
  if (!spec.sizes.empty() && !spec.sizes[0].empty()) found.insert("symbolic size");
  for (const InputSpec& input : spec.inputs) found.insert("dtype " + to_string(input.dtype));
  std::set<std::string> scans;
  for (const StageSpec& stage : spec.stages) {
    for (const Term& term : stage.values) add_features(term, found);
    for (const Term& term : stage.where) add_features(term, found);
    if (!stage.reducer.empty()) found.insert("reducer " + stage.reducer);
    if (stage.steps.empty()) continue;
    scans.insert(stage.name);
    found.insert(fmt::format("scan of {} states", stage.values.size()));
  }
  const std::function<bool(const Term&)> reads_scan = [&](const Term& term) {
    return (term.op == "load" && scans.count(term.name)) ||
           std::any_of(term.args.begin(), term.args.end(), reads_scan);
  };
  for (const StageSpec& stage : spec.stages) {
    if (std::any_of(stage.values.begin(), stage.values.end(), reads_scan)) {
      found.insert("reads a scan");
    }
  }
  return found;
}

std::vector<std::string> expected_features() {
  std::vector<std::string> names;
  for (const ReducerRow& row : reducers()) names.push_back("reducer " + std::string(row.name));
  for (const DType dtype : {kFloat32, kFloat16, kBFloat16, kFloat64, kInt8, kInt16, kInt32, kInt64,
                            kUInt8, kUInt16, kUInt32, kUInt64, kBool}) {
    names.push_back("dtype " + to_string(dtype));
  }
  return names;
}

namespace {

int64_t term_weight(const Term& term) {
  int64_t weight = term.op == "const" && term.value == 1 ? 1 : 2;
  if (!term.rule.empty()) ++weight;
  for (const Term& arg : term.args) weight += term_weight(arg);
  return weight;
}

int64_t dims_weight(const std::vector<Dim>& dims) {
  int64_t weight = 0;
  for (const Dim& dim : dims) weight += 1 + (dim.size.empty() ? 0 : 20) + dim.value;
  return weight;
}

}  // namespace

int64_t program_weight(const ProgramSpec& spec) {
  int64_t weight = static_cast<int64_t>(spec.sizes.size());
  for (const Sizes& sizes : spec.sizes) {
    for (const auto& [name, value] : sizes) weight += value;
  }
  for (const Term& term : spec.assumptions) weight += 2 + term_weight(term);
  for (const InputSpec& input : spec.inputs) {
    weight += 2 + dims_weight(input.shape) + (input.dtype == kFloat32 ? 0 : 1);
  }
  for (const StageSpec& stage : spec.stages) {
    weight += 10 + dims_weight(stage.shape) + dims_weight(stage.reduce);
    for (const Term& term : stage.values) weight += term_weight(term);
    for (const Term& term : stage.where) weight += 2 + term_weight(term);
    weight += dims_weight(stage.steps) + (stage.steps.empty() ? 0 : 5);
    for (const Term& term : stage.init) weight += 3 + term_weight(term);
    weight += stage.accumulate.empty() ? 0 : 1;
  }
  return weight;
}

}  // namespace tilewright::fuzz
