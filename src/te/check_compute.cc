#include "te/checks.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/fault.h"

namespace tilewright::te::detail {
namespace {

// Walks the formula of a compute once: variables, divisions and reads.
class BodyCheck : public ir::Visitor {
 public:
  BodyCheck(ComputeOp& op) : op_(op), what_(fmt::format("compute '{}'", op.name)) {
    for (const Var& axis : op.axes) bound_.insert(axis);
    for (size_t a = 0; a < op.reduce_axes.size(); ++a) {
      bound_.insert(op.reduce_axes[a]);
      analyzer_.bind(op.reduce_axes[a], op.reduce_domains[a]);
    }
    for (size_t d = 0; d < op.axes.size(); ++d) analyzer_.bind_extent(op.axes[d], op.shape[d]);
  }

 protected:
  using Visitor::visit_node;

  void visit_node(const ir::VarNode& node) override {
    const Expr var(&node);
    if (bound_.count(var)) return;
    const VarDefinition* definition = definition_of(&node);
    if (definition &&
        (definition->role == VarRole::kSize || definition->role == VarRole::kScalar)) {
      return;
    }
    if (definition && definition->role == VarRole::kReduceAxis) {
      fail("te.unreduced_axis",
           "{}: reduce axis '{}' is used but not reduced; list it among the axes of the reduction, "
           "such as sum(expr, {{{}}})",
           what_, node.name, node.name);
    }
    if (definition && definition->role == VarRole::kStep) {
      fail(
          "te.unbound_variable",
          "{}: step '{}' of a scan, or a value that changes with it, is used outside of that scan; "
          "only its formulas may, others read the tensors that finish() gives",
          what_, node.name);
    }
    fail("te.unbound_variable",
         "{}: {} '{}' is {}; use the variables that the function gets, te::var for sizes and "
         "te::scalar for scalar arguments",
         what_, role_name(&node), node.name,
         definition ? "one of another compute" : "unknown to tensor expressions");
  }

  void visit_node(const ir::LetNode& node) override {
    visit(node.value);
    bound_.insert(node.var);
    visit(node.body);
    bound_.erase(node.var);
  }

  void visit_node(const ir::LoadNode& node) override {
    if (const InnerDefinition* inner = inner_definition_of(node.buffer.get())) {
      if (inner->op != op_.scan) {
        fail("te.foreign_buffer",
             "{} reads '{}', a value inside of scan '{}'; only the formulas of that scan may read "
             "it, "
             "others read the tensors that finish() gives",
             what_, node.buffer->name, inner->op->name);
      }
      visit_children(node);
      return;
    }
    if (!definition_of(node.buffer.get())) {
      fail("te.foreign_buffer",
           "{} reads buffer '{}', which is no tensor; make it with placeholder", what_,
           node.buffer->name);
    }
    bool known = false;
    for (const ir::Buffer& input : op_.inputs) known = known || input.same_as(node.buffer);
    if (!known) op_.inputs.push_back(node.buffer);
    visit_children(node);
  }

  void visit_node(const ir::BinaryNode& node) override {
    using ir::BinaryOp;
    const bool divides = node.op == BinaryOp::kFloorDiv || node.op == BinaryOp::kFloorMod ||
                         node.op == BinaryOp::kTruncDiv || node.op == BinaryOp::kTruncMod;
    if (divides && node.b.dtype().is_integer() && ir::is_const_int(analyzer_.simplify(node.b), 0)) {
      fail("te.division_by_zero", "{}: {} divides by zero", what_, shown(Expr(&node)));
    }
    visit_children(node);
  }

  void visit_node(const ir::CallNode& node) override {
    if (ir::info(node.intrinsic).effect != ir::Effect::kPure) {
      fail("te.effect", "{}: {} has an effect; a tensor expression is values alone", what_,
           ir::info(node.intrinsic).name);
    }
    visit_children(node);
  }

 private:
  ComputeOp& op_;
  const std::string what_;
  ir::VarSet bound_;
  arith::Analyzer analyzer_;
};

void check_terms(ComputeOp& op) {
  if (!op.reducer || !needs_terms(op.reducer)) return;
  for (const Expr& extent : op.shape) {
    if (ir::is_const_int(extent, 0)) return;  // no element is asked for
  }
  for (size_t a = 0; a < op.reduce_axes.size(); ++a) {
    const Expr& extent = op.reduce_domains[a].extent;
    arith::Analyzer analyzer;
    bind_sizes(analyzer, extent);
    const Expr condition = extent >= ir::make_int(kInt64, 1);
    if (analyzer.can_prove(condition)) continue;
    if (analyzer.can_prove(extent <= ir::make_int(kInt64, 0)) &&
        !has_fault(Fault::argmax_of_nothing)) {
      fail("te.empty_argmax",
           "compute '{}': {} over axis '{}', which has extent {}: there is no element to choose; "
           "give it at least one",
           op.name, op.reducer->name, op.reduce_axes[a].name(), shown(extent));
    }
    op.preconditions.push_back(condition);
  }
}

}  // namespace

void check_compute(ComputeOp& op) {
  BodyCheck check(op);
  for (const Expr& value : op.values) check.visit(value);
  if (op.where.defined()) check.visit(op.where);
  check_terms(op);
}

}  // namespace tilewright::te::detail
