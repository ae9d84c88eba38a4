#include "tuner/space/sketches/register_tile.h"

#include <fmt/format.h>

#include "tilewright/schedule/decision_text.h"
#include "tuner/space/sketches/packing.h"
#include "tuner/space/sketches/steps.h"

namespace tilewright::tuner::sketches {
namespace {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

const schedule::Factor kOpen = std::nullopt;
// A deeper reduction can be cut into panels.
constexpr int64_t kShallow = 128;
// Longer loops inside the deepest reduction stay loops: unrolled, the body would outgrow the instruction cache.
constexpr int64_t kMostUnrolled = 8;

struct Numbers {
  int64_t lanes = 1;
  Int vectors = 1, rows = 1;  // of the register tile
  Int row_tiles = 1, column_tiles = 1;
  Int depth = 0;  // of a panel; 0: the whole reduction
  Int width() const { return schedule::times(vectors, lanes); }
};

const Axis* deepest(const NestView& nest) {
  const Axis* found = nullptr;
  for (const Axis* axis : nest.reduce()) {
    if (!found || axis->extent > found->extent) found = axis;
  }
  return found;
}

bool can_be_cut(const NestView& nest) {
  return nest.reducer->associative && nest.reducer->commutative && nest.stores.size() == 1;
}

Numbers choose_numbers(Schedule& sch, const NestView& nest, const TileAxes& axes,
                       const Target& target, int64_t lanes) {
  Numbers n;
  n.lanes = lanes;
  const int64_t columns = nest.axes[axes.lane].extent;
  n.vectors = choose(sch, nest, "vectors", {1, 2, 3, 4}, ceil_div(columns, lanes));
  n.column_tiles =
      choose(sch, nest, "column_tiles", {1, 4, 8, 16, 32, 64, 128}, ceil_div(columns, n.width()));
  if (axes.row) {
    // Accumulators, one vector of the wide side and one broadcast fit the register file.
    const int64_t most = std::max<int64_t>(
        1, (target.vector_registers - 1 - n.vectors) / std::max<int64_t>(1, n.vectors));
    const int64_t points = nest.axes[*axes.row].extent;
    n.rows = choose(sch, nest, "rows", {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28},
                    std::min(points, most));
    n.row_tiles = choose(sch, nest, "row_tiles", {1, 4, 8, 16, 32}, ceil_div(points, n.rows));
  }
  const Axis* depth = deepest(nest);
  if (depth->extent > kShallow && can_be_cut(nest)) {
    std::vector<int64_t> depths = {kShallow, 192, 256, 320, 384, 512, 768};
    std::erase_if(depths, [&](int64_t d) { return d >= depth->extent; });
    depths.push_back(0);
    n.depth = choose(sch, nest, "depth", depths);
  }
  return n;
}

// Outer loops and the rows of a tile. Rows that do not divide the axis leave a tile with rows to skip, or tiles of
// nearly equal size.
std::vector<Loop> cut_rows(Schedule& sch, const NestView& nest, const Axis& axis,
                           const Numbers& n) {
  const bool uneven = axis.extent < kSymbolic && axis.extent % n.rows != 0;
  if (!uneven || choose(sch, nest, "balanced", {0, 1}) == 0) {
    return sch.split(axis.loop, {kOpen, n.row_tiles, n.rows});
  }
  const std::vector<Loop> tiles = sch.split(axis.loop, {kOpen, n.rows}, "balanced");
  std::vector<Loop> i = sch.split(tiles[0], {kOpen, n.row_tiles});
  i.push_back(tiles[1]);
  return i;
}

// What is computed in registers, and what writes it at the end of a tile.
struct Roles {
  BlockRef part, writer;
  std::optional<Loop> panel;  // the writer's loop over panels
};

// The only reader of the nest's result, when it is element-wise.
std::optional<BlockRef> element_wise_reader(Schedule& sch, const NestView& nest) {
  if (nest.stores.size() != 1) return std::nullopt;
  const std::vector<NestView> readers = readers_of(view_nests(sch.func()), nest);
  if (readers.size() != 1) return std::nullopt;
  const NestView& reader = readers[0];
  if (!reader.is_plain || reader.is_reduction() || reader.stores.size() != 1) return std::nullopt;
  if (reader.axes.size() != nest.stores[0].indices.size()) return std::nullopt;
  for (const Access& load : reader.loads) {
    if (!load.buffer.same_as(nest.stores[0].buffer)) continue;
    for (const Axis& axis : reader.axes) {
      if (!dimension_of(load, axis.var)) return std::nullopt;
    }
  }
  return sch.get_block(reader.name);
}

Roles choose_roles(Schedule& sch, const NestView& nest, const Int& depth) {
  if (depth > 0) {
    const Loop outer = sch.split_factor(deepest(nest)->loop, depth)[0];
    const BlockRef part = sch.rfactor(outer);
    return {part, nest.block, view_nest(sch, nest.block).reduce().at(0)->loop};
  }
  if (const auto reader = element_wise_reader(sch, nest)) return {nest.block, *reader, {}};
  return {nest.block, sch.cache_write(nest.block, "register"), {}};
}

const Access* load_of(const NestView& nest, const ir::Buffer& buffer) {
  for (const Access& load : nest.loads) {
    if (load.buffer.same_as(buffer)) return &load;
  }
  return nullptr;
}

// The writer's axis that indexes dimension `dim` of what the part computes.
const Axis* axis_of_dimension(const NestView& writer, const Access& load, size_t dim) {
  for (const Axis& axis : writer.axes) {
    if (load.indices[dim].same_as(axis.var)) return &axis;
  }
  return nullptr;
}

}  // namespace

std::vector<TileAxes> tile_axes(const NestView& nest, int64_t lanes) {
  struct Scored {
    TileAxes axes;
    double score;
  };
  std::vector<Scored> found;
  for (size_t l = 0; l < nest.axes.size(); ++l) {
    const Axis& lane = nest.axes[l];
    if (lane.reduce || lane.extent <= 1) continue;
    double score = stride_along(nest.stores[0], lane.var) == Stride::kContiguous ? 2 : 0;
    if (lane.extent < lanes) score -= 2;
    bool possible = true;
    for (const Access& load : nest.loads) {
      if (stride_along(load, lane.var) != Stride::kOther) continue;
      score -= 0.5;
      possible &= is_packable(nest, load, lane.var);
    }
    if (!possible) continue;
    Scored best{{l, std::nullopt}, 0};
    for (size_t r = 0; r < nest.axes.size(); ++r) {
      const Axis& row = nest.axes[r];
      if (row.reduce || row.extent <= 1 || r == l) continue;
      double reuse = 0;
      for (const Access& load : nest.loads) {
        if (stride_along(load, row.var) != Stride::kNone) continue;
        reuse += stride_along(load, lane.var) == Stride::kNone ? 0.5 : 2;
      }
      // The innermost of those that are alike.
      if (reuse > 0 && reuse >= best.score) best = {{l, r}, reuse};
    }
    found.push_back({best.axes, score + best.score});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  std::vector<TileAxes> result;
  for (const Scored& scored : found) {
    if (scored.score + 2 >= found[0].score) result.push_back(scored.axes);
  }
  return result;
}

namespace {

// The loops of the tile itself, from `place` on: reduction outside, rows, vectors, lanes.
void arrange_part(Schedule& sch, const NestView& nest, BlockRef part, Loop place,
                  std::optional<size_t> row_dim, size_t lane_dim, int64_t lanes) {
  std::vector<Loop> order, rows, small;
  std::optional<Loop> lane;
  for (const InnerLoop& inner : inner_loops(sch, part, place)) {
    if (inner.dimension == lane_dim) {
      lane = inner.loop;
    } else if (inner.dimension && inner.dimension == row_dim) {
      rows.push_back(inner.loop);
    } else {
      order.push_back(inner.loop);
      if (inner.reduce && inner.extent <= kMostUnrolled) small.push_back(inner.loop);
    }
  }
  const std::vector<Loop> outer = order;
  order.insert(order.end(), rows.begin(), rows.end());
  if (lane) {
    const std::vector<Loop> parts = sch.split_factor(*lane, lanes);
    order.insert(order.end(), parts.begin(), parts.end());
    sch.reorder(order);
    sch.unroll(parts[0]);
    sch.vectorize(parts[1]);
  }
  for (Loop row : rows) sch.unroll(row);
  // The last of the small loops of the reduction.
  if (small.size() > 1 || (small.size() == 1 && outer.size() > 1)) {
    if (choose(sch, nest, "unroll", {0, 1}) != 0) sch.unroll(small.back());
  }
}

}  // namespace

void tile_reduction(Schedule& sch, const NestView& nest, const TileAxes& axes, const Target& target,
                    int threads) {
  const int64_t lanes = target.vector_lanes(nest.bits());
  const Numbers n = choose_numbers(sch, nest, axes, target, lanes);
  const Axis& lane = nest.axes[axes.lane];
  const Axis* row = axes.row ? &nest.axes[*axes.row] : nullptr;
  const PackingPlan packing = choose_packing(sch, nest, lane.var, row ? row->var : ir::Var());
  const size_t lane_dim = *dimension_of(nest.stores[0], lane.var);
  std::optional<size_t> row_dim;
  if (row) row_dim = *dimension_of(nest.stores[0], row->var);

  const Roles roles = choose_roles(sch, nest, n.depth);
  const size_t shift = roles.panel ? 1 : 0;  // rfactor puts the panels first
  const NestView writer = view_nest(sch, roles.writer);
  const NestView part = view_nest(sch, roles.part);
  const Access& result = *load_of(writer, part.stores[0].buffer);
  const Axis* column_axis = axis_of_dimension(writer, result, lane_dim + shift);
  const Axis* row_axis = row ? axis_of_dimension(writer, result, *row_dim + shift) : nullptr;

  const std::vector<Loop> j =
      sch.split(column_axis->loop, {kOpen, n.column_tiles, n.vectors, lanes});
  std::vector<Loop> i;
  if (row) i = cut_rows(sch, nest, *row_axis, n);
  std::vector<Loop> others;
  for (const Axis& axis : writer.axes) {
    if (axis.loop == column_axis->loop || (row && axis.loop == row_axis->loop)) continue;
    if (!roles.panel || !(axis.loop == *roles.panel)) others.push_back(axis.loop);
  }
  std::vector<Loop> order = others;
  order.push_back(j[0]);
  if (roles.panel) order.push_back(*roles.panel);
  if (row) order.push_back(i[0]);
  order.push_back(j[1]);
  if (row) order.insert(order.end(), {i[1], i[2]});
  order.insert(order.end(), {j[2], j[3]});
  sch.reorder(order);

  const Loop place = row ? i[1] : j[1];
  const std::vector<PackedOperand> packed =
      pack_operands(sch, roles.part, packing, n.width(), n.rows);
  const bool padded =
      packing.all && attempt(sch, [&] { sch.compute_at(roles.part, place, "pad"); });
  if (!padded) sch.compute_at(roles.part, place);
  sch.set_scope(roles.part, "register");
  arrange_part(sch, nest, roles.part, place,
               row_dim ? std::optional<size_t>(*row_dim + shift) : std::nullopt, lane_dim + shift,
               lanes);
  if (row) sch.unroll(i[2]);
  sch.unroll(j[2]);
  sch.vectorize(j[3]);
  const Loop panel_place = roles.panel ? *roles.panel : j[0];
  place_operands(sch, packed, panel_place, row ? i[0] : panel_place, others, lanes, threads);
  std::vector<Loop> outer = others;
  if (threads > 1) {
    if (others.empty()) outer = {row ? i[0] : j[0]};
    run_in_parallel(sch, outer, threads);
  }
}

}  // namespace tilewright::tuner::sketches
