#include "lower/fresh_copy.h"

#include <algorithm>

#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::lower {

using namespace ir;  // NOLINT

namespace {

class FreshAllocs final : public Mutator {
 public:
  using Mutator::mutate;
  Buffer mutate(const Buffer& buffer) override {
    auto it = map_.find(buffer);
    return it == map_.end() ? buffer : it->second;
  }

 protected:
  using Mutator::mutate_node;
  Stmt mutate_node(const AllocNode& node, const Stmt&) override {
    map_[node.buffer] = Buffer(new BufferNode(*node.buffer));
    return Stmt(new AllocNode(map_[node.buffer], mutate(node.body)));
  }

 private:
  BufferMap map_;
};

class UnrolledSize final : public Visitor {
 public:
  using Visitor::visit;
  int64_t size = 0;

 protected:
  using Visitor::visit_node;
  void visit(const Expr&) override {}
  void visit_node(const StoreNode&) override { size += copies_; }
  void visit_node(const EvaluateNode&) override { size += copies_; }
  void visit_node(const ForNode& node) override {
    const int64_t saved = copies_;
    const int64_t* extent = as_const_int(node.extent);
    if (node.for_kind == ForKind::kUnrolled && extent) {
      copies_ = std::min(copies_ * std::max<int64_t>(*extent, 1), int64_t{1} << 40);
    }
    visit_children(node);
    copies_ = saved;
  }

 private:
  int64_t copies_ = 1;
};

}  // namespace

Stmt fresh_copy(const Stmt& stmt, const std::function<int64_t()>& next_id) {
  bool binds = false, allocates = false;
  walk_stmts(stmt, [&](const Stmt& s) {
    binds |= s.as<ForNode>() || s.as<LetStmtNode>();
    allocates |= s.as<AllocNode>() != nullptr;
  });
  if (!binds) {
    walk_exprs(stmt, [&](const Expr& e) { binds |= e.as<LetNode>() != nullptr; });
  }
  Stmt copy = binds ? refresh_bindings(stmt, next_id) : stmt;
  return allocates ? FreshAllocs().mutate(copy) : copy;
}

int64_t unrolled_size(const Stmt& stmt) {
  UnrolledSize counter;
  counter.visit(stmt);
  return counter.size;
}

}  // namespace tilewright::lower
