#include "ops/templates/conv2d.h"

#include "ops/templates/register_tile.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/visitor.h"

namespace tilewright::ops::detail {
namespace {

using schedule::BlockRef;
using schedule::Factor;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;

const Factor kOpen = std::nullopt;

// Wider kernels stay loops: unrolled, the body would outgrow the instruction cache.
constexpr int64_t kMaxUnrolledKernel = 16;

enum Axis { kChannel, kHeight, kWidth };

struct Problem {
  bool nchw = true;
  bool grouped = false;
  int64_t extent[3] = {1, 1, 1};  // of the output, by Axis
  int64_t kernel_width = 1;
};

struct Loops {
  Loop n;
  Loop axis[3];
  Loop rc, ry, rx;
};

Loops name_loops(const std::vector<Loop>& l, bool nchw) {
  if (nchw) return {l[0], {l[1], l[2], l[3]}, l[4], l[5], l[6]};
  return {l[0], {l[3], l[1], l[2]}, l[6], l[4], l[5]};
}

Problem inspect(Schedule& sch, const std::string& main) {
  Problem p;
  std::vector<Loop> loops = sch.get_loops(sch.get_block(main));
  p.nchw = sch.loop_name(loops[1]) == "co";
  const Loops l = name_loops(loops, p.nchw);
  for (Axis axis : {kChannel, kHeight, kWidth}) {
    p.extent[axis] = sch.loop_extent_or(l.axis[axis], 1);
  }
  p.kernel_width = sch.loop_extent_or(l.rx, 1);
  int64_t rc = sch.loop_extent_or(l.rc, 1);
  ir::walk_exprs(sch.func()->body, [&](const ir::Expr& e) {
    const auto* load = e.as<ir::LoadNode>();
    if (!load || load->buffer->name != "data") return;
    const int64_t* channels = ir::as_const_int(load->buffer->shape[p.nchw ? 1 : 3]);
    p.grouped = channels && *channels != rc;
  });
  return p;
}

// The axes of the register tile. Both have more than one point where two axes of the output have.
struct TileAxes {
  Axis lane = kChannel, row = kWidth;
  bool vectors = true;  // false: the output has one point
};

// Lanes over output channels, which share what is read of the input; over pixels where channels read different inputs
// that don't lie side by side, or are too few to fill a vector of contiguous pixels.
TileAxes choose_axes(const Problem& p, int64_t lanes) {
  const int64_t channels = p.extent[kChannel], width = p.extent[kWidth];
  const Axis pixel = width > 1 ? kWidth : kHeight;
  const bool few = p.nchw && 2 * channels <= lanes && channels < p.extent[pixel];
  const bool on_channels = channels > 1 && !(p.grouped && p.nchw) && !few;
  if (on_channels || p.extent[pixel] == 1) return {kChannel, pixel, channels > 1};
  if (channels > 1) return {pixel, kChannel};
  return {pixel, pixel == kWidth ? kHeight : kWidth};
}

// Weights with the tile of output channels innermost.
std::string weight_map(const Problem& p, const Int& tile) {
  const std::string t = map_number(tile);
  return p.nchw ? fmt::format("(o, c, y, x) -> (o // {}, c, y, x, o % {})", t, t)
                : fmt::format("(y, x, c, o) -> (o // {}, y, x, c, o % {})", t, t);
}

// The loops of the packed weights in the order in which they lie.
void schedule_weights(Schedule& sch, const Problem& p, BlockRef pack, const Int& tile,
                      int threads) {
  std::vector<Loop> l = sch.get_loops(pack);
  std::vector<Loop> o = sch.split_factor(l[p.nchw ? 0 : 3], tile);
  std::vector<Loop> order = p.nchw ? std::vector<Loop>{o[0], l[1], l[2], l[3], o[1]}
                                   : std::vector<Loop>{o[0], l[0], l[1], l[2], o[1]};
  sch.reorder(order);
  if (threads > 1) sch.parallel(o[0]);
}

void schedule_padding(Schedule& sch, int64_t lanes, int threads) {
  if (has_block(sch, "pad")) schedule_elementwise(sch, "pad", lanes, threads);
}

// The copy from registers to the output, cut like the tile.
void schedule_copy(Schedule& sch, const Problem& p, BlockRef copy, const TileAxes& tile,
                   int64_t lanes) {
  std::vector<Loop> l = sch.get_loops(copy);  // ..., n, then the axes in the order of the layout
  const size_t first = l.size() - 3;
  const size_t place[3] = {p.nchw ? first : first + 2, p.nchw ? first + 1 : first,
                           p.nchw ? first + 2 : first + 1};
  const Loop row = l[place[tile.row]], lane = l[place[tile.lane]];
  if (tile.vectors) {
    std::vector<Loop> parts = sch.split_factor(lane, lanes);
    sch.reorder({row, parts[0], parts[1]});
    sch.unroll(parts[0]);
    sch.vectorize(parts[1]);
  }
  sch.unroll(row);
}

void schedule_tile(Schedule& sch, const Target& target, const Problem& p, const std::string& main,
                   int64_t lanes, int threads) {
  const TileAxes tile = choose_axes(p, lanes);
  const int64_t row_extent = p.extent[tile.row];
  Int vectors = sch.sample_categorical(
      up_to({1, 2, 3, 4}, (p.extent[tile.lane] + lanes - 1) / lanes), {}, "vectors");
  const Int width = times(vectors, lanes);
  int64_t limit = std::min(row_extent, max_tile_rows(target, vectors));
  Int rows = sch.sample_categorical(up_to({1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 28}, limit),
                                    {}, "rows");
  bool unroll_kernel = false;
  if (p.kernel_width <= kMaxUnrolledKernel) {
    unroll_kernel = sch.sample_categorical({0, 1}, {}, "unroll_kernel") != 0;
  }

  BlockRef block = sch.get_block(main);
  BlockRef copy = sch.cache_write(block, "register");
  const bool pack_weights = tile.lane == kChannel && tile.vectors;
  if (pack_weights) {
    int64_t dim = p.nchw ? 0 : 3;
    BlockRef pack = sch.pack(block, "weight", weight_map(p, width), {{dim, width}});
    schedule_weights(sch, p, pack, width, threads);
  }
  Loops l = name_loops(sch.get_loops(block), p.nchw);
  std::vector<Loop> inner;
  {
    std::vector<Loop> row = sch.split(l.axis[tile.row], {kOpen, rows});
    l.axis[tile.row] = row[0];
    inner.push_back(row[1]);
  }
  if (tile.vectors) {
    // Surplus channels have room in the packed weights; those of a group would read beyond the input.
    const char* tail = pack_weights && !p.grouped ? "pad" : "guard";
    std::vector<Loop> lane = sch.split(l.axis[tile.lane], {kOpen, vectors, lanes}, tail);
    l.axis[tile.lane] = lane[0];
    inner.insert(inner.end(), {lane[1], lane[2]});
  }
  std::vector<Loop> order = {l.n, l.axis[kChannel], l.axis[kHeight], l.axis[kWidth], l.rc, l.ry,
                             l.rx};
  order.insert(order.end(), inner.begin(), inner.end());
  sch.reorder(order);
  sch.reverse_compute_at(copy, l.axis[kWidth]);
  schedule_copy(sch, p, copy, tile, lanes);
  sch.unroll(inner[0]);
  if (tile.vectors) {
    sch.unroll(inner[1]);
    sch.vectorize(inner[2]);
  }
  if (unroll_kernel) sch.unroll(l.rx);
  if (threads > 1) sch.parallel(sch.fuse({l.n, l.axis[kChannel], l.axis[kHeight]}));
}

}  // namespace

void conv2d_direct(Schedule& sch, const Target& target, int threads) {
  const std::string main = has_block(sch, "conv_acc") ? "conv_acc" : "conv";
  const int64_t lanes = target.vector_lanes(static_cast<int>(accumulator_bits(sch, main)));
  schedule_padding(sch, lanes, threads);
  schedule_tile(sch, target, inspect(sch, main), main, lanes, threads);
  if (main != "conv") schedule_elementwise(sch, "conv", lanes, threads);
}

}  // namespace tilewright::ops::detail
