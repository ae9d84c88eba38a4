#include "tuner/cost_model/block_cost.h"

#include <catch2/catch.hpp>

#include "tilewright/ir/visitor.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/te.h"

namespace tilewright::tuner {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

Target machine() {
  return Target::parse(
      "cpu -arch=x86_64 -features=+avx2,+fma -vector-bits=256 -cores=4 -l1=32k "
      "-l2=512k -l3=8m");
}

// Finds a block and the loops around it.
class Finder final : public ir::Visitor {
 public:
  using Visitor::visit;
  explicit Finder(std::string name) : name_(std::move(name)) {}
  const ir::BlockRealizeNode* found = nullptr;
  std::vector<LoopShape> loops;
  arith::Analyzer facts;

 protected:
  using Visitor::visit_node;
  void visit_node(const ir::ForNode& node) override {
    if (found) return;
    arith::Analyzer outer(facts);
    facts.bind_extent(node.var, node.extent);
    loops.push_back({&node, extent_of(outer, node.extent)});
    visit(node.body);
    if (found) return;
    loops.pop_back();
    facts = std::move(outer);
  }
  void visit_node(const ir::BlockRealizeNode& node) override {
    if (node.block->name == name_) found = &node;
  }

 private:
  std::string name_;
};

struct Found {
  ir::PrimFunc func;  // keeps what the rest points to
  BlockCost cost;
  std::vector<double> extents;  // as far as the loops run
};
Found cost(const ir::PrimFunc& func, const std::string& block, size_t body_depth = 99) {
  Finder finder(block);
  finder.visit(func->body);
  REQUIRE(finder.found);
  Found result{func, cost_of(*finder.found, finder.loops, finder.facts, machine(), {}, 1), {}};
  clip_loops(*finder.found, finder.facts, std::min(body_depth, finder.loops.size()), finder.loops);
  for (const LoopShape& loop : finder.loops) result.extents.push_back(loop.extent);
  return result;
}

ir::PrimFunc matmul(int64_t m, int64_t n, int64_t k) {
  te::Tensor a = te::placeholder({m, k}, kFloat32, "A"), b = te::placeholder({k, n}, kFloat32, "B");
  const te::ReduceAxis r = te::reduce_axis(k, "k");
  te::Tensor c = te::compute(
      {m, n}, [&](te::Var i, te::Var j) { return te::sum(a(i, r) * b(r, j), r); }, "C");
  return te::create_prim_func({a, b, c});
}

// Rows in tiles of 6 and panels of `panel` such tiles.
std::vector<double> extents_of_rows(int64_t rows, int64_t panel, const char* tail) {
  Schedule sch(matmul(rows, 8, 4));
  const BlockRef c = sch.get_block("C");
  sch.split(sch.get_loops(c)[0], {std::nullopt, panel, 6}, tail);
  return cost(sch.func(), "C", 2).extents;
}

// A register tile of `rows` x `columns`.
ir::PrimFunc tiled(const ir::PrimFunc& func, int64_t rows, int64_t columns) {
  Schedule sch(func);
  const BlockRef c = sch.get_block("C");
  const BlockRef copy = sch.cache_write(c, "register");
  const std::vector<Loop> l = sch.get_loops(c);
  const std::vector<Loop> i = sch.split_factor(l[0], rows),
                          j = sch.split(l[1], {std::nullopt, columns / 8, 8});
  sch.reorder({i[0], j[0], l[2], i[1], j[1], j[2]});
  sch.reverse_compute_at(copy, j[0]);
  sch.unroll(i[1]);
  sch.unroll(j[1]);
  sch.vectorize(j[2]);
  return sch.func();
}

}  // namespace

TEST_CASE("surplus iterations of a split are cut off") {
  // 100 rows: 17 tiles of 6, in panels of 8 tiles 2 and an eighth; the last tile has 4 rows.
  const std::vector<double> guarded = extents_of_rows(100, 8, "guard");
  CHECK(guarded[0] == 3);
  CHECK(guarded[0] * guarded[1] == Approx(17));
  CHECK(guarded[0] * guarded[1] * guarded[2] == Approx(100));
  // One panel that is longer than the matrix.
  const std::vector<double> one = extents_of_rows(100, 32, "guard");
  CHECK(one[0] == 1);
  CHECK(one[1] == 17);
  // What fits needs no cutting.
  CHECK(extents_of_rows(96, 8, "guard")[1] == 8);
}

TEST_CASE("work done for surplus elements counts, work that is skipped does not") {
  const Found even = cost(tiled(matmul(96, 96, 64), 6, 16), "C");
  CHECK(even.cost.waste == 1);
  CHECK(even.cost.iterations == 16 * 6 * 64);
  // The seventh of a tile of 8 columns runs whole vectors.
  const Found uneven = cost(tiled(matmul(96, 97, 64), 6, 16), "C");
  CHECK(uneven.cost.waste == Approx(104.0 / 97));
}

TEST_CASE("arithmetic counts as often as its operands change") {
  // (scale + shift) does not change in a row: it is computed before the loop over columns.
  te::Tensor a = te::placeholder({64, 64}, kFloat32, "A"), s = te::placeholder({64}, kFloat32, "S");
  te::Tensor c = te::compute(
      {64, 64}, [&](te::Var i, te::Var j) { return a(i, j) * (s(i) + s(i)); }, "C");
  Schedule sch(te::create_prim_func({a, s, c}));
  const std::vector<Loop> l = sch.get_loops(sch.get_block("C"));
  const std::vector<Loop> j = sch.split_factor(l[1], 8);
  sch.vectorize(j[1]);
  const BlockCost found = cost(sch.func(), "C").cost;
  CHECK(found.iterations == 64 * 8);
  // One product a vector, one sum for all eight vectors of a row.
  CHECK(found.vector_ops == Approx(1 + 1.0 / 8));
  CHECK(found.stores == 1);
}

TEST_CASE("a multiply-add is one instruction") {
  const BlockCost found = cost(tiled(matmul(96, 96, 64), 6, 16), "C").cost;
  CHECK(found.vector_ops == 12);
  CHECK(found.fma_cycles == 6);
  CHECK(found.load_cycles == 4);
  CHECK(found.body_cycles > 6);
  CHECK(found.body_cycles < 9);
}

TEST_CASE("vectors across cache lines take two loads") {
  // Rows of 98 floats do not begin at multiples of 32 bytes: every second vector lies in two lines of 64.
  const BlockCost whole = cost(tiled(matmul(96, 96, 64), 6, 8), "C").cost;
  const BlockCost across = cost(tiled(matmul(96, 98, 64), 6, 8), "C").cost;
  CHECK(whole.loads == 6 + 1);
  CHECK(across.loads == 6 + 1.5);
}

TEST_CASE("what fits a cache is delivered once") {
  // 3 matrices of 96 x 96 floats, 110 kB: beyond the first level, inside the second.
  const BlockCost small = cost(tiled(matmul(96, 96, 96), 6, 16), "C").cost;
  CHECK(small.l2_bytes >= 2.0 * 96 * 96 * 4);
  CHECK(small.l2_bytes <= 4.0 * 96 * 96 * 4);
  CHECK(small.l1_bytes > small.l2_bytes);
}

TEST_CASE("what is not contiguous is loaded lane by lane") {
  te::Tensor a = te::placeholder({64, 64}, kFloat32, "A");
  te::Tensor c = te::compute(
      {64, 64}, [&](te::Var i, te::Var j) { return a(j, i); }, "C");
  Schedule sch(te::create_prim_func({a, c}));
  const std::vector<Loop> j = sch.split_factor(sch.get_loops(sch.get_block("C"))[1], 8);
  sch.vectorize(j[1]);
  const BlockCost found = cost(sch.func(), "C").cost;
  CHECK(found.gathers == 8);
  CHECK(found.loads == 8);
  CHECK(found.stores == 1);
}

TEST_CASE("entering loops costs, those of one iteration are none") {
  const BlockCost short_loops = cost(tiled(matmul(96, 96, 4), 6, 16), "C").cost;
  const BlockCost long_loops = cost(tiled(matmul(96, 96, 400), 6, 16), "C").cost;
  CHECK(short_loops.entry_cycles == long_loops.entry_cycles);
  Schedule sch(tiled(matmul(96, 96, 400), 6, 16));
  sch.split_factor(sch.get_loops(sch.get_block("C"))[2], 1);
  CHECK(cost(sch.func(), "C").cost.entry_cycles == long_loops.entry_cycles);
}

}  // namespace tilewright::tuner
