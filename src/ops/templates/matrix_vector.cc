#include "ops/templates/matrix_vector.h"

#include "ops/templates/register_tile.h"

namespace tilewright::ops::detail {
namespace {

using schedule::BlockRef;
using schedule::Factor;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

const Factor kOpen = std::nullopt;

// Vectors of partial sums at a time; their lanes are added one by one.
constexpr int64_t kMaxPartialVectors = 8;

void parallel_outer(Schedule& sch, const std::vector<Loop>& outer, int threads) {
  if (threads > 1) sch.parallel(outer.size() == 1 ? outer[0] : sch.fuse(outer));
}

// [batch] i j k -> [batch] r0, over the place of which everything else runs.
void lanes_over_terms(Schedule& sch, BlockRef main, const MatrixVector& p, int64_t lanes,
                      int threads) {
  Int rows = sch.sample_categorical(up_to({1, 2, 4, 8}, p.length), {}, "rows");
  const int64_t limit = std::min(kMaxPartialVectors / rows, (p.depth + lanes - 1) / lanes);
  Int vectors = sch.sample_categorical(up_to({1, 2, 4}, limit), {}, "vectors");
  std::vector<Loop> l = sch.get_loops(main);
  const size_t at = l.size() - (p.over_rows ? 3 : 2);
  sch.split(l[at], {kOpen, rows});
  BlockRef partial = sch.rfactor(sch.split(l.back(), {kOpen, times(vectors, lanes)})[1]);
  l = sch.get_loops(main);  // of the sum of the partial sums, whose lanes are the innermost loop
  sch.compute_at(partial, l[at]);
  sch.set_scope(partial, "register");
  // The place, then: [batch] i j, the lanes' terms, and the others unless one vector holds all.
  std::vector<Loop> inner = sch.get_loops(partial);
  const size_t i = at + 1 + (p.over_rows ? at : at - 1);
  const Loop inner_row = inner[i + (p.over_rows ? 0 : 1)];
  std::vector<Loop> order = sch.split_factor(inner[i + 2], lanes);
  const std::vector<Loop> lane = order;
  order.insert(order.begin(), inner_row);
  if (i + 3 < inner.size()) order.insert(order.begin(), inner[i + 3]);
  sch.reorder(order);
  sch.unroll(inner_row);
  sch.unroll(lane[0]);
  sch.vectorize(lane[1]);
  sch.unroll(l[at + 1]);
  sch.unroll(l.back());
  parallel_outer(sch, {l.begin(), l.begin() + static_cast<int64_t>(at) + 1}, threads);
}

void lanes_over_results(Schedule& sch, BlockRef main, const MatrixVector& p, int64_t lanes,
                        int threads) {
  Int vectors =
      sch.sample_categorical(up_to({1, 2, 4, 8}, (p.length + lanes - 1) / lanes), {}, "vectors");
  BlockRef copy = sch.cache_write(main, "register");
  std::vector<Loop> l = sch.get_loops(main);
  const size_t at = l.size() - (p.over_rows ? 3 : 2);
  std::vector<Loop> outer(l.begin(), l.begin() + static_cast<int64_t>(at));
  std::vector<Loop> lane = sch.split(l[at], {kOpen, vectors, lanes});
  outer.push_back(lane[0]);
  sch.reorder({lane[0], l.back(), lane[1], lane[2]});
  sch.reverse_compute_at(copy, lane[0]);
  std::vector<Loop> out = sch.get_loops(copy);  // ..., i, j
  std::vector<Loop> parts = sch.split_factor(out[out.size() - (p.over_rows ? 2 : 1)], lanes);
  sch.unroll(parts[0]);
  sch.vectorize(parts[1]);
  sch.unroll(lane[1]);
  sch.vectorize(lane[2]);
  parallel_outer(sch, outer, threads);
}

}  // namespace

void schedule_matrix_vector(Schedule& sch, const std::string& block, const MatrixVector& p,
                            int64_t lanes, int threads) {
  const bool terms_fill_vectors = p.depth_contiguous && p.depth >= lanes;
  if (p.depth > 1 && (terms_fill_vectors || p.length == 1)) {
    lanes_over_terms(sch, sch.get_block(block), p, lanes, threads);
  } else if (p.length > 1) {
    lanes_over_results(sch, sch.get_block(block), p, lanes, threads);
  }
}

}  // namespace tilewright::ops::detail
