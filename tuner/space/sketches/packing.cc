#include "tuner/space/sketches/packing.h"

#include <fmt/format.h>

#include "tilewright/ir/visitor.h"
#include "tilewright/schedule/decision_text.h"
#include "tuner/space/sketches/steps.h"

namespace tilewright::tuner::sketches {
namespace {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

bool is_read_once(const NestView& nest, const ir::Buffer& buffer) {
  return std::count_if(nest.loads.begin(), nest.loads.end(),
                       [&](const Access& load) { return load.buffer.same_as(buffer); }) == 1;
}

// "(d0, d1, d2) -> (d0, d2 // 16, d1, d2 % 16)": dimensions of outer axes first, the tiled one innermost.
std::string panel_map(const PackingPlan::Operand& operand, const Int& tile) {
  const std::string t = schedule::map_number(tile);
  std::vector<std::string> names, outer, inner;
  for (size_t d = 0; d < operand.rank; ++d) {
    names.push_back(fmt::format("d{}", d));
    if (d == operand.dimension) continue;
    (operand.outer_first[d] ? outer : inner).push_back(names.back());
  }
  const std::string tiled = fmt::format("d{}", operand.dimension);
  outer.push_back(fmt::format("{} // {}", tiled, t));
  outer.insert(outer.end(), inner.begin(), inner.end());
  outer.push_back(fmt::format("{} % {}", tiled, t));
  return fmt::format("({}) -> ({})", fmt::join(names, ", "), fmt::join(outer, ", "));
}

}  // namespace

bool is_packable(const NestView& nest, const Access& load, const ir::Var& axis) {
  if (!dimension_of(load, axis) || !is_read_once(nest, load.buffer)) return false;
  const std::vector<const Axis*> spatial = nest.spatial();
  return std::any_of(spatial.begin(), spatial.end(), [&](const Axis* other) {
    return other->extent > 1 && stride_along(load, other->var) == Stride::kNone;
  });
}

PackingPlan choose_packing(Schedule& sch, const NestView& nest, const ir::Var& lane,
                           const ir::Var& row) {
  PackingPlan plan;
  for (const Access& load : nest.loads) {
    const Stride along_lane = stride_along(load, lane);
    const bool by_lane = along_lane != Stride::kNone;
    const bool by_row = !by_lane && row.defined() && stride_along(load, row) != Stride::kNone;
    if (!by_lane && !by_row) continue;
    const ir::Var& axis = by_lane ? lane : row;
    bool packed = along_lane == Stride::kOther;
    if (!packed && is_packable(nest, load, axis)) {
      const std::string what = "pack_" + load.buffer->name;
      packed = choose(sch, nest, what.c_str(), {0, 1}) != 0;
    }
    plan.all &= packed;
    if (!packed) continue;
    PackingPlan::Operand operand{
        load.buffer->name, *dimension_of(load, axis), load.indices.size(), by_lane, {}};
    for (size_t d = 0; d < load.indices.size(); ++d) {
      bool outer = false;
      for (const Axis* other : nest.spatial()) {
        const bool in_tile = other->var.same_as(lane) || other->var.same_as(row);
        outer |= !in_tile && ir::uses_var(load.indices[d], other->var);
      }
      operand.outer_first.push_back(outer);
    }
    plan.operands.push_back(std::move(operand));
  }
  return plan;
}

std::vector<PackedOperand> pack_operands(Schedule& sch, BlockRef reader, const PackingPlan& plan,
                                         const Int& width, const Int& rows) {
  std::vector<PackedOperand> packed;
  for (const PackingPlan::Operand& operand : plan.operands) {
    const Int& tile = operand.by_lane ? width : rows;
    const BlockRef block = sch.pack(reader, operand.buffer, panel_map(operand, tile),
                                    {{static_cast<int64_t>(operand.dimension), tile}});
    packed.push_back({block, &operand, tile});
  }
  return packed;
}

void place_operands(Schedule& sch, const std::vector<PackedOperand>& packed, Loop lane_place,
                    Loop row_place, const std::vector<Loop>& others, int64_t lanes, int threads) {
  for (const PackedOperand& p : packed) {
    const auto& outer = p.operand->outer_first;
    const bool varies = std::find(outer.begin(), outer.end(), true) != outer.end();
    const bool stays = !others.empty() && !varies;
    std::optional<Loop> place;
    if (!stays) {
      place = p.operand->by_lane ? lane_place : row_place;
      sch.compute_at(p.block, *place);
    }
    std::vector<Loop> order;
    std::optional<Loop> tiled;
    const std::vector<InnerLoop> loops = inner_loops(sch, p.block, place);
    for (const InnerLoop& inner : loops) {
      if (inner.dimension == p.operand->dimension) {
        tiled = inner.loop;
      } else {
        order.push_back(inner.loop);
      }
    }
    if (!tiled) continue;
    const bool contiguous = p.operand->dimension + 1 == p.operand->rank && p.tile % lanes == 0;
    if (contiguous) {
      // Whole rows of the operand are read in order, each spread over the panels.
      const std::vector<Loop> parts = sch.split_factor(*tiled, lanes);
      order.insert(order.end(), parts.begin(), parts.end());
      sch.reorder(order);
      sch.vectorize(parts[1]);
    } else {
      const std::vector<Loop> parts = sch.split_factor(*tiled, p.tile);
      std::vector<Loop> by_tile = {parts[0]};
      by_tile.insert(by_tile.end(), order.begin(), order.end());
      by_tile.push_back(parts[1]);
      sch.reorder(by_tile);
      sch.unroll(parts[1]);
      order = by_tile;
    }
    if (threads > 1 && (stays || p.operand->by_lane)) attempt(sch, [&] { sch.parallel(order[0]); });
  }
}

}  // namespace tilewright::tuner::sketches
