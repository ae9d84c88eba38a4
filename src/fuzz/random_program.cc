#include <fmt/format.h>

#include <algorithm>

#include "fuzz/program_maker.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {

ProgramSpec ProgramMaker::make() {
  draw_pool();
  const int inputs = static_cast<int>(rng_.between(1, 2));
  for (int i = 0; i < inputs; ++i) add_input(some_shape(i == 0 && !sizes_.empty()), some_dtype());
  const int64_t stages = chance(25) ? 1 : rng_.between(2, 4);
  for (int64_t i = 0; i < stages; ++i) add_stage();
  if (chance(8)) add_inexact_stage();
  choose_outputs();
  return spec_;
}

DType ProgramMaker::some_dtype() {
  static const std::vector<DType> dtypes = {kFloat32, kFloat32, kFloat32,  kFloat32, kFloat32,
                                            kFloat32, kFloat16, kBFloat16, kFloat64, kInt8,
                                            kInt16,   kInt32,   kInt32,    kInt32,   kInt64,
                                            kUInt8,   kUInt16,  kUInt32,   kUInt64,  kBool};
  // Mostly one dtype a program: values flow without being cut down.
  return chance(60) ? main_dtype_ : pick(dtypes);
}

int64_t ProgramMaker::some_extent() {
  if (chance(3)) return 0;
  if (chance(8)) return 1;
  return chance(75) ? rng_.between(2, 9) : rng_.between(10, 17);
}

void ProgramMaker::draw_pool() {
  main_dtype_ = kFloat32;
  if (chance(35)) {
    static const std::vector<DType> others = {kInt32, kInt32, kFloat16, kFloat64, kInt8,
                                              kUInt8, kInt64, kUInt32,  kBFloat16};
    main_dtype_ = pick(others);
  }
  pool_ = {{"", some_extent()}, {"", some_extent()}};
  if (chance(40)) pool_.push_back({"", rng_.between(2, 6)});
  if (chance(33)) sizes_.emplace_back("n");
  if (!sizes_.empty() && chance(25)) sizes_.emplace_back("m");
  for (const std::string& name : sizes_) pool_.insert(pool_.begin(), {name, 0});
  if (sizes_.empty()) return;
  spec_.sizes.clear();
  const int64_t instances = rng_.between(2, 3);
  for (int64_t i = 0; i < instances; ++i) {
    Sizes sizes;
    for (const std::string& name : sizes_) {
      sizes[name] = i == 0 ? rng_.between(3, 13) : rng_.between(0, 9);
    }
    spec_.sizes.push_back(sizes);
  }
  if (chance(35)) add_assumption();
  for (const Sizes& sizes : spec_.sizes) {
    for (const auto& [name, value] : sizes) largest_ = std::max(largest_, value);
  }
}

void ProgramMaker::add_assumption() {
  const std::string& name = pick(sizes_);
  const Term size = size_term(name);
  const int64_t draw = rng_.between(0, 99);
  if (draw < 45) {
    const int64_t by = rng_.between(2, 4);
    const Term rest = op_term("floor_mod", kInt64, {size, const_term(kInt64, by)});
    spec_.assumptions = {op_term("eq", kBool, {rest, const_term(kInt64, 0)})};
    for (Sizes& sizes : spec_.sizes) sizes[name] = (sizes[name] + by - 1) / by * by;
  } else if (draw < 80 || sizes_.size() < 2) {
    const int64_t least = rng_.between(1, 4);
    spec_.assumptions = {op_term("le", kBool, {const_term(kInt64, least), size})};
    for (Sizes& sizes : spec_.sizes) sizes[name] = std::max(sizes[name], least);
  } else {
    spec_.assumptions = {op_term("le", kBool, {size_term(sizes_[1]), size_term(sizes_[0])})};
    for (Sizes& sizes : spec_.sizes) {
      sizes[sizes_[1]] = std::min(sizes[sizes_[0]], sizes[sizes_[1]]);
    }
  }
}

std::vector<Dim> ProgramMaker::some_shape(bool all_sizes) {
  std::vector<Dim> shape;
  const int64_t rank = chance(4) ? 0 : chance(60) ? 2 : chance(60) ? 1 : 3;
  if (all_sizes) {
    for (const std::string& name : sizes_) shape.push_back({name, 0});
  }
  while (static_cast<int64_t>(shape.size()) < rank) shape.push_back(pick(pool_));
  while (most(shape) > kMostElements) shape.pop_back();
  return shape;
}

const Known& ProgramMaker::add_input(std::vector<Dim> shape, DType dtype) {
  const std::string name = fmt::format("A{}", spec_.inputs.size());
  spec_.inputs.push_back({name, dtype, shape});
  known_.push_back({name, 0, dtype, std::move(shape), dtype.is_bool() ? 1.0 : 4.0});
  return known_.back();
}

void ProgramMaker::finish(StageSpec stage, const std::vector<double>& bounds) {
  stage.name = stage_name();
  for (size_t v = 0; v < bounds.size(); ++v) {
    DType dtype = stage.values[v < stage.values.size() ? v : 0].dtype;
    const bool pick_index = stage.reducer == "argmax" || stage.reducer == "argmin";
    if (pick_index && v == 0) dtype = kInt64;
    if (!stage.accumulate.empty()) dtype = parse_dtype(stage.accumulate);
    known_.push_back({stage.name, static_cast<int64_t>(v), dtype, result_shape(stage), bounds[v]});
  }
  spec_.stages.push_back(std::move(stage));
}

void ProgramMaker::add_stage() {
  const int64_t draw = rng_.between(0, 99);
  if (draw < 31) return add_pointwise();
  if (draw < 53) return add_stencil();
  if (draw < 76) return add_reduction();
  if (draw < 86) return add_matmul();
  return draw < 93 ? add_convolution() : add_scan();
}

void ProgramMaker::add_pointwise() {
  StageSpec stage;
  stage.shape = chance(75) ? known_.back().shape : some_shape();
  if (chance(20) && stage.shape.size() == 2) std::swap(stage.shape[0], stage.shape[1]);
  const Bounded value =
      terms(stage.shape).value(some_dtype(), static_cast<int>(rng_.between(1, 3)));
  stage.values = {value.term};
  finish(stage, {value.bound});
}

void ProgramMaker::add_inexact_stage() {
  StageSpec stage;
  stage.shape = known_.back().shape;
  TermMaker maker = terms(stage.shape);
  if (chance(35)) {
    // 1, or NaN where the data is 0.
    const Term data = maker.value(kFloat32, 0).term;
    Term ratio = op_term("div", kFloat32, {data, data});
    stage.values = {op_term(chance(65) ? "max" : "min", kFloat32,
                            {std::move(ratio), maker.value(kFloat32, 1).term})};
    return finish(stage, {1});
  }
  static const std::vector<std::string> functions = {"exp", "sqrt", "tanh", "sigmoid", "div"};
  const std::string& op = pick(functions);
  std::vector<Term> args = {maker.clamped(maker.value(kFloat32, 1), 8).term};
  if (op == "div") args.push_back(maker.value(kFloat32, 1).term);
  stage.values = {op_term(op, kFloat32, args)};
  spec_.tolerance = 1e-5;
  finish(stage, {1});
}

void ProgramMaker::collect_reads(const Term& term, std::vector<std::string>& names) {
  if (term.op == "load") names.push_back(term.name);
  for (const Term& arg : term.args) collect_reads(arg, names);
}

void ProgramMaker::choose_outputs() {
  std::vector<std::string> read;
  for (const StageSpec& stage : spec_.stages) {
    for (const Term& term : stage.values) collect_reads(term, read);
    for (const Term& term : stage.where) collect_reads(term, read);
    for (const Term& term : stage.init) collect_reads(term, read);
  }
  for (StageSpec& stage : spec_.stages) {
    const bool is_read = std::find(read.begin(), read.end(), stage.name) != read.end();
    stage.output = !is_read || chance(10);
  }
}

ProgramSpec random_program(Rng& rng) {
  constexpr int kAttempts = 200;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ProgramSpec spec = ProgramMaker(rng).make();
    try {
      build_program(spec);
      return spec;
    } catch (const Error& error) {
      // te refuses some draws (a read that is surely outside, argmax over nothing): draw again.
      if (error.code() == "internal" || error.code().starts_with("fuzz.")) throw;
    }
  }
  fail("fuzz.program", "none of {} random programs is accepted by te", kAttempts);
}

}  // namespace tilewright::fuzz
