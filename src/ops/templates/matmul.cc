#include "ops/templates/matmul.h"

#include "ops/templates/matrix_vector.h"
#include "ops/templates/register_tile.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/schedule/composite.h"

namespace tilewright::ops::detail {
namespace {

using schedule::BlockRef;
using schedule::Factor;
using schedule::Int;
using schedule::Loop;
using schedule::Schedule;
using schedule::unroll_tile;

const Factor kOpen = std::nullopt;

// The numbers of the nest (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM
// TOMS 2008): a register tile of `mr` rows x `nr` columns, `mc` x `kc` of A in the second-level cache, `kc` x
// `nc` of B beyond it.
struct Blocking {
  int64_t lanes = 1;            // of one vector
  Int mr, vectors;              // nr = vectors * lanes
  Int row_tiles, column_tiles;  // mc = row_tiles * mr, nc = column_tiles * nr
  Int kc;
  bool pack_a = true, pack_b = true;
  Int nr() const { return times(vectors, lanes); }
};

struct Problem {
  int64_t m, n, k;
  bool batched, trans_a, trans_b;
};

// Reads the shape off the definition: which dimension of A and B is indexed by which axis.
Problem inspect(Schedule& sch, const std::string& block) {
  Problem p{};
  std::vector<Loop> loops = sch.get_loops(sch.get_block(block));
  size_t n = loops.size();
  p.batched = n == 4;
  p.m = sch.loop_extent_or(loops[n - 3], 1);
  p.n = sch.loop_extent_or(loops[n - 2], 1);
  p.k = sch.loop_extent_or(loops[n - 1], 1);
  ir::walk_exprs(sch.func()->body, [&](const ir::Expr& e) {
    const auto* load = e.as<ir::LoadNode>();
    if (!load || load->indices.size() < 2) return;
    const auto* last = load->indices.back().as<ir::VarNode>();
    if (!last) return;
    if (load->buffer->name == "A") p.trans_a = last->name == "i" || last->name == "vi";
    if (load->buffer->name == "B") p.trans_b = last->name == "k" || last->name == "vk";
  });
  return p;
}

// "(b, m, k) -> (b, m // t, k, m % t)" with the tiled dimension innermost.
std::string panel_map(const Problem& p, bool tiled_first, const Int& tile) {
  const char* batch = p.batched ? "b, " : "";
  std::string dims = tiled_first ? "t, k" : "k, t";
  return fmt::format("({}{}) -> ({}t // {}, k, t % {})", batch, dims, batch, map_number(tile),
                     map_number(tile));
}

Blocking sample_blocking(Schedule& sch, const Target& target, const Problem& p, int64_t lanes) {
  Blocking b;
  b.lanes = lanes;
  b.vectors = sch.sample_categorical(up_to({1, 2, 3, 4}, (p.n + lanes - 1) / lanes), {}, "vectors");
  int64_t limit = std::min(p.m, max_tile_rows(target, b.vectors));
  b.mr =
      sch.sample_categorical(up_to({1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28}, limit), {}, "mr");
  b.row_tiles = sch.sample_categorical(up_to({4, 8, 12, 16, 24, 32}, (p.m + b.mr - 1) / b.mr), {},
                                       "row_tiles");
  b.column_tiles = sch.sample_categorical(up_to({8, 16, 32, 64, 128}, (p.n + b.nr() - 1) / b.nr()),
                                          {}, "column_tiles");
  std::vector<int64_t> depths = up_to({128, 192, 256, 320, 384, 512, 768}, p.k);
  if (depths.back() != p.k && p.k <= 1024) depths.push_back(p.k);
  b.kc = sch.sample_categorical(depths, {}, "kc");
  b.pack_a = sch.sample_categorical({0, 1}, {}, "pack_a") != 0;
  b.pack_b = sch.sample_categorical({0, 1}, {0.2, 0.8}, "pack_b") != 0;
  return b;
}

// Copies a panel of an operand at `place`; its tiled dimension becomes the innermost of the copy's loops. With
// lanes (more than 1) whole rows of the operand are read in order, each spread over the panels.
void place_pack(Schedule& sch, BlockRef pack, Loop place, bool tiled_first, Int tile, int64_t lanes,
                int threads) {
  sch.compute_at(pack, place);
  std::vector<Loop> loops = sch.get_loops(pack);
  Loop tiled = loops[loops.size() - (tiled_first ? 2 : 1)];
  Loop depth = loops[loops.size() - (tiled_first ? 1 : 2)];
  if (lanes > 1) {
    std::vector<Loop> parts = sch.split_factor(tiled, lanes);
    sch.reorder({depth, parts[0], parts[1]});
    sch.vectorize(parts[1]);
    if (threads > 1) sch.parallel(depth);
  } else {
    std::vector<Loop> parts = sch.split_factor(tiled, tile);
    sch.reorder({parts[0], depth, parts[1]});
    sch.unroll(parts[1]);
  }
}

// Panels of A are packed row by row of the tile; B's rows are contiguous unless it is stored transposed.
void place_packs(Schedule& sch, const Problem& p, const Blocking& b, std::optional<BlockRef> pack_a,
                 Loop place_a, std::optional<BlockRef> pack_b, Loop place_b, int threads) {
  int64_t lanes_a = p.trans_a && b.mr % b.lanes == 0 ? b.lanes : 1;
  if (pack_a) place_pack(sch, *pack_a, place_a, !p.trans_a, b.mr, lanes_a, 1);
  int64_t lanes_b = p.trans_b ? 1 : b.lanes;
  if (pack_b) place_pack(sch, *pack_b, place_b, p.trans_b, b.nr(), lanes_b, threads);
}

std::optional<BlockRef> pack_operand(Schedule& sch, bool wanted, BlockRef main, const char* name,
                                     const Problem& p, bool tiled_first, Int tile) {
  if (!wanted) return std::nullopt;
  int64_t dim = (p.batched ? 1 : 0) + (tiled_first ? 0 : 1);
  return sch.pack(main, name, panel_map(p, tiled_first, tile), {{dim, tile}});
}

struct Nest {
  std::vector<Loop> batch;
  std::vector<Loop> i, j, k;
};

Nest split_loops(Schedule& sch, BlockRef main, const Blocking& b, const char* row_tail,
                 const char* column_tail) {
  std::vector<Loop> loops = sch.get_loops(main);
  size_t n = loops.size();
  Nest nest;
  nest.batch.assign(loops.begin(), loops.end() - 3);
  nest.i = sch.split(loops[n - 3], {kOpen, b.row_tiles, b.mr}, row_tail);
  nest.j = sch.split(loops[n - 2], {kOpen, b.column_tiles, b.vectors, b.lanes}, column_tail);
  nest.k = sch.split(loops[n - 1], {kOpen, b.kc});
  return nest;
}

// The whole of k fits one panel: the tile is accumulated in registers from zero and stored once.
void schedule_single_panel(Schedule& sch, BlockRef main, const Problem& p, const Blocking& b,
                           int threads) {
  const char* row_tail = b.pack_a ? "pad" : "guard";
  const char* column_tail = b.pack_b ? "pad" : "guard";
  BlockRef copy = sch.cache_write(main, "register");
  auto pack_b = pack_operand(sch, b.pack_b, main, "B", p, p.trans_b, b.nr());
  auto pack_a = pack_operand(sch, b.pack_a, main, "A", p, !p.trans_a, b.mr);
  Nest l = split_loops(sch, main, b, row_tail, column_tail);
  sch.reorder({l.j[0], l.i[0], l.j[1], l.i[1], l.k[0], l.k[1], l.i[2], l.j[2], l.j[3]});
  sch.reverse_compute_at(copy, l.i[1]);
  std::vector<Loop> out = sch.get_loops(copy);
  unroll_tile(sch, out[out.size() - 2], out.back(), b.lanes);
  sch.unroll(l.i[2]);
  sch.unroll(l.j[2]);
  sch.vectorize(l.j[3]);
  place_packs(sch, p, b, pack_a, l.i[0], pack_b, l.j[0], threads);
  if (threads > 1) sch.parallel(l.i[0]);
}

// Several panels of k: each gives partial results in registers, which are added to C.
void schedule_panels(Schedule& sch, BlockRef main, const Problem& p, const Blocking& b,
                     int threads) {
  Nest l = split_loops(sch, main, b, "guard", "guard");
  sch.reorder({l.j[0], l.k[0], l.i[0], l.j[1], l.i[1], l.k[1], l.i[2], l.j[2], l.j[3]});
  BlockRef partial = sch.rfactor(l.k[0]);
  std::vector<Loop> c = sch.get_loops(main);
  c.erase(c.begin(), c.begin() + static_cast<int64_t>(l.batch.size()));
  // j0, i0, j1, i1, i2, j2, j3, k0
  Loop j0 = c[0], i0 = c[1], j1 = c[2], i1 = c[3], i2 = c[4], j2 = c[5], j3 = c[6], k0 = c[7];
  sch.reorder({j0, k0, i0, j1, i1, i2, j2, j3});
  auto pack_b = pack_operand(sch, b.pack_b, partial, "B", p, p.trans_b, b.nr());
  auto pack_a = pack_operand(sch, b.pack_a, partial, "A", p, !p.trans_a, b.mr);
  sch.compute_at(partial, i1, b.pack_a && b.pack_b ? "pad" : "guard");
  sch.set_scope(partial, "register");
  std::vector<Loop> inner = sch.get_loops(partial);
  // ..., i, j, k0, k
  size_t n = inner.size();
  sch.reorder({inner[n - 1], inner[n - 2], inner[n - 4], inner[n - 3]});
  unroll_tile(sch, inner[n - 4], inner[n - 3], b.lanes);
  sch.unroll(i2);
  sch.unroll(j2);
  sch.vectorize(j3);
  place_packs(sch, p, b, pack_a, i0, pack_b, k0, threads);
  if (threads > 1) sch.parallel(i0);
}

void schedule_tiles(Schedule& sch, BlockRef block, const Problem& p, const Blocking& b,
                    int threads) {
  if (b.kc >= p.k) {
    schedule_single_panel(sch, block, p, b, threads);
  } else {
    schedule_panels(sch, block, p, b, threads);
  }
}

}  // namespace

void matmul_goto(Schedule& sch, const Target& target, int threads) {
  const std::string main = has_block(sch, "C_acc") ? "C_acc" : "C";
  const int64_t lanes = target.vector_lanes(static_cast<int>(accumulator_bits(sch, main)));
  Problem p = inspect(sch, main);
  if (p.m == 1 || p.n == 1) {
    const bool over_rows = p.n == 1;
    const bool depth_contiguous = over_rows ? p.m == 1 || !p.trans_a : p.trans_b;
    schedule_matrix_vector(sch, main, {over_rows, over_rows ? p.m : p.n, p.k, depth_contiguous},
                           lanes, threads);
  } else {
    schedule_tiles(sch, sch.get_block(main), p, sample_blocking(sch, target, p, lanes), threads);
  }
  if (main != "C") schedule_elementwise(sch, "C", lanes, threads);
}

}  // namespace tilewright::ops::detail
