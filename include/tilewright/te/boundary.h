#pragma once

#include <memory>
#include <vector>

#include "tilewright/te/tensor.h"

namespace tilewright::te {

/// A tensor that may be read at any integer index: what lies outside is defined by a rule. No tensor of
/// its own, so nothing is stored; each read becomes an expression on the tensor. Where the ranges of the
/// axes in an index show that it stays inside, the read is a plain one.
///
///     auto in = te::repeat_edge(A);
///     te::compute({n}, [&](Var i) { return in(i - 1) + in(i) + in(i + 1); });
///
/// A rule holds for all dimensions, or for those listed; in the others an index must stay inside, or another
/// rule holds for them:
///
///     auto in = te::repeat_edge(te::constant_exterior(A, 0.0f, {0}), {1});
///
/// A rule that reads the tensor outside (all but constant_exterior) needs at least one element.
class Boundary {
 public:
  enum class Rule : uint8_t {
    kConstant,
    kRepeatEdge,
    kMirrorImage,
    kMirrorInterior,
    kRepeatImage,
  };
  Boundary(Tensor tensor, Rule rule, Expr value, std::vector<int> dims = {});
  /// Where this rule leaves an index outside, `inner` decides.
  Boundary(Boundary inner, Rule rule, Expr value, std::vector<int> dims = {});

  template <Index... I>
  Expr operator()(I&&... indices) const {
    return at(std::vector<Expr>{Expr(std::forward<I>(indices))...});
  }
  Expr operator()(const std::vector<Expr>& indices) const { return at(indices); }
  Expr operator()(const std::vector<Var>& indices) const {
    return at(std::vector<Expr>(indices.begin(), indices.end()));
  }
  Expr at(const std::vector<Expr>& indices) const;

 private:
  void check() const;
  bool applies(size_t dim) const;

  Tensor tensor_;
  Rule rule_;
  Expr value_;
  std::vector<int> dims_;                  ///< empty: all
  std::shared_ptr<const Boundary> inner_;  ///< null: the tensor itself
};

/// `value` outside (numpy.pad "constant").
Boundary constant_exterior(Tensor tensor, Expr value, std::vector<int> dims = {});
Boundary constant_exterior(Boundary inner, Expr value, std::vector<int> dims = {});
/// The nearest element (numpy.pad "edge").
Boundary repeat_edge(Tensor tensor, std::vector<int> dims = {});
Boundary repeat_edge(Boundary inner, std::vector<int> dims = {});
/// ... 1 0 | 0 1 2 | 2 1 0 | 0 ... (numpy.pad "symmetric").
Boundary mirror_image(Tensor tensor, std::vector<int> dims = {});
Boundary mirror_image(Boundary inner, std::vector<int> dims = {});
/// ... 2 1 | 0 1 2 | 1 0 1 ... (numpy.pad "reflect").
Boundary mirror_interior(Tensor tensor, std::vector<int> dims = {});
Boundary mirror_interior(Boundary inner, std::vector<int> dims = {});
/// ... 1 2 | 0 1 2 | 0 1 2 ... (numpy.pad "wrap").
Boundary repeat_image(Tensor tensor, std::vector<int> dims = {});
Boundary repeat_image(Boundary inner, std::vector<int> dims = {});

}  // namespace tilewright::te
