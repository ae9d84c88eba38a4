#include "tuner/space/sketches/steps.h"

#include <cctype>

#include "schedule/tree.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::tuner::sketches {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

Int choose(Schedule& sch, const NestView& nest, const char* what, std::vector<int64_t> candidates,
           int64_t limit) {
  std::erase_if(candidates, [&](int64_t c) { return c > limit; });
  if (candidates.empty()) return limit;
  if (candidates.size() == 1) return candidates[0];
  // Only plain names can stand in arithmetic and in layout maps.
  std::string name = nest.name + "_" + what;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.'; }, '_');
  return sch.sample_categorical(candidates, {}, name);
}

std::vector<InnerLoop> inner_loops(Schedule& sch, BlockRef block, std::optional<Loop> place) {
  const schedule::Tree tree(sch.func());
  const ir::BlockRealizeNode& realize = *tree.block(block.id);
  const NestView view = view_nest(sch, block);
  std::vector<InnerLoop> result;
  bool inside = !place;
  for (const ir::ForNode* loop : tree.loops_around(block.id)) {
    if (inside) {
      const int64_t* extent = ir::as_const_int(loop->extent);
      InnerLoop inner{{loop->id}, extent ? *extent : kSymbolic, false, {}};
      for (size_t i = 0; i < realize.iter_values.size(); ++i) {
        if (!ir::uses_var(realize.iter_values[i], loop->var)) continue;
        const ir::IterVar& iter = realize.block->iter_vars[i];
        inner.reduce |= iter.kind == ir::IterKind::kReduce;
        const auto& indices = view.stores.at(0).indices;
        for (size_t d = 0; d < indices.size(); ++d) {
          if (indices[d].same_as(iter.var)) inner.dimension = d;
        }
      }
      result.push_back(inner);
    }
    inside |= place && loop->id == place->id;
  }
  return result;
}

void run_in_parallel(Schedule& sch, const std::vector<Loop>& outer, int threads) {
  if (threads <= 1 || outer.empty()) return;
  const bool all = outer.size() > 1 && attempt(sch, [&] { sch.parallel(sch.fuse(outer)); });
  if (!all) attempt(sch, [&] { sch.parallel(outer[0]); });
}

}  // namespace tilewright::tuner::sketches
