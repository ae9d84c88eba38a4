#pragma once

#include <vector>

#include "tilewright/arith/analyzer.h"

namespace tilewright::arith {

/// Smallest known box around some accesses of one buffer: symbolic ends per dimension, null where a
/// dimension cannot be bounded.
struct AccessBox {
  bool any = false;
  bool conditional = false;  ///< some access happens only under a condition
  std::vector<SymbolicInterval> dims;
};

struct BufferAccesses {
  ir::Buffer buffer;
  AccessBox reads, writes;
};

/// Walks statements and gathers the boxes of all buffers, or of `only` when it is given, in order of first
/// access. Variables bound below the visited statements are eliminated, all others are symbols.
class AccessCollector final : public ir::Visitor {
 public:
  using ir::Visitor::visit;
  AccessCollector(Analyzer analyzer, const ir::BufferNode* only)
      : analyzer_(std::move(analyzer)), only_(only) {}

  std::vector<BufferAccesses>& accesses() { return accesses_; }
  /// The box as ranges inside the buffer: dimensions without a bound are whole, and conditional accesses
  /// that could leave [0, shape) are kept inside it.
  std::vector<ir::Range> ranges(const ir::Buffer& buffer, const AccessBox& box) const;
  void visit_conditionally(const ir::Stmt& stmt);

 protected:
  using ir::Visitor::visit_node;
  void visit_node(const ir::ForNode& node) override;
  void visit_node(const ir::IfNode& node) override;
  void visit_node(const ir::LetNode& node) override;
  void visit_node(const ir::LetStmtNode& node) override;
  void visit_node(const ir::IfThenElseNode& node) override;
  void visit_node(const ir::ReduceNode& node) override;
  void visit_node(const ir::LoadNode& node) override;
  void visit_node(const ir::CallNode& node) override;
  void visit_node(const ir::StoreNode& node) override;
  void visit_node(const ir::UpdateNode& node) override;
  void visit_node(const ir::BlockRealizeNode& node) override;
  void visit_node(const ir::BlockNode& node) override;

 private:
  void record(const ir::Buffer& buffer, const std::vector<SymbolicInterval>& dims, bool read,
              bool write, bool conditional);
  void record_whole(const ir::Buffer& buffer);
  void record_indices(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices, bool read,
                      bool write, bool conditional = false);
  SymbolicInterval bounds(const ir::Expr& index) const;
  ir::Range clamp(ir::Expr low, ir::Expr high, const ir::Expr& extent) const;

  Analyzer analyzer_;
  const ir::BufferNode* only_;
  std::vector<ir::Var> inner_;
  int conditions_ = 0;
  std::vector<BufferAccesses> accesses_;
};

}  // namespace tilewright::arith
