#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::ir {

/// Walks a function with the variables and buffers in scope, and notes every broken invariant.
class Verifier final : public Visitor {
 public:
  explicit Verifier(const PrimFunc& func) : func_(func) {}
  std::vector<std::string> run();

  using Visitor::visit;
  void visit(const Expr& expr) override;

 protected:
  using Visitor::visit_node;
  // Expressions (verify_expr.cc).
  void visit_node(const IntImmNode& n) override;
  void visit_node(const FloatImmNode& n) override;
  void visit_node(const StringImmNode& n) override;
  void visit_node(const VarNode& n) override;
  void visit_node(const CastNode& n) override;
  void visit_node(const UnaryNode& n) override;
  void visit_node(const BinaryNode& n) override;
  void visit_node(const SelectNode& n) override;
  void visit_node(const IfThenElseNode& n) override;
  void visit_node(const LoadNode& n) override;
  void visit_node(const CallNode& n) override;
  void visit_node(const LetNode& n) override;
  void visit_node(const RampNode& n) override;
  void visit_node(const BroadcastNode& n) override;
  void visit_node(const ExtractNode& n) override;
  void visit_node(const ReduceNode& n) override;
  // Statements (verify_stmt.cc).
  void visit_node(const StoreNode& n) override;
  void visit_node(const UpdateNode& n) override;
  void visit_node(const ForNode& n) override;
  void visit_node(const SeqNode& n) override;
  void visit_node(const IfNode& n) override;
  void visit_node(const LetStmtNode& n) override;
  void visit_node(const AllocNode& n) override;
  void visit_node(const EvaluateNode& n) override;
  void visit_node(const AssertNode& n) override;
  void visit_node(const BarrierNode& n) override;
  void visit_node(const BlockRealizeNode& n) override;
  // Blocks (verify_block.cc).
  void visit_node(const BlockNode& n) override;

 private:
  struct LoopFacts {
    const ForNode* loop = nullptr;
    std::vector<const Node*> vars;  // loop variables from the root to this loop, its own included
  };

  template <typename... Args>
  void fault(fmt::format_string<Args...> format, Args&&... args) {
    faults_.push_back(place() + ": " + fmt::format(format, std::forward<Args>(args)...));
  }
  std::string place() const;
  bool scheduled() const { return func_->level == Level::kScheduled; }

  // Functions and buffers (verify.cc).
  void check_params();
  void check_param(const Param& param, size_t index);
  void check_assumptions();
  void check_allocs();
  void check_alloc_place(const Buffer& buffer);
  void check_buffer(const BufferNode& b);
  void check_layout(const BufferNode& b);
  /// Only the function's scalars and `extra` may be read by `e`; no loads.
  void check_closed(const Expr& e, const std::string& what, const std::vector<const Node*>& extra);

  // Expressions.
  void operands_match(const ExprNode& n, const Expr& a, const Expr& b);
  void check_condition(const Expr& condition, const char* what);
  int check_access(const Buffer& buffer, const std::vector<Expr>& indices, const char* what);
  void check_predicate(const Expr& predicate, int lanes, const char* what);
  void present(const Expr& e, const char* what);
  bool absent(const Expr& e, const char* what);
  void check_pure_call(const CallNode& n);

  // Statements.
  void check_body(const Stmt& body, const char* what);
  void check_stored(const Buffer& buffer);
  void check_id(int64_t id, const std::string& name);
  void bind(const Var& var, bool unique);
  void unbind(const Var& var);

  // Blocks.
  void check_realize(const BlockRealizeNode& n);
  void check_reduction(const BlockNode& n);
  void check_init(const BlockNode& n);
  void check_regions(const BlockNode& n);
  void check_region(const Region& region, const char* what);

  PrimFunc func_;
  std::vector<std::string> faults_;
  std::vector<std::string> context_;
  std::unordered_map<const Node*, int> in_scope_;  // variables, counted
  std::unordered_set<const Node*> ever_bound_;     // loop and block variables, level scheduled
  std::unordered_set<const Node*> hidden_;         // loop variables a block body may not read
  std::unordered_set<const Node*> buffers_;        // declared and in scope
  std::unordered_set<const Node*> read_only_;
  std::unordered_set<int64_t> ids_;
  std::vector<const ForNode*> loops_;  // enclosing, outermost first
  std::unordered_map<int64_t, LoopFacts> all_loops_;
  // Uses of buffers that live at a loop: the enclosing loop ids of each use.
  std::unordered_map<const Node*, std::vector<std::vector<int64_t>>> uses_;
};

}  // namespace tilewright::ir
