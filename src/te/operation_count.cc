#include <cmath>

#include "te/checks.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/te/prim_func.h"

namespace tilewright::te {
namespace {

bool is_arithmetic(ir::BinaryOp op) {
  using ir::BinaryOp;
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kTruncDiv:
    case BinaryOp::kTruncMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kFMin:
    case BinaryOp::kFMax: return true;
    default: return false;
  }
}

// Counts the arithmetic on values; indices and the conditions of choices are not.
class ValueCount : public ir::Visitor {
 public:
  double count = 0;

 protected:
  using Visitor::visit_node;
  void visit_node(const ir::LoadNode&) override {}
  void visit_node(const ir::SelectNode& node) override {
    visit(node.true_value);
    visit(node.false_value);
  }
  void visit_node(const ir::IfThenElseNode& node) override {
    visit(node.true_value);
    visit(node.false_value);
  }
  void visit_node(const ir::BinaryNode& node) override {
    count += is_arithmetic(node.op);
    visit_children(node);
  }
  void visit_node(const ir::CallNode& node) override {
    const bool fma = node.intrinsic == ir::Intrinsic::kFma;
    const bool free =
        node.intrinsic == ir::Intrinsic::kLikely || node.intrinsic == ir::Intrinsic::kBitcast;
    count += fma ? 2 : free ? 0 : 1;
    visit_children(node);
  }
};

double block_operations(const ir::BlockNode& block) {
  if (block.block_kind != ir::BlockKind::kCompute) return std::nan("");
  ValueCount values;
  values.visit(block.body);
  if (block.reducer) {
    // A step that only compares and chooses (argmax, any) is one operation.
    ValueCount step;
    for (const Expr& result : block.reducer->results) step.visit(result);
    values.count += std::max(1.0, step.count);
  }
  for (const ir::IterVar& iter : block.iter_vars) {
    const int64_t* extent = ir::as_const_int(iter.dom.extent);
    values.count *= extent ? static_cast<double>(*extent) : std::nan("");
  }
  return values.count;
}

}  // namespace

std::optional<double> operation_count(const ir::PrimFunc& func) {
  double total = 0;
  ir::walk_stmts(func->body, [&](const ir::Stmt& stmt) {
    if (const auto* realize = stmt.as<ir::BlockRealizeNode>()) {
      total += block_operations(*realize->block);
    }
  });
  if (std::isnan(total)) return std::nullopt;
  return total;
}

}  // namespace tilewright::te
