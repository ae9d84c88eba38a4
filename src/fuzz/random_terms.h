#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fuzz/terms.h"
#include "tilewright/support/rng.h"

namespace tilewright::fuzz {

/// A tensor that may be read.
struct Known {
  std::string name;
  int64_t output = 0;
  DType dtype;
  std::vector<Dim> shape;
  double bound = 4;  ///< largest finite magnitude of its elements
};

/// An expression and the largest finite magnitude it takes.
struct Bounded {
  Term term;
  double bound = 0;
};

/// Draws the expressions of one stage. Floats stay small integers, so that neither the order of a sum nor a
/// fused multiply-add changes a bit; integers may wrap.
class TermMaker {
 public:
  /// `axes`: extents of the stage's output and reduce axes.
  TermMaker(Rng& rng, const std::vector<Known>& known, std::vector<Dim> axes)
      : rng_(rng), known_(known), axes_(std::move(axes)) {}

  Bounded value(DType dtype, int depth);
  Term condition(int depth);
  /// A read of the tensor somewhere, in bounds for every iteration.
  Bounded load(const Known& tensor);
  /// A read at the given indices under a boundary condition ("" is for indices known to be inside).
  static Bounded load_at(const Known& tensor, std::vector<Term> index, std::string rule);
  /// A rule that may read a tensor of this shape outside.
  std::string boundary_rule(const std::vector<Dim>& shape);
  /// The value in `dtype`, small enough to be exact.
  Bounded convert(Bounded value, DType dtype);
  /// The value limited to [-most, most].
  Bounded clamped(Bounded value, int64_t most);

  bool chance(int percent) { return rng_.below(100) < static_cast<uint64_t>(percent); }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[rng_.below(items.size())];
  }
  const Known& some_tensor();

 private:
  Bounded leaf(DType dtype);
  Bounded arithmetic(DType dtype, int depth);
  // Whether a constant less the value is below a larger one: always, if an unsigned difference never wrapped.
  Term unsigned_difference_below(Term value);
  Bounded integer_operation(DType dtype, int depth);
  Bounded float_operation(DType dtype, int depth);
  Bounded choice(DType dtype, int depth);
  bool index_inside(const Dim& dim, size_t position, Term& index);

  Rng& rng_;
  const std::vector<Known>& known_;
  std::vector<Dim> axes_;
};

/// The largest integer up to which floats of this dtype are exact; infinity for other dtypes.
double exact_limit(DType dtype);

}  // namespace tilewright::fuzz
