#include "tuner/space/sketches/nest_rules.h"

#include "schedule/tree.h"
#include "tuner/space/sketches/register_tile.h"
#include "tuner/space/sketches/steps.h"

namespace tilewright::tuner::sketches {
namespace {

using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

// Every access moves through its buffer in the order of the axes: the nest is one long vector.
bool is_flat(const NestView& nest) {
  const auto in_order = [&](const Access& access) {
    if (access.indices.size() != nest.axes.size()) return false;
    for (size_t d = 0; d < access.indices.size(); ++d) {
      if (!access.indices[d].same_as(nest.axes[d].var)) return false;
    }
    return true;
  };
  return nest.reduce().empty() && nest.axes.size() > 1 &&
         std::all_of(nest.stores.begin(), nest.stores.end(), in_order) &&
         std::all_of(nest.loads.begin(), nest.loads.end(), in_order);
}

bool is_reused(const NestView& nest, const TileAxes& axes) {
  return axes.row || stride_along(nest.stores[0], nest.axes[axes.lane].var) == Stride::kContiguous;
}

}  // namespace

const Axis* vector_axis(const NestView& nest) {
  const Axis* best = nullptr;
  double most = 0;
  for (const Axis* axis : nest.spatial()) {
    if (axis->extent <= 1) continue;
    double score = 0;
    for (const Access& store : nest.stores) {
      if (stride_along(store, axis->var) == Stride::kContiguous) score += 2;
    }
    for (const Access& load : nest.loads) {
      if (stride_along(load, axis->var) == Stride::kContiguous) score += 1;
    }
    if (!best || score >= most) best = axis, most = score;
  }
  return best;
}

void vectorize_elements(Schedule& sch, const NestView& nest, const Target& target, int threads) {
  const int64_t lanes = target.vector_lanes(nest.bits());
  const Axis* axis = vector_axis(nest);
  if (!axis) return;
  std::vector<Loop> outer;
  Loop inner = axis->loop;
  int64_t extent = axis->extent;
  if (is_flat(nest) && extent % lanes != 0) {
    std::vector<Loop> all;
    for (const Axis& each : nest.axes) all.push_back(each.loop);
    inner = sch.fuse(all);
    extent = sch.loop_extent_or(inner, kSymbolic);
  } else {
    for (const Axis* other : nest.spatial()) {
      if (other != axis) outer.push_back(other->loop);
    }
  }
  const Int unroll = choose(sch, nest, "unroll", {1, 2, 4}, ceil_div(extent, lanes));
  const std::vector<Loop> parts = sch.split(inner, {std::nullopt, unroll, lanes});
  std::vector<Loop> order = outer;
  order.insert(order.end(), parts.begin(), parts.end());
  attempt(sch, [&] { sch.reorder(order); });
  attempt(sch, [&] { sch.vectorize(parts[2]); });
  attempt(sch, [&] { sch.unroll(parts[1]); });
  if (outer.empty()) outer = {parts[0]};
  run_in_parallel(sch, outer, threads);
}

void finish_nest(Schedule& sch, schedule::BlockRef block, const Target& target, int threads) {
  const schedule::Tree tree(sch.func());
  const auto loops = tree.loops_around(block.id);
  const auto has = [&](ir::ForKind kind) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const ir::ForNode* loop) { return loop->for_kind == kind; });
  };
  const NestView nest = view_nest(sch, block);
  const int64_t lanes = target.vector_lanes(nest.bits());
  std::vector<Loop> serial;
  for (const ir::ForNode* loop : loops) {
    if (loop->for_kind == ir::ForKind::kSerial) serial.push_back({loop->id});
  }
  if (serial.empty()) return;
  if (!has(ir::ForKind::kVectorized)) {
    attempt(sch, [&] {
      const int64_t extent = sch.loop_extent_or(serial.back(), kSymbolic);
      sch.vectorize(extent > lanes ? sch.split_factor(serial.back(), lanes)[1] : serial.back());
    });
  }
  if (threads > 1 && !has(ir::ForKind::kParallel)) {
    attempt(sch, [&] { sch.parallel(serial.front()); });
  }
}

void schedule_nest(Schedule& sch, schedule::BlockRef block, const Target& target, int threads) {
  const NestView nest = view_nest(sch, block);
  if (!nest.is_plain || nest.stores.empty()) {
    finish_nest(sch, block, target, threads);
    return;
  }
  if (!nest.is_reduction()) {
    if (!attempt(sch, [&] { vectorize_elements(sch, nest, target, threads); })) {
      finish_nest(sch, block, target, threads);
    }
    return;
  }
  const std::vector<TileAxes> tiles = tile_axes(nest, target.vector_lanes(nest.bits()));
  bool done = false;
  if (!tiles.empty() && is_reused(nest, tiles[0])) {
    std::vector<int64_t> choices;
    for (size_t i = 0; i < tiles.size(); ++i) choices.push_back(static_cast<int64_t>(i));
    const Int chosen = choose(sch, nest, "axes", choices);
    done = attempt(sch, [&] {
      tile_reduction(sch, nest, tiles[static_cast<size_t>(chosen.value)], target, threads);
    });
  }
  if (!done && can_sum_in_lanes(nest)) {
    done = attempt(sch, [&] { sum_in_lanes(sch, nest, target, threads); });
  }
  if (!done) attempt(sch, [&] { vectorize_elements(sch, nest, target, threads); });
}

void schedule_nests(Schedule& sch, const Target& target, int threads) {
  for (const std::string& name : sch.block_names()) {
    // A rule for another block may have moved this one into its own nest.
    const std::vector<NestView> nests = view_nests(sch.func());
    const auto nest =
        std::find_if(nests.begin(), nests.end(), [&](const NestView& n) { return n.name == name; });
    if (nest != nests.end()) schedule_nest(sch, nest->block, target, threads);
  }
}

}  // namespace tilewright::tuner::sketches
