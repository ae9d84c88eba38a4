#include "tilewright/api/stages.h"

#include "tilewright/ir/visitor.h"
#include "tilewright/support/error.h"

namespace tilewright {
namespace {

using schedule::Loop;

// Finds a block and the loops around it.
class BlockFinder : public ir::Visitor {
 public:
  explicit BlockFinder(int64_t id) : id_(id) {}
  using ir::Visitor::visit_node;
  void visit_node(const ir::ForNode& node) override {
    if (realize) return;
    loops.push_back(&node);
    visit_children(node);
    if (!realize) loops.pop_back();
  }
  void visit_node(const ir::BlockRealizeNode& node) override {
    if (realize) return;
    if (node.block->id == id_) {
      realize = &node;
    } else {
      visit_children(node);
    }
  }

  const ir::BlockRealizeNode* realize = nullptr;
  std::vector<const ir::ForNode*> loops;

 private:
  int64_t id_;
};

// The loops that each stand for one axis of the block, in the order of its axes.
void find_axes(const ir::PrimFunc& func, schedule::BlockRef block, std::vector<Loop>& spatial,
               std::vector<Loop>& reduce) {
  BlockFinder finder(block.id);
  finder.visit(func->body);
  if (!finder.realize) return;
  const auto& axes = finder.realize->block->iter_vars;
  for (size_t i = 0; i < axes.size(); ++i) {
    for (const ir::ForNode* loop : finder.loops) {
      if (!finder.realize->iter_values[i].same_as(loop->var)) continue;
      (axes[i].kind == ir::IterKind::kReduce ? reduce : spatial).push_back({loop->id, block.owner});
    }
  }
}

}  // namespace

Stage::Stage(schedule::Schedule& sch, BlockRef block) : sch_(&sch), block_(block) {
  // Recorded, so that the loops have names in the trace.
  sch.get_loops(block);
  find_axes(sch.original(), block, axes_, reduce_axes_);
  if (axes_.empty() && reduce_axes_.empty()) {
    find_axes(sch.func(), block, axes_, reduce_axes_);
  }
}

Loop Stage::loop_of(const std::vector<Loop>& loops, int i, const char* what) const {
  if (i < 0 || static_cast<size_t>(i) >= loops.size()) {
    fail("stage.axis", "block '{}' has {} {}{}, there is no number {}", sch_->block_name(block_),
         loops.size(), what, loops.size() == 1 ? "" : "s", i);
  }
  return loops[static_cast<size_t>(i)];
}

Loop Stage::axis(int i) const { return loop_of(axes_, i, "spatial loop"); }
Loop Stage::reduce_axis(int i) const { return loop_of(reduce_axes_, i, "reduce loop"); }

std::array<Loop, 2> Stage::split(Loop loop, Int factor, std::string_view tail) const {
  const std::vector<Loop> parts = sch_->split_factor(loop, std::move(factor), tail);
  return {parts[0], parts[1]};
}

std::array<Loop, 2> Stage::split_nparts(Loop loop, Int nparts, std::string_view tail) const {
  const std::vector<Loop> parts = sch_->split_nparts(loop, std::move(nparts), tail);
  return {parts[0], parts[1]};
}

std::vector<Loop> Stage::split(Loop loop, std::vector<schedule::Factor> factors,
                               std::string_view tail) const {
  return sch_->split(loop, std::move(factors), tail);
}

std::array<Loop, 4> Stage::tile(Loop x, Loop y, Int x_factor, Int y_factor,
                                std::string_view tail) const {
  const std::vector<Loop> parts = sch_->tile(x, y, std::move(x_factor), std::move(y_factor), tail);
  return {parts[0], parts[1], parts[2], parts[3]};
}

Stage Stage::decompose_reduction(Loop loop) const {
  return Stage(*sch_, sch_->decompose_reduction(block_, loop));
}

Stage Stage::rfactor(Loop loop, int64_t factor_axis) const {
  return Stage(*sch_, sch_->rfactor(loop, factor_axis));
}

Stage Stage::cache_read(const te::Tensor& tensor, std::string_view scope) const {
  return Stage(*sch_, sch_->cache_read(block_, tensor.name(), scope));
}

Stage Stage::cache_write(std::string_view scope, int64_t write_index) const {
  return Stage(*sch_, sch_->cache_write(block_, scope, write_index));
}

Stage Stage::pack(const te::Tensor& tensor, std::string_view map,
                  const std::vector<std::pair<int64_t, Int>>& pad, std::string_view scope) const {
  return Stage(*sch_, sch_->pack(block_, tensor.name(), map, pad, scope));
}

}  // namespace tilewright
