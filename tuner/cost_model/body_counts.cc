#include "tuner/cost_model/body_counts.h"

#include <algorithm>
#include <cmath>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::tuner {
namespace {

using namespace ir;  // NOLINT

// Beside one vector instruction.
constexpr double kFunctionOps = 12, kDivisionOps = 8;

class CountBody final : public Visitor {
 public:
  using Visitor::visit;
  CountBody(BodyCounts& counts, const BlockRealizeNode& realize,
            const std::vector<LoopShape>& loops)
      : counts_(counts), loops_(loops), moves_(loops.size(), false) {
    for (size_t i = 0; i < realize.iter_values.size(); ++i) {
      for (size_t l = 0; l < loops.size(); ++l) {
        if (uses_var(realize.iter_values[i], loops[l].loop->var)) {
          iters_.emplace_back(realize.block->iter_vars[i].var.as<VarNode>(), l);
        }
      }
    }
  }

 protected:
  using Visitor::visit_node;
  void visit_node(const VarNode& node) override {
    for (const auto& [var, loop] : iters_) {
      if (var == &node) moves_[loop] = true;
    }
  }
  void visit_node(const LoadNode& node) override {
    // Indices decide what the value changes with; their arithmetic goes into addresses.
    const size_t before = counts_.ops.size();
    for (const Expr& index : node.indices) visit(index);
    counts_.ops.resize(before);
    counts_.accesses.push_back({node.buffer, node.indices, false});
  }
  void visit_node(const StoreNode& node) override {
    visit(node.value);
    counts_.accesses.push_back({node.buffer, node.indices, true});
  }
  void visit_node(const UpdateNode& node) override {
    counts_.updates = true;
    for (const Expr& value : node.values) {
      const auto* product = value.as<BinaryNode>();
      if (product && product->op == BinaryOp::kMul && node.values.size() == 1) {
        visit(product->a);
        visit(product->b);
      } else {
        visit(value);
      }
    }
    counts_.ops.push_back(
        {static_cast<double>(node.buffers.size()), std::vector<bool>(loops_.size(), true)});
    for (const Buffer& buffer : node.buffers) {
      counts_.accesses.push_back({buffer, node.indices, true});
    }
  }
  void visit_node(const BinaryNode& node) override {
    const bool division = node.op == BinaryOp::kDiv || node.op == BinaryOp::kFloorDiv ||
                          node.op == BinaryOp::kFloorMod;
    const bool of_indices = is_comparison(node.op) && node.a.dtype().is_int();
    count(node, of_indices ? 0 : division ? kDivisionOps : 1);
  }
  void visit_node(const SelectNode& node) override { count(node, 1); }
  void visit_node(const CallNode& node) override { count(node, kFunctionOps); }

 private:
  template <typename Node>
  void count(const Node& node, double instructions) {
    std::vector<bool> outside(loops_.size(), false);
    std::swap(outside, moves_);
    visit_children(node);
    if (instructions > 0) counts_.ops.push_back({instructions, moves_});
    for (size_t i = 0; i < moves_.size(); ++i) moves_[i] = moves_[i] || outside[i];
  }

  BodyCounts& counts_;
  const std::vector<LoopShape>& loops_;
  std::vector<std::pair<const VarNode*, size_t>> iters_;
  std::vector<bool> moves_;  // loops that what has just been visited changes with
};

struct Part {
  size_t loop;
  double step;
};

// The loops of a condition sum(step * loop) < limit, outermost part first; empty when it has another form.
std::vector<Part> parts_of(const Expr& condition, const arith::Analyzer& facts,
                           const std::vector<LoopShape>& loops, double& limit) {
  const auto* less = condition.as<BinaryNode>();
  if (!less || (less->op != BinaryOp::kLt && less->op != BinaryOp::kLe)) return {};
  const arith::LinearForm left = facts.linear_form(less->a);
  limit = extent_of(facts, less->b) + (less->op == BinaryOp::kLe ? 1 : 0) -
          static_cast<double>(left.constant);
  std::vector<Part> parts;
  for (const auto& [term, step] : left.terms) {
    const auto at = std::find_if(loops.begin(), loops.end(), [&](const LoopShape& loop) {
      return loop.loop->var.get() == term.get();
    });
    if (at == loops.end() || step <= 0) return {};
    parts.push_back({static_cast<size_t>(at - loops.begin()), static_cast<double>(step)});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.step > b.step; });
  return parts;
}

}  // namespace

void BodyCounts::count(const BlockRealizeNode& realize, const std::vector<LoopShape>& loops) {
  if (!realize.block->body.defined()) return;
  CountBody visitor(*this, realize, loops);
  visitor.visit(realize.block->body);
}

void clip_loops(const BlockRealizeNode& realize, const arith::Analyzer& facts, size_t body_depth,
                std::vector<LoopShape>& loops) {
  const auto clip = [&](const Expr& condition, size_t whole_from) {
    double limit = 0, reached = 1;
    for (const Part& part : parts_of(condition, facts, loops, limit)) {
      LoopShape& loop = loops[part.loop];
      if (part.loop >= whole_from || loop.loop->for_kind == ForKind::kVectorized) break;
      const double needed =
          std::min(reached * loop.extent, std::max(1.0, std::ceil(limit / part.step)));
      loop.extent = std::max(1.0, needed / reached);
      reached = needed;
    }
  };
  for (const Conjunct& conjunct : realize.guard) {
    const bool whole = conjunct.tail == Tail::kPad || conjunct.tail == Tail::kShiftInwards;
    clip(conjunct.cond, whole ? body_depth : loops.size());
  }
  const auto clip_all = [&](const auto& self, const Expr& condition) -> void {
    const auto* both = condition.as<BinaryNode>();
    if (both && both->op == BinaryOp::kAnd) {
      self(self, both->a);
      self(self, both->b);
    } else {
      clip(condition, loops.size());
    }
  };
  if (!realize.block->where.defined()) return;
  VarMap values;
  for (size_t i = 0; i < realize.iter_values.size(); ++i) {
    values[realize.block->iter_vars[i].var] = realize.iter_values[i];
  }
  clip_all(clip_all, substitute(realize.block->where, values));
}

}  // namespace tilewright::tuner
