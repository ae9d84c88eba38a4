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

struct Problem {
  bool nchw = true;
  bool grouped = false;
  int64_t co = 1, w = 1;
};

struct Loops {
  Loop n, co, h, w, rc, ry, rx;
};

Loops name_loops(Schedule& sch, BlockRef main, bool nchw) {
  std::vector<Loop> l = sch.get_loops(main);
  if (nchw) return {l[0], l[1], l[2], l[3], l[4], l[5], l[6]};
  return {l[0], l[3], l[1], l[2], l[6], l[4], l[5]};
}

Problem inspect(Schedule& sch, const std::string& main) {
  Problem p;
  std::vector<Loop> loops = sch.get_loops(sch.get_block(main));
  p.nchw = sch.loop_name(loops[1]) == "co";
  p.co = sch.loop_extent_or(loops[p.nchw ? 1 : 3], 1);
  p.w = sch.loop_extent_or(loops[p.nchw ? 3 : 2], 1);
  int64_t rc = sch.loop_extent_or(loops[p.nchw ? 4 : 6], 1);
  ir::walk_exprs(sch.func()->body, [&](const ir::Expr& e) {
    const auto* load = e.as<ir::LoadNode>();
    if (!load || load->buffer->name != "data") return;
    const int64_t* channels = ir::as_const_int(load->buffer->shape[p.nchw ? 1 : 3]);
    p.grouped = channels && *channels != rc;
  });
  return p;
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

// Lanes over output channels, rows over pixels of a line (or the other way round).
void schedule_tile(Schedule& sch, const Target& target, const Problem& p, const std::string& main,
                   int64_t lanes, bool lanes_on_channels, int threads) {
  const int64_t lane_extent = lanes_on_channels ? p.co : p.w;
  const int64_t row_extent = lanes_on_channels ? p.w : p.co;
  Int vectors =
      sch.sample_categorical(up_to({1, 2, 3, 4}, (lane_extent + lanes - 1) / lanes), {}, "vectors");
  const Int width = times(vectors, lanes);
  int64_t limit = std::min(row_extent, max_tile_rows(target, vectors));
  Int rows = sch.sample_categorical(up_to({1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 28}, limit),
                                    {}, "rows");
  bool unroll_kernel = sch.sample_categorical({0, 1}, {}, "unroll_kernel") != 0;

  BlockRef block = sch.get_block(main);
  BlockRef copy = sch.cache_write(block, "register");
  if (lanes_on_channels) {
    int64_t dim = p.nchw ? 0 : 3;
    BlockRef pack = sch.pack(block, "weight", weight_map(p, width), {{dim, width}});
    schedule_weights(sch, p, pack, width, threads);
  }
  Loops l = name_loops(sch, block, p.nchw);
  std::vector<Loop> lane = sch.split(lanes_on_channels ? l.co : l.w, {kOpen, vectors, lanes},
                                     lanes_on_channels ? "pad" : "guard");
  std::vector<Loop> row = sch.split(lanes_on_channels ? l.w : l.co, {kOpen, rows});
  Loop channels = lanes_on_channels ? lane[0] : row[0];
  Loop pixels = lanes_on_channels ? row[0] : lane[0];
  sch.reorder({l.n, channels, l.h, pixels, l.rc, l.ry, l.rx, row[1], lane[1], lane[2]});
  sch.reverse_compute_at(copy, pixels);
  std::vector<Loop> out = sch.get_loops(copy);
  // ..., n, then channel and pixels in the order of the layout
  size_t n = out.size();
  Loop out_channel = p.nchw ? out[n - 3] : out[n - 1];
  Loop out_pixel = p.nchw ? out[n - 1] : out[n - 2];
  Loop out_lane = lanes_on_channels ? out_channel : out_pixel;
  Loop out_row = lanes_on_channels ? out_pixel : out_channel;
  std::vector<Loop> out_lanes = sch.split_factor(out_lane, lanes);
  sch.reorder({out_row, out_lanes[0], out_lanes[1]});
  sch.unroll(out_row);
  sch.unroll(out_lanes[0]);
  sch.vectorize(out_lanes[1]);
  sch.unroll(row[1]);
  sch.unroll(lane[1]);
  sch.vectorize(lane[2]);
  if (unroll_kernel) sch.unroll(l.rx);
  if (threads > 1) sch.parallel(sch.fuse({l.n, channels, l.h}));
}

}  // namespace

void conv2d_direct(Schedule& sch, const Target& target, int threads) {
  const std::string main = has_block(sch, "conv_acc") ? "conv_acc" : "conv";
  const int64_t lanes = target.vector_lanes(static_cast<int>(accumulator_bits(sch, main)));
  Problem p = inspect(sch, main);
  bool on_channels = !(p.grouped && p.nchw);
  schedule_padding(sch, lanes, threads);
  schedule_tile(sch, target, p, main, lanes, on_channels, threads);
  if (main != "conv") schedule_elementwise(sch, "conv", lanes, threads);
}

}  // namespace tilewright::ops::detail
