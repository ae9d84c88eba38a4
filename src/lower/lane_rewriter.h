#pragma once

#include "lower/bound_mutator.h"

namespace tilewright::lower {

/// Rewrites the body of one vectorized loop so that one execution does the work of all its lanes. What does
/// not depend on the lane stays scalar and is broadcast where it meets a vector.
class LaneRewriter final : public ir::Mutator {
 public:
  /// `loop` has the constant extent `lanes`; `analyzer` knows the loops around it.
  LaneRewriter(const arith::Analyzer& analyzer, const ir::ForNode& loop, int lanes,
               const std::function<int64_t()>& next_id);

  ir::Stmt run() { return mutate(loop_.body); }

  using ir::Mutator::mutate;

 protected:
  using ir::Mutator::mutate_node;

  // Expressions (lane_exprs.cc). The result is scalar, or has `lanes_` lanes.
  ir::Expr mutate_node(const ir::VarNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::CastNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::UnaryNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::BinaryNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::SelectNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::IfThenElseNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::LoadNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::CallNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::LetNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::RampNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::BroadcastNode& node, const ir::Expr& self) override;
  ir::Expr mutate_node(const ir::ExtractNode& node, const ir::Expr& self) override;

  // Statements (lane_stmts.cc).
  ir::Stmt mutate_node(const ir::StoreNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::ForNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::IfNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::LetStmtNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::AllocNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::EvaluateNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::AssertNode& node, const ir::Stmt& self) override;
  ir::Stmt mutate_node(const ir::BarrierNode& node, const ir::Stmt& self) override;

 private:
  /// Lanes a conditional piece of code runs for.
  struct Mask {
    ir::Expr lanes;  ///< vector bool; null: all
    ir::Expr any;    ///< scalar bool that must be tested before a scalar load; null: known to hold
  };

  ir::Expr ramp_binary(ir::BinaryOp op, const ir::Expr& a, const ir::Expr& b);
  ir::Expr ramp_division(ir::BinaryOp op, const ir::RampNode& ramp, const ir::Expr& divisor);
  /// The offset of this lane's element in a buffer that got a lane dimension.
  ir::Expr private_offset(const ir::Buffer& buffer, ir::Expr offset) const;
  /// Some lane fulfils `condition` (over the scalar loop variable), as a scalar.
  ir::Expr any_lane(const ir::Expr& condition, const ir::Expr& vector_condition) const;
  ir::Expr any_of(const ir::Expr& mask) const;
  /// Narrows the mask by a lane condition; gives the test that some lane is on (null: one always is).
  ir::Expr enter_mask(const ir::Expr& condition, const ir::Expr& vector_condition);
  ir::Expr both(const ir::Expr& a, const ir::Expr& b) const;
  ir::Expr mutate_masked(const ir::Expr& value, const ir::Expr& condition,
                         const ir::Expr& vector_condition);
  ir::Stmt mutate_masked(const ir::Stmt& body, const ir::Expr& condition,
                         const ir::Expr& vector_condition);
  /// One scalar copy of the statement for each lane, in order.
  ir::Stmt lane_by_lane(const ir::Stmt& stmt);
  [[noreturn]] void refuse(const std::string& what) const;

  arith::Analyzer analyzer_;
  const ir::ForNode& loop_;
  const int lanes_;
  const std::function<int64_t()>& next_id_;
  ir::VarMap values_;       // the lane variable and lets that became vectors
  ir::BufferMap privates_;  // buffers allocated inside the loop -> with a lane dimension
  Mask mask_;
};

}  // namespace tilewright::lower
