#include "tuner/space/sketches/fused.h"

#include "tuner/space/sketches/inlining.h"
#include "tuner/space/sketches/nest_rules.h"
#include "tuner/space/sketches/register_tile.h"
#include "tuner/space/sketches/steps.h"

namespace tilewright::tuner::sketches {
namespace {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

const schedule::Factor kOpen = std::nullopt;

// Where the producers go, and what runs in parallel.
struct Strips {
  Loop place;
  std::vector<Loop> outer;
  bool rolled = false;
};

// Cuts the last block's axes, its columns only where all blocks have them.
Strips cut_strips(Schedule& sch, const NestView& last, bool by_columns, int threads) {
  std::vector<const Axis*> axes;
  for (const Axis* axis : last.spatial()) {
    if (axis->extent > 1) axes.push_back(axis);
  }
  Strips strips;
  if (axes.size() == 1) {
    const Int width = choose(sch, last, "strip", {64, 256, 1024, 4096}, axes[0]->extent);
    strips.place = sch.split_factor(axes[0]->loop, width)[0];
    strips.outer = {strips.place};
    return strips;
  }
  std::vector<int64_t> depths;
  for (size_t d = 0; d + 1 < axes.size(); ++d) depths.push_back(static_cast<int64_t>(d));
  const auto depth = static_cast<size_t>(choose(sch, last, "strip_axis", depths).value);
  const Axis& row = *axes[depth];
  const Axis& column = *axes.back();
  const Int rows = choose(sch, last, "strip", {1, 2, 4, 8, 16, 32, 64}, row.extent);
  Int columns = 0;
  if (by_columns) {
    columns = choose(sch, last, "columns", {0, 64, 128, 256, 512}, column.extent - 1);
  }
  strips.rolled = columns == 0 && choose(sch, last, "roll", {0, 1}) != 0;
  for (size_t d = 0; d < depth; ++d) strips.outer.push_back(axes[d]->loop);
  std::vector<Loop> parts;
  if (strips.rolled && threads > 1) {
    // Strips follow each other within a thread.
    parts = sch.split_nparts(row.loop, threads);
    strips.outer.push_back(parts[0]);
    parts = sch.split_factor(parts[1], rows);
  } else {
    parts = sch.split_factor(row.loop, rows);
    if (!strips.rolled) strips.outer.push_back(parts[0]);
  }
  strips.place = parts[0];
  if (columns > 0) {
    const std::vector<Loop> tiles = sch.split_factor(column.loop, columns);
    std::vector<Loop> order = {parts[0], tiles[0], parts[1]};
    for (size_t d = depth + 1; d + 1 < axes.size(); ++d) order.push_back(axes[d]->loop);
    order.push_back(tiles[1]);
    sch.reorder(order);
    strips.place = tiles[0];
  }
  return strips;
}

// Independent elements inside `place` in vectors of the dimension that lies contiguous.
void vectorize_inside(Schedule& sch, BlockRef block, Loop place, const Target& target) {
  const NestView nest = view_nest(sch, block);
  const int64_t lanes = target.vector_lanes(nest.bits());
  const size_t last = nest.stores.at(0).indices.size() - 1;
  std::vector<Loop> order;
  std::optional<InnerLoop> lane;
  for (const InnerLoop& inner : inner_loops(sch, block, place)) {
    if (inner.dimension == last && inner.extent > 1 && !inner.reduce) {
      lane = inner;
    } else {
      order.push_back(inner.loop);
    }
  }
  if (!lane) return;
  attempt(sch, [&] {
    if (lane->extent <= lanes) {
      order.push_back(lane->loop);
      sch.reorder(order);
      sch.vectorize(lane->loop);
      return;
    }
    const Int unroll = choose(sch, nest, "unroll", {1, 2, 4}, ceil_div(lane->extent, lanes));
    const std::vector<Loop> parts = sch.split(lane->loop, {kOpen, unroll, lanes});
    order.insert(order.end(), parts.begin(), parts.end());
    sch.reorder(order);
    sch.vectorize(parts[2]);
    sch.unroll(parts[1]);
  });
}

// A small reduction for each element (the window of a stencil): accumulated in registers for a few vectors, unless less
// than a vector is made at a time.
bool accumulate_inside(Schedule& sch, BlockRef sum, BlockRef copy, Loop place,
                       const Target& target) {
  const NestView nest = view_nest(sch, sum);
  const int64_t lanes = target.vector_lanes(nest.bits());
  const size_t last = nest.stores.at(0).indices.size() - 1;
  std::vector<Loop> order, reduce;
  std::optional<InnerLoop> lane;
  for (const InnerLoop& inner : inner_loops(sch, copy, place)) {
    if (inner.dimension == last) {
      lane = inner;
    } else {
      order.push_back(inner.loop);
    }
  }
  if (!lane || lane->extent < lanes) return false;
  const Int vectors = choose(sch, nest, "vectors", {1, 2, 4}, lane->extent / lanes);
  const std::vector<Loop> parts = sch.split(lane->loop, {kOpen, vectors, lanes});
  order.insert(order.end(), parts.begin(), parts.end());
  sch.reorder(order);
  sch.compute_at(sum, parts[0]);
  sch.set_scope(sum, "register");
  std::vector<Loop> inside;
  for (const InnerLoop& inner : inner_loops(sch, sum, parts[0])) {
    if (inner.dimension == last) {
      lane = inner;
    } else {
      inside.push_back(inner.loop);
      if (inner.reduce) reduce.push_back(inner.loop);
    }
  }
  const std::vector<Loop> tile = sch.split_factor(lane->loop, lanes);
  inside.insert(inside.end(), tile.begin(), tile.end());
  sch.reorder(inside);
  sch.unroll(tile[0]);
  sch.vectorize(tile[1]);
  sch.unroll(parts[1]);
  sch.vectorize(parts[2]);
  constexpr int64_t kMostUnrolled = 8;
  if (!reduce.empty() && sch.loop_extent_or(reduce.back(), kSymbolic) <= kMostUnrolled) {
    sch.unroll(reduce.back());
  }
  return true;
}

bool is_lane_axis(const NestView& nest, const Axis& axis) {
  return !axis.reduce && axis.extent > 1 &&
         stride_along(nest.stores[0], axis.var) == Stride::kContiguous &&
         std::none_of(nest.loads.begin(), nest.loads.end(), [&](const Access& load) {
           return stride_along(load, axis.var) == Stride::kOther;
         });
}

// Moves a producer into the strips and says what remains to be done when all are there.
enum class Kind : uint8_t { kElements, kWindow, kSums };
struct Member {
  NestView nest;
  Kind kind;
  BlockRef copy;     // kWindow
  PartialSums sums;  // kSums
};

std::optional<Member> join(Schedule& sch, const NestView& nest, Loop place, const Target& target) {
  Member member{nest, Kind::kElements, {}, {}};
  if (!nest.is_plain || nest.stores.size() != 1) return std::nullopt;
  const auto window_axis = std::find_if(nest.axes.begin(), nest.axes.end(),
                                        [&](const Axis& axis) { return is_lane_axis(nest, axis); });
  const bool joined = attempt(sch, [&] {
    if (!nest.is_reduction()) {
      sch.compute_at(nest.block, place);
    } else if (window_axis != nest.axes.end()) {
      member.kind = Kind::kWindow;
      member.copy = sch.cache_write(nest.block);
      sch.compute_at(member.copy, place);
      sch.compute_at(nest.block, place);
    } else if (can_sum_in_lanes(nest)) {
      member.kind = Kind::kSums;
      member.sums = cut_into_lanes(sch, nest, target);
      sch.compute_at(nest.block, place);
      sch.compute_at(member.sums.partial, place);
    } else {
      sch.compute_at(nest.block, place);
    }
  });
  if (!joined) return std::nullopt;
  return member;
}

bool can_be_cut(const NestView& last) {
  return last.is_plain && last.stores.size() == 1 && !last.is_reduction() && vector_axis(last);
}

bool is_tile(const NestView& nest, const Target& target) {
  if (!nest.is_plain || !nest.is_reduction()) return false;
  const std::vector<TileAxes> tiles = tile_axes(nest, target.vector_lanes(nest.bits()));
  return !tiles.empty() && tiles[0].row;
}

void arrange(Schedule& sch, const Member& member, Loop place, const Target& target) {
  bool done = false;
  if (member.kind == Kind::kWindow) {
    attempt(sch,
            [&] { done = accumulate_inside(sch, member.nest.block, member.copy, place, target); });
    if (!done) vectorize_inside(sch, member.copy, place, target);
  } else if (member.kind == Kind::kSums) {
    done = attempt(sch, [&] { arrange_sums(sch, member.nest, member.sums, place); });
  }
  if (!done) vectorize_inside(sch, member.nest.block, place, target);
}

}  // namespace

bool can_fuse(Schedule sch, const Target& target) {
  std::vector<schedule::Decision> open;
  for (const std::string& name : sch.block_names()) open.push_back({name + "_inline", int64_t{0}});
  sch.preset_decisions(std::move(open));
  inline_producers(sch);
  const std::vector<NestView> nests = view_nests(sch.func());
  return nests.size() > 1 && can_be_cut(nests.back()) &&
         std::any_of(nests.begin(), nests.end() - 1,
                     [&](const NestView& nest) { return nest.is_plain && !is_tile(nest, target); });
}

void fuse_nests(Schedule& sch, const Target& target, int threads) {
  std::vector<NestView> nests;
  for (const NestView& nest : view_nests(sch.func())) nests.push_back(view_nest(sch, nest.block));
  const NestView last = nests.back();
  nests.pop_back();
  const bool fits = can_be_cut(last);
  Strips strips;
  std::vector<Member> members;
  std::vector<BlockRef> alone;
  // What belongs to whole rows would be computed for each tile of columns again.
  const bool by_columns = std::all_of(nests.begin(), nests.end(), [&](const NestView& nest) {
    return nest.spatial().size() == last.spatial().size();
  });
  const bool cut =
      fits && attempt(sch, [&] { strips = cut_strips(sch, last, by_columns, threads); });
  if (!cut) alone.push_back(last.block);
  for (size_t i = nests.size(); i-- > 0;) {
    std::optional<Member> member;
    if (cut && !is_tile(nests[i], target)) member = join(sch, nests[i], strips.place, target);
    if (member) {
      members.push_back(*member);
    } else {
      alone.push_back(nests[i].block);
    }
  }
  if (strips.rolled) {
    for (const Member& member : members) {
      const BlockRef writer = member.kind == Kind::kWindow ? member.copy : member.nest.block;
      attempt(sch, [&] { sch.rolling_buffer(writer); });
    }
  }
  for (const Member& member : members) arrange(sch, member, strips.place, target);
  if (cut) {
    vectorize_inside(sch, last.block, strips.place, target);
    run_in_parallel(sch, strips.outer, threads);
  }
  for (BlockRef block : alone) schedule_nest(sch, block, target, threads);
}

}  // namespace tilewright::tuner::sketches
