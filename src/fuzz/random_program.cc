#include <algorithm>
#include <cmath>

#include "fuzz/random_terms.h"
#include "tilewright/support/error.h"

namespace tilewright::fuzz {
namespace {

constexpr int64_t kMostElements = 700;     // of a tensor
constexpr int64_t kMostIterations = 3000;  // of a stage

// Draws inputs and stages; the stages read what is there already, mostly the newest.
class ProgramMaker {
 public:
  explicit ProgramMaker(Rng& rng) : rng_(rng) {}

  ProgramSpec make() {
    draw_pool();
    const int inputs = static_cast<int>(rng_.between(1, 2));
    for (int i = 0; i < inputs; ++i) add_input(some_shape(i == 0 && !sizes_.empty()), some_dtype());
    const int64_t stages = chance(25) ? 1 : rng_.between(2, 4);
    for (int64_t i = 0; i < stages; ++i) add_stage();
    if (chance(8)) add_inexact_stage();
    choose_outputs();
    return spec_;
  }

 private:
  bool chance(int percent) { return rng_.below(100) < static_cast<uint64_t>(percent); }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[rng_.below(items.size())];
  }
  TermMaker terms(std::vector<Dim> axes) { return {rng_, known_, std::move(axes)}; }

  DType some_dtype() {
    static const std::vector<DType> dtypes = {kFloat32, kFloat32, kFloat32,  kFloat32, kFloat32,
                                              kFloat32, kFloat16, kBFloat16, kFloat64, kInt8,
                                              kInt16,   kInt32,   kInt32,    kInt32,   kInt64,
                                              kUInt8,   kUInt16,  kUInt32,   kUInt64,  kBool};
    // Mostly one dtype a program: values flow without being cut down.
    return chance(60) ? main_dtype_ : pick(dtypes);
  }

  int64_t some_extent() {
    if (chance(3)) return 0;
    if (chance(8)) return 1;
    return chance(75) ? rng_.between(2, 9) : rng_.between(10, 17);
  }

  void draw_pool() {
    main_dtype_ = kFloat32;
    if (chance(35)) {
      static const std::vector<DType> others = {kInt32, kInt32, kFloat16, kFloat64, kInt8,
                                                kUInt8, kInt64, kUInt32,  kBFloat16};
      main_dtype_ = pick(others);
    }
    pool_ = {{"", some_extent()}, {"", some_extent()}};
    if (chance(40)) pool_.push_back({"", rng_.between(2, 6)});
    if (chance(28)) sizes_.emplace_back("n");
    if (!sizes_.empty() && chance(25)) sizes_.emplace_back("m");
    for (const std::string& name : sizes_) pool_.insert(pool_.begin(), {name, 0});
    if (sizes_.empty()) return;
    spec_.sizes.clear();
    const int64_t instances = rng_.between(2, 3);
    for (int64_t i = 0; i < instances; ++i) {
      Sizes sizes;
      for (const std::string& name : sizes_) {
        sizes[name] = i == 0 ? rng_.between(3, 13) : rng_.between(0, 9);
        largest_ = std::max(largest_, sizes[name]);
      }
      spec_.sizes.push_back(sizes);
    }
  }

  int64_t most(const Dim& dim) const { return (dim.size.empty() ? 0 : largest_) + dim.value; }
  int64_t most(const std::vector<Dim>& dims) const {
    int64_t product = 1;
    for (const Dim& dim : dims) product *= std::max<int64_t>(1, most(dim));
    return product;
  }

  std::vector<Dim> some_shape(bool all_sizes = false) {
    std::vector<Dim> shape;
    const int64_t rank = chance(4) ? 0 : chance(60) ? 2 : chance(60) ? 1 : 3;
    if (all_sizes) {
      for (const std::string& name : sizes_) shape.push_back({name, 0});
    }
    while (static_cast<int64_t>(shape.size()) < rank) shape.push_back(pick(pool_));
    while (most(shape) > kMostElements) shape.pop_back();
    return shape;
  }

  const Known& add_input(std::vector<Dim> shape, DType dtype) {
    const std::string name = fmt::format("A{}", spec_.inputs.size());
    spec_.inputs.push_back({name, dtype, shape});
    known_.push_back({name, 0, dtype, std::move(shape), dtype.is_bool() ? 1.0 : 4.0});
    return known_.back();
  }

  std::string stage_name() const { return fmt::format("S{}", spec_.stages.size()); }

  void finish(StageSpec stage, const std::vector<double>& bounds) {
    stage.name = stage_name();
    for (size_t v = 0; v < bounds.size(); ++v) {
      DType dtype = stage.values[v < stage.values.size() ? v : 0].dtype;
      const bool pick_index = stage.reducer == "argmax" || stage.reducer == "argmin";
      if (pick_index && v == 0) dtype = kInt64;
      if (!stage.accumulate.empty()) dtype = parse_dtype(stage.accumulate);
      known_.push_back({stage.name, static_cast<int64_t>(v), dtype, stage.shape, bounds[v]});
    }
    spec_.stages.push_back(std::move(stage));
  }

  void add_stage() {
    const int64_t draw = rng_.between(0, 99);
    if (draw < 34) return add_pointwise();
    if (draw < 56) return add_stencil();
    if (draw < 80) return add_reduction();
    return draw < 91 ? add_matmul() : add_convolution();
  }

  void add_pointwise() {
    StageSpec stage;
    stage.shape = chance(75) ? known_.back().shape : some_shape();
    if (chance(20) && stage.shape.size() == 2) std::swap(stage.shape[0], stage.shape[1]);
    const Bounded value =
        terms(stage.shape).value(some_dtype(), static_cast<int>(rng_.between(1, 3)));
    stage.values = {value.term};
    finish(stage, {value.bound});
  }

  void add_stencil() {
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

  // Sets the reducer for the terms and what follows from it: accumulator and bounds.
  void reduce_with(StageSpec stage, Bounded term, TermMaker& maker) {
    const DType dtype = term.term.dtype;
    std::vector<const ReducerRow*> fitting;
    for (const ReducerRow& row : reducers()) {
      const bool legal = dtype.is_bool() ? row.values == ReducerRow::kBools
                         : row.values == ReducerRow::kBools
                             ? false
                             : row.values == ReducerRow::kNumbers || dtype.is_integer();
      if (legal) fitting.push_back(&row);
    }
    const ReducerRow* row = chance(55) ? fitting[0] : pick(fitting);
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

  void add_reduction() {
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

  void add_matmul() {
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

  // One or two dimensions of a window that slides with a stride.
  void add_convolution() {
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

  // Maths functions, whose last digits depend on how they are computed; nothing reads the result.
  void add_inexact_stage() {
    StageSpec stage;
    stage.shape = known_.back().shape;
    TermMaker maker = terms(stage.shape);
    static const std::vector<std::string> functions = {"exp", "sqrt", "tanh", "sigmoid", "div"};
    const std::string& op = pick(functions);
    std::vector<Term> args = {maker.clamped(maker.value(kFloat32, 1), 8).term};
    if (op == "div") args.push_back(maker.value(kFloat32, 1).term);
    stage.values = {op_term(op, kFloat32, args)};
    spec_.tolerance = 1e-5;
    finish(stage, {1});
  }

  static void collect_reads(const Term& term, std::vector<std::string>& names) {
    if (term.op == "load") names.push_back(term.name);
    for (const Term& arg : term.args) collect_reads(arg, names);
  }

  void choose_outputs() {
    std::vector<std::string> read;
    for (const StageSpec& stage : spec_.stages) {
      for (const Term& term : stage.values) collect_reads(term, read);
      for (const Term& term : stage.where) collect_reads(term, read);
    }
    for (StageSpec& stage : spec_.stages) {
      const bool is_read = std::find(read.begin(), read.end(), stage.name) != read.end();
      stage.output = !is_read || chance(10);
    }
  }

  Rng& rng_;
  ProgramSpec spec_;
  std::vector<Known> known_;
  std::vector<Dim> pool_;
  std::vector<std::string> sizes_;
  int64_t largest_ = 0;
  DType main_dtype_ = kFloat32;
};

}  // namespace

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
