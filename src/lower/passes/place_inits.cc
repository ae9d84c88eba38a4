#include "lower/passes/passes.h"
#include "tilewright/ir/init_nest.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/support/fault.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// before                              after
///   for i, k:                           for i:
///     block c: init C[i] = 0              block c_init: C[i] = 0
///              C[i] += A[i, k]            for k: block c: C[i] += A[i, k]
class PlaceInits final : public Mutator {
 public:
  using Mutator::mutate;
  explicit PlaceInits(const PrimFunc& func) : next_id_(next_free_id(func)) {}

 protected:
  using Mutator::mutate_node;

  Stmt mutate_node(const ForNode& node, const Stmt& self) override {
    const size_t depth = loops_.size();
    loops_.push_back(&node);
    pending_.emplace_back();
    Stmt loop = mutate_children(node, self);
    std::vector<Stmt> stmts = std::move(pending_[depth]);
    pending_.pop_back();
    loops_.pop_back();
    if (stmts.empty()) return loop;
    stmts.push_back(loop);
    return seq(std::move(stmts));
  }

  Stmt mutate_node(const BlockRealizeNode& node, const Stmt& self) override {
    const BlockNode& block = *node.block;
    if (!block.init) return mutate_children(node, self);
    const size_t depth = outermost_reduce_loop(loops_, node);
    const std::vector<const ForNode*> path(loops_.begin() + static_cast<std::ptrdiff_t>(depth),
                                           loops_.end());
    Stmt init = make_init_nest(path, node, [this] { return next_id_++; });
    Block rest(new BlockNode(block.id, block.name, block.block_kind, block.iter_vars, block.where,
                             block.reads, block.writes, block.reducer, Stmt(), block.body,
                             block.annotations, block.origin));
    Stmt update(new BlockRealizeNode(node.iter_values, node.guard, rest));
    if (depth == loops_.size()) return seq({init, update});
    if (has_fault(Fault::empty_reduction_without_init)) {
      init = if_then(loops_[depth]->extent > 0, init);
    }
    pending_[depth].push_back(init);
    return update;
  }

 private:
  int64_t next_id_;
  std::vector<const ForNode*> loops_;
  std::vector<std::vector<Stmt>> pending_;  // init nests to put before the loop of that depth
};

}  // namespace

PrimFunc place_inits(const PrimFunc& func, const Target&, const LowerOptions&) {
  return with_body(func, PlaceInits(func).mutate(func->body));
}

}  // namespace tilewright::lower
