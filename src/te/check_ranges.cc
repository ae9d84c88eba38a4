#include <optional>

#include "te/checks.h"
#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::te::detail {
namespace {

constexpr int64_t kMaxPoints = 4096;

Expr int64(int64_t value) { return ir::make_int(kInt64, value); }

struct AxisRange {
  Var var;
  Expr min, extent;
};

// One value of an index that is really reached, and the iteration where.
struct Extreme {
  Expr value;
  std::vector<std::pair<Var, Expr>> at;
};

class RangeCheck : public ir::Visitor {
 public:
  RangeCheck(ComputeOp& op) : op_(op) {
    for (size_t d = 0; d < op.axes.size(); ++d) add(op.axes[d], int64(0), op.shape[d]);
    for (size_t a = 0; a < op.reduce_axes.size(); ++a) {
      add(op.reduce_axes[a], op.reduce_domains[a].min, op.reduce_domains[a].extent);
    }
  }

  /// Some axis has constant extent 0, so nothing is ever read.
  bool empty() const { return empty_; }

 protected:
  using Visitor::visit_node;

  // Only the condition surely happens.
  void visit_node(const ir::IfThenElseNode& node) override {
    const auto* before = node.true_value.as<ir::LoadNode>();
    if (op_.scan && before && inner_definition_of(before->buffer.get())) {
      visit_state(*before, node.false_value);
    } else {
      visit(node.condition);
    }
  }
  // An index through a let variable is not followed.
  void visit_node(const ir::LetNode& node) override { visit(node.value); }

  void visit_node(const ir::LoadNode& node) override {
    for (size_t d = 0; d < node.indices.size(); ++d) check(node, d);
    visit_children(node);
  }

 private:
  // A state is read as the step before left it, in step 0 as it begins; both happen, at any element.
  void visit_state(const ir::LoadNode& before, const Expr& at_first) {
    const auto* scan = static_cast<const ScanOp*>(op_.scan);
    const int64_t stage = inner_definition_of(before.buffer.get())->value_index;
    for (size_t d = 0; d < before.indices.size(); ++d) {
      if (static_cast<int64_t>(d) == scan->stages[static_cast<size_t>(stage)].axis) continue;
      check(before, d);
      visit(before.indices[d]);
    }
    visit(at_first);
  }

  void add(const Var& var, const Expr& min, const Expr& extent) {
    axes_.push_back({var, min, extent});
    facts_.bind(var, {min, extent});
    // A read is only wrong where it happens: all extents are at least 1.
    facts_.assume(extent >= int64(1));
    bind_sizes(facts_, min + extent);
    empty_ = empty_ || ir::is_const_int(extent, 0);
  }

  bool is_axis(const Expr& e) const {
    for (const AxisRange& axis : axes_) {
      if (axis.var.same_as(e)) return true;
    }
    return false;
  }

  void check(const ir::LoadNode& load, size_t d) {
    const size_t known_axes = axes_.size();
    const Expr index = promises_as_axes(load.indices[d]);
    check_index(load, d, index);
    axes_.resize(known_axes);
  }

  // What assume promises the range of is as good as an axis over that range.
  Expr promises_as_axes(const Expr& index) {
    std::vector<const ir::CallNode*> promises;
    ir::walk_exprs(index, [&](const Expr& e) {
      const auto* call = e.as<ir::CallNode>();
      if (call && call->intrinsic == ir::Intrinsic::kAssumeRange) promises.push_back(call);
    });
    if (promises.empty()) return index;
    return ReplacePromises(*this).mutate(index);
  }

  class ReplacePromises : public ir::Mutator {
   public:
    explicit ReplacePromises(RangeCheck& check) : check_(check) {}
    using Mutator::mutate;

   protected:
    using Mutator::mutate_node;
    Expr mutate_node(const ir::CallNode& node, const Expr& self) override {
      if (node.intrinsic != ir::Intrinsic::kAssumeRange) return mutate_children(node, self);
      const Var value("assumed value", kInt64);
      check_.add(value, node.args[1], node.args[2] - node.args[1]);
      return value;
    }

   private:
    RangeCheck& check_;
  };

  void check_index(const ir::LoadNode& load, size_t d, const Expr& index) {
    const Expr& extent = load.buffer->shape[d];
    arith::Analyzer facts = facts_;
    bind_sizes(facts, extent);
    bind_sizes(facts, index);
    if (facts.can_prove(index >= int64(0)) && facts.can_prove(index < extent)) return;
    std::optional<std::pair<Extreme, Extreme>> reached = affine_extremes(facts, index);
    if (!reached) reached = enumerated_extremes(index);
    if (!reached) return;
    const auto& [low, high] = *reached;
    if (facts.can_prove(low.value < int64(0))) fail_read(load, d, low);
    if (facts.can_prove(high.value >= extent)) fail_read(load, d, high);
    require(facts, low.value >= int64(0));
    require(facts, high.value < extent);
  }

  // An affine index takes its extremes at corners of the domain, exactly.
  std::optional<std::pair<Extreme, Extreme>> affine_extremes(const arith::Analyzer& facts,
                                                             const Expr& index) const {
    const arith::LinearForm form = facts.linear_form(index);
    Extreme low, high;
    ir::VarMap low_map, high_map;
    for (const auto& [term, coefficient] : form.terms) {
      if (!is_axis(term)) {
        if (non_size_part(term).defined()) return std::nullopt;
        continue;
      }
      for (const AxisRange& axis : axes_) {
        if (!axis.var.same_as(term)) continue;
        const Expr last = facts.simplify(axis.min + axis.extent - int64(1));
        low_map[axis.var] = coefficient > 0 ? axis.min : last;
        high_map[axis.var] = coefficient > 0 ? last : axis.min;
        low.at.emplace_back(axis.var, low_map[axis.var]);
        high.at.emplace_back(axis.var, high_map[axis.var]);
      }
    }
    const Expr linear = arith::from_linear_form(form);
    low.value = facts.simplify(ir::substitute(linear, low_map));
    high.value = facts.simplify(ir::substitute(linear, high_map));
    return std::make_pair(low, high);
  }

  // Any other index of few constant axes is tried on all of them.
  std::optional<std::pair<Extreme, Extreme>> enumerated_extremes(const Expr& index) const {
    std::vector<std::pair<Var, int64_t>> point;
    std::vector<std::pair<int64_t, int64_t>> ranges;
    int64_t points = 1;
    bool closed = true;
    ir::walk_exprs(index, [&](const Expr& e) {
      closed = closed && !e.as<ir::LoadNode>() && (!e.as<ir::VarNode>() || is_axis(e));
    });
    if (!closed) return std::nullopt;
    for (const Var& var : ir::free_vars(index)) {
      for (const AxisRange& axis : axes_) {
        if (!axis.var.same_as(var)) continue;
        const int64_t* min = ir::as_const_int(axis.min);
        const int64_t* extent = ir::as_const_int(axis.extent);
        if (!min || !extent || *extent > kMaxPoints) return std::nullopt;
        points *= *extent;
        if (points > kMaxPoints) return std::nullopt;
        point.emplace_back(var, *min);
        ranges.emplace_back(*min, *extent);
      }
    }
    Extreme low, high;
    int64_t smallest = INT64_MAX, largest = INT64_MIN;
    for (int64_t p = 0; p < points; ++p) {
      int64_t rest = p;
      for (size_t v = 0; v < point.size(); ++v) {
        point[v].second = ranges[v].first + rest % ranges[v].second;
        rest /= ranges[v].second;
      }
      const int64_t value = ir::evaluate_int(index, point);
      if (value < smallest) low = {int64(smallest = value), as_exprs(point)};
      if (value > largest) high = {int64(largest = value), as_exprs(point)};
    }
    return std::make_pair(low, high);
  }

  static std::vector<std::pair<Var, Expr>> as_exprs(
      const std::vector<std::pair<Var, int64_t>>& point) {
    std::vector<std::pair<Var, Expr>> result;
    for (const auto& [var, value] : point) result.emplace_back(var, int64(value));
    return result;
  }

  void require(const arith::Analyzer& facts, const Expr& condition) {
    if (facts.can_prove(condition) || non_size_part(condition).defined()) return;
    const Expr simple = facts.simplify(condition);
    if (ir::as_const_int(simple)) return;
    for (const Expr& known : op_.preconditions) {
      if (ir::structural_equal(known, simple)) return;
    }
    op_.preconditions.push_back(simple);
  }

  [[noreturn]] void fail_read(const ir::LoadNode& load, size_t d, const Extreme& extreme) const {
    std::string where;
    for (const auto& [var, value] : extreme.at) {
      where += fmt::format("{}{} = {}", where.empty() ? " at " : ", ", var.name(), shown(value));
    }
    fail("te.out_of_range",
         "compute '{}' reads {} out of range: index {} ({}) is {}{}, but '{}' has extent {} there. "
         "Shrink the shape, or read through a boundary condition (te::constant_exterior, "
         "repeat_edge, ...) or below if_then_else",
         op_.name, shown(Expr(&load)), d, shown(load.indices[d]), shown(extreme.value), where,
         load.buffer->name, shown(load.buffer->shape[d]));
  }

  ComputeOp& op_;
  std::vector<AxisRange> axes_;
  arith::Analyzer facts_;
  bool empty_ = false;
};

}  // namespace

void check_ranges(ComputeOp& op) {
  RangeCheck check(op);
  if (check.empty()) return;
  // A masked term is only evaluated where the mask is true.
  if (op.where.defined()) {
    check.visit(op.where);
    return;
  }
  for (const Expr& value : op.values) check.visit(value);
}

}  // namespace tilewright::te::detail
