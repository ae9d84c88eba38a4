#include "lower/bound_mutator.h"
#include "lower/passes/passes.h"
#include "tilewright/ir/text.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// TW_ERR_CHECK of the call ABI.
constexpr int64_t kCheckFailed = 19;

/// The tests that the expressions of one statement need, in evaluation order.
class CollectChecks final : public Visitor {
 public:
  using Visitor::visit;
  explicit CollectChecks(const arith::Analyzer& analyzer) : analyzer_(analyzer) {}
  std::vector<Stmt> checks;

  void access(const Buffer& buffer, const std::vector<Expr>& indices) {
    for (size_t d = 0; d < indices.size(); ++d) {
      Expr index = substitute(cast(kInt64, indices[d]), lets_);
      const Expr& extent = buffer->shape[d];
      Expr inside = index >= make_int(kInt64, 0) && index < extent;
      if (!reads_data(index) && analyzer_.can_prove(inside)) continue;
      add(inside,
          fmt::format("index {{}} into dimension {} of '{}' is outside of its extent {{}}", d,
                      buffer->name),
          {index, extent});
    }
  }

 protected:
  using Visitor::visit_node;
  void visit_node(const LoadNode& node) override {
    visit_children(node);
    access(node.buffer, node.indices);
  }
  void visit_node(const BinaryNode& node) override {
    visit_children(node);
    if (node.op < BinaryOp::kFloorDiv || node.op > BinaryOp::kTruncMod) return;
    Expr divisor = substitute(node.b, lets_);
    if (is_literal(divisor)) return;
    Expr nonzero = divisor != make_zero(divisor.dtype());
    if (is_pure_index(nonzero) && analyzer_.can_prove(nonzero)) return;
    add(nonzero, "division by zero", {});
  }
  void visit_node(const CallNode& node) override {
    visit_children(node);
    if (node.intrinsic != Intrinsic::kAssumeRange) return;
    Expr value = substitute(node.args[0], lets_), end = substitute(node.args[2], lets_);
    add(value >= substitute(node.args[1], lets_) && value < end,
        fmt::format("the value {{}} of {} lies outside of the assumed range {{}} <= value < {{}}",
                    to_pretty(node.args[0])),
        {value, substitute(node.args[1], lets_), end});
  }
  void visit_node(const IfThenElseNode& node) override {
    visit(node.condition);
    conditions_.push_back(substitute(node.condition, lets_));
    visit(node.true_value);
    conditions_.back() = !conditions_.back();
    visit(node.false_value);
    conditions_.pop_back();
  }
  void visit_node(const LetNode& node) override {
    visit(node.value);
    lets_[node.var] = substitute(node.value, lets_);
    visit(node.body);
  }

 private:
  static bool reads_data(const Expr& index) {
    bool reads = false;
    walk_exprs(index, [&](const Expr& e) { reads |= e.as<LoadNode>() != nullptr; });
    return reads;
  }

  void add(Expr condition, const std::string& message, std::vector<Expr> values) {
    Stmt check(new AssertNode(condition, kCheckFailed, message, std::move(values)));
    for (auto it = conditions_.rbegin(); it != conditions_.rend(); ++it) {
      check = if_then(*it, check);
    }
    checks.push_back(check);
  }

  const arith::Analyzer& analyzer_;
  std::vector<Expr> conditions_;
  VarMap lets_;
};

class InsertChecks final : public BoundMutator {
 public:
  using BoundMutator::mutate;
  explicit InsertChecks(const PrimFunc& func) : BoundMutator(func) {}

 protected:
  using BoundMutator::mutate_node;
  Expr mutate(const Expr& expr) override { return expr; }

  Stmt mutate_node(const StoreNode& node, const Stmt& self) override {
    CollectChecks found(analyzer_);
    for (const Expr& index : node.indices) found.visit(index);
    found.visit(node.value);
    found.access(node.buffer, node.indices);
    return before(std::move(found), self);
  }
  Stmt mutate_node(const LetStmtNode& node, const Stmt& self) override {
    CollectChecks found(analyzer_);
    found.visit(node.value);
    return before(std::move(found), BoundMutator::mutate_node(node, self));
  }
  Stmt mutate_node(const IfNode& node, const Stmt& self) override {
    CollectChecks found(analyzer_);
    found.visit(node.condition);
    return before(std::move(found), BoundMutator::mutate_node(node, self));
  }
  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    CollectChecks found(analyzer_);
    found.visit(node.extent);
    return before(std::move(found), BoundMutator::mutate_node(node, self));
  }

 private:
  static Stmt before(CollectChecks found, const Stmt& stmt) {
    found.checks.push_back(stmt);
    return seq(std::move(found.checks));
  }
};

}  // namespace

PrimFunc insert_checks(const PrimFunc& func, const Target&, const LowerOptions& options) {
  if (!options.checked) return func;
  return with_body(func, InsertChecks(func).mutate(func->body));
}

}  // namespace tilewright::lower
