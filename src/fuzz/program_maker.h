#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/random_terms.h"

namespace tilewright::fuzz {

/// Draws inputs and stages; the stages read what is there already, mostly the newest.
class ProgramMaker {
 public:
  explicit ProgramMaker(Rng& rng) : rng_(rng) {}
  ProgramSpec make();

 private:
  static constexpr int64_t kMostElements = 700;     // of a tensor
  static constexpr int64_t kMostIterations = 3000;  // of a stage

  bool chance(int percent) { return rng_.below(100) < static_cast<uint64_t>(percent); }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[rng_.below(items.size())];
  }
  TermMaker terms(std::vector<Dim> axes) { return {rng_, known_, std::move(axes)}; }
  DType some_dtype();
  int64_t some_extent();
  void draw_pool();
  // A guarantee about a size, which the values that are run keep.
  void add_assumption();
  int64_t most(const Dim& dim) const { return (dim.size.empty() ? 0 : largest_) + dim.value; }
  int64_t most(const std::vector<Dim>& dims) const {
    int64_t product = 1;
    for (const Dim& dim : dims) product *= std::max<int64_t>(1, most(dim));
    return product;
  }
  std::vector<Dim> some_shape(bool all_sizes = false);
  const Known& add_input(std::vector<Dim> shape, DType dtype);
  std::string stage_name() const { return fmt::format("S{}", spec_.stages.size()); }
  void finish(StageSpec stage, const std::vector<double>& bounds);
  void add_stage();
  void add_pointwise();
  void add_stencil();
  // Sets the reducer for the terms and what follows from it: accumulator and bounds.
  void reduce_with(StageSpec stage, Bounded term, TermMaker& maker);
  void add_reduction();
  void add_matmul();
  // One or two dimensions of a window that slides with a stride.
  void add_convolution();
  // A recurrence of one or several states along a dimension of a tensor that is read, or along one of its own.
  void add_scan();
  // Floats that flow from step to step must stay exact.
  static Bounded limited(Bounded value, DType dtype, TermMaker& maker);
  Bounded combined(Bounded a, Bounded b, DType dtype);
  // A state where the step before left it: here, or at the other end of a dimension.
  Term state_term(const StageSpec& stage, int64_t state, DType dtype);
  // Maths functions, whose last digits depend on how they are computed, or a NaN; nothing reads the result.
  void add_inexact_stage();
  static void collect_reads(const Term& term, std::vector<std::string>& names);
  void choose_outputs();

  Rng& rng_;
  ProgramSpec spec_;
  std::vector<Known> known_;
  std::vector<Dim> pool_;
  std::vector<std::string> sizes_;
  int64_t largest_ = 0;
  DType main_dtype_ = kFloat32;
};

}  // namespace tilewright::fuzz
