#include "tilewright/schedule/decision_text.h"
#include "tuner/space/sketches/nest_rules.h"
#include "tuner/space/sketches/steps.h"

namespace tilewright::tuner::sketches {
namespace {

using schedule::BlockRef;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

// Vectors of partial sums at a time, of all rows together.
constexpr int64_t kMaxPartialVectors = 16;

// The axis of the reduction along which most operands are contiguous; the innermost of those alike.
const Axis* contiguous_axis(const NestView& nest) {
  const Axis* best = nullptr;
  int64_t most = -1;
  for (const Axis* axis : nest.reduce()) {
    if (axis->extent <= 1) continue;
    const int64_t contiguous = std::count_if(
        nest.loads.begin(), nest.loads.end(),
        [&](const Access& load) { return stride_along(load, axis->var) == Stride::kContiguous; });
    if (contiguous >= most) best = axis, most = contiguous;
  }
  return best;
}

// The innermost spatial axis of more than one point.
const Axis* row_axis(const NestView& nest) {
  const Axis* row = nullptr;
  for (const Axis* axis : nest.spatial()) {
    if (axis->extent > 1) row = axis;
  }
  return row;
}

}  // namespace

bool can_sum_in_lanes(const NestView& nest) {
  return nest.is_reduction() && nest.reducer->associative && nest.reducer->commutative &&
         nest.stores.size() == 1 && contiguous_axis(nest);
}

PartialSums cut_into_lanes(Schedule& sch, const NestView& nest, const Target& target) {
  const int64_t lanes = target.vector_lanes(nest.bits());
  const Axis& terms = *contiguous_axis(nest);
  const Axis* row = row_axis(nest);
  Int rows = 1;
  if (row) rows = choose(sch, nest, "rows", {1, 2, 4, 8}, row->extent);
  const Int vectors = choose(sch, nest, "vectors", {1, 2, 4, 8},
                             std::min(kMaxPartialVectors / rows, ceil_div(terms.extent, lanes)));
  PartialSums sums;
  sums.lanes = lanes;
  if (row) {
    sums.row_dim = *dimension_of(nest.stores[0], row->var);
    sums.rows = rows;
  }
  sums.partial = sch.rfactor(sch.split_factor(terms.loop, schedule::times(vectors, lanes))[1]);
  return sums;
}

std::vector<Loop> arrange_sums(Schedule& sch, const NestView& nest, const PartialSums& sums,
                               std::optional<Loop> place) {
  // The sum of the partial sums has loops of its own. A tile of it is made inside the last outer one.
  std::vector<Loop> outer, tile;
  for (const InnerLoop& loop : inner_loops(sch, nest.block, place)) {
    if (loop.reduce) {
      tile.push_back(loop.loop);
    } else if (loop.dimension && loop.dimension == sums.row_dim) {
      const std::vector<Loop> parts = sch.split_factor(loop.loop, sums.rows);
      outer.push_back(parts[0]);
      tile.insert(tile.begin(), parts[1]);
    } else {
      outer.push_back(loop.loop);
    }
  }
  std::vector<Loop> order = outer;
  order.insert(order.end(), tile.begin(), tile.end());
  if (order.size() > 1) sch.reorder(order);
  const Loop inside = outer.empty() ? sch.add_unit_loop(tile[0]) : outer.back();
  sch.compute_at(sums.partial, inside);
  sch.set_scope(sums.partial, "register");

  // Partial results have the lanes as their first dimension.
  std::vector<Loop> reduce, spatial;
  std::optional<Loop> lane;
  for (const InnerLoop& inner : inner_loops(sch, sums.partial, inside)) {
    if (inner.reduce) {
      reduce.push_back(inner.loop);
    } else if (inner.dimension == 0u) {
      lane = inner.loop;
    } else {
      spatial.push_back(inner.loop);
    }
  }
  const std::vector<Loop> parts = sch.split_factor(*lane, sums.lanes);
  order = reduce;
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.insert(order.end(), parts.begin(), parts.end());
  sch.reorder(order);
  for (Loop loop : spatial) sch.unroll(loop);
  sch.unroll(parts[0]);
  sch.vectorize(parts[1]);
  for (Loop loop : tile) sch.unroll(loop);
  return outer;
}

void sum_in_lanes(Schedule& sch, const NestView& nest, const Target& target, int threads) {
  const PartialSums sums = cut_into_lanes(sch, nest, target);
  run_in_parallel(sch, arrange_sums(sch, nest, sums, {}), threads);
}

}  // namespace tilewright::tuner::sketches
