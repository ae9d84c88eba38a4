#include <unordered_map>

#include "te/checks.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/error.h"

namespace tilewright::te::detail {
namespace {

constexpr double kMostOperations = 100'000;
constexpr int kDeepest = 2'000;

// Counts as if nothing were shared, in time linear in the nodes.
class CountOperations final : public ir::Visitor {
 public:
  explicit CountOperations(const std::string& what) : what_(what) {}
  double total() const { return total_; }

  using Visitor::visit;
  void visit(const Expr& expr) override {
    const auto known = counts_.find(expr.get());
    if (known != counts_.end()) {
      total_ += known->second;
      return;
    }
    if (++depth_ > kDeepest) {
      fail(
          "te.expression_too_large",
          "{}: its expression is nested more than {} deep; make a tensor of a part of it, or use a "
          "reduction over an axis",
          what_, kDeepest);
    }
    const double before = total_;
    total_ = 1;
    Visitor::visit(expr);
    counts_[expr.get()] = total_;
    total_ += before;
    --depth_;
  }

 private:
  const std::string& what_;
  std::unordered_map<const ir::Node*, double> counts_;
  double total_ = 0;
  int depth_ = 0;
};

}  // namespace

void check_expression_size(const std::string& what, const Expr& expr) {
  CountOperations count(what);
  count.visit(expr);
  if (count.total() <= kMostOperations) return;
  fail(
      "te.expression_too_large",
      "{}: its expression has {:.3g} operations when written out, more than {:.0f}; a part that is "
      "used several times should be a tensor of its own",
      what, count.total(), kMostOperations);
}

}  // namespace tilewright::te::detail
