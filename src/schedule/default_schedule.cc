#include <algorithm>

#include "schedule/tree.h"
#include "tilewright/ir/ops.h"
#include "tilewright/schedule/schedule.h"

namespace tilewright::schedule {

using namespace ir;

namespace {

constexpr int64_t kLanes = 8;

// An illegal step is left out: the rule takes what each program allows.
bool attempt(Schedule& sch, const Schedule::Call& call) { return sch.apply(call).has_value(); }

void inline_injective(Schedule& sch) {
  for (const std::string& name : sch.block_names()) {
    BlockRef block = sch.get_block(name);
    attempt(sch, {"compute_inline", {block}, {}});
  }
}

// The loops of the block that feed its spatial axes, outermost first.
std::vector<Loop> spatial_loops(Schedule& sch, BlockRef block) {
  std::vector<Loop> result;
  for (Loop loop : sch.get_loops(block)) {
    Tree tree(sch.func());
    Feeds fed = feeds(tree.loop(loop.id)->var, *tree.block(block.id));
    if (fed.spatial && !fed.reduce && !fed.ordered) result.push_back(loop);
  }
  return result;
}

void vectorize_innermost(Schedule& sch, Loop loop) {
  int64_t extent = sch.loop_extent_or(loop, INT64_MAX);
  if (extent == 1) return;
  if (extent > kLanes) {
    auto parts = sch.apply(
        {"split", {loop}, {{"factors", Value::List{nullptr, kLanes}}, {"tail", "guard"}}});
    if (!parts) return;
    loop = std::get<Loop>((*parts)[1]);
  }
  attempt(sch, {"vectorize", {loop}, {}});
}

}  // namespace

Schedule default_schedule(const PrimFunc& func) {
  Schedule sch(func);
  sch.set_sketch("default");
  inline_injective(sch);
  for (const std::string& name : sch.block_names()) {
    BlockRef block = sch.get_block(name);
    std::vector<Loop> loops = spatial_loops(sch, block);
    if (loops.empty()) continue;
    if (loops.size() > 1) {
      vectorize_innermost(sch, loops.back());
      attempt(sch, {"parallel", {loops.front()}, {{"schedule", "static"}, {"chunk", 0}}});
      continue;
    }
    // One spatial loop: its outer part runs in parallel, its inner part in lanes.
    vectorize_innermost(sch, loops.front());
    std::vector<Loop> parts = spatial_loops(sch, block);
    if (parts.size() > 1) {
      attempt(sch, {"parallel", {parts.front()}, {{"schedule", "static"}, {"chunk", 0}}});
    }
  }
  return sch;
}

}  // namespace tilewright::schedule
