#include "tuner/space/sketches/inlining.h"

#include "tuner/space/sketches/steps.h"

namespace tilewright::tuner::sketches {
namespace {

using schedule::BlockRef;
using schedule::Schedule;

// Does a reader use an element of the nest's result for more than one of its points, or at several places?
bool is_used_again(const std::vector<NestView>& nests, const NestView& nest) {
  const std::vector<NestView> readers = readers_of(nests, nest);
  for (const NestView& reader : readers) {
    int64_t reads = 0;
    for (const Access& load : reader.loads) {
      if (!load.buffer.same_as(nest.stores[0].buffer)) continue;
      ++reads;
      for (const Axis& axis : reader.axes) {
        if (axis.extent > 1 && stride_along(load, axis.var) == Stride::kNone) return true;
      }
    }
    if (reads > 1) return true;
  }
  return readers.size() > 1;
}

}  // namespace

void inline_producers(Schedule& sch) {
  for (const std::string& name : sch.block_names()) {
    const std::vector<NestView> nests = view_nests(sch.func());
    const auto nest =
        std::find_if(nests.begin(), nests.end(), [&](const NestView& n) { return n.name == name; });
    if (nest == nests.end() || !nest->is_plain || nest->is_reduction() ||
        nest->stores.size() != 1 || readers_of(nests, *nest).empty()) {
      continue;
    }
    schedule::Schedule inlined = sch;
    if (!attempt(inlined, [&] { inlined.compute_inline(inlined.get_block(name)); })) continue;
    const bool is_copy = nest->operations == 0 && !nest->has_condition;
    if (!is_copy && is_used_again(nests, *nest)) {
      if (choose(sch, *nest, "inline", {0, 1}) == 0) continue;
      sch.compute_inline(sch.get_block(name));
    } else {
      sch = std::move(inlined);
    }
  }
}

}  // namespace tilewright::tuner::sketches
