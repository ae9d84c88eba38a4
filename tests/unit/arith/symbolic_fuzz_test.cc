#include <catch2/catch.hpp>

#include "arith/expr_equal.h"
#include "random_index.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;
using tilewright::testing::evaluate;
using tilewright::testing::RandomIndex;
using tilewright::testing::RandomVar;
using tilewright::testing::Values;

namespace {

// A program-like setting: sizes with assumptions, then loops whose ranges may name sizes and outer
// loops.
struct Setting {
  std::vector<Var> sizes;
  std::vector<Expr> assumptions;
  std::vector<std::pair<Var, Range>> loops;
  std::vector<RandomVar> all;  // for the generator, which only needs the variables

  explicit Setting(Rng& rng) {
    for (uint64_t s = 0, count = 1 + rng.below(2); s < count; ++s) {
      Var n(s ? "m" : "n");
      sizes.push_back(n);
      assumptions.push_back(n >= make_int(kInt64, rng.between(0, 2)));
      if (rng.below(3) == 0) assumptions.push_back(floor_mod(n, 4) == rng.between(0, 1) * 2);
      if (rng.below(3) == 0) assumptions.push_back(n <= rng.between(20, 40));
      all.push_back({n, 0, 1});
    }
    if (sizes.size() == 2 && rng.below(2)) assumptions.push_back(sizes[0] + 1 <= sizes[1] * 2);
    for (uint64_t l = 0, count = 1 + rng.below(4); l < count; ++l) {
      Var i("i" + std::to_string(l));
      loops.emplace_back(i, range(rng));
      all.push_back({i, 0, 1});
    }
  }

  Range range(Rng& rng) {
    const Expr n = sizes[rng.below(sizes.size())];
    Expr tile = make_int(kInt64, rng.between(2, 8));
    Expr zero = make_int(kInt64, 0);
    switch (rng.below(loops.empty() ? 5 : 8)) {
      case 0: return {zero, n};
      case 1: return {zero, ceil_div(n, tile)};
      case 2: return {zero, floor_div(n, tile)};
      case 3: return {make_int(kInt64, rng.between(-3, 3)), tile};
      case 5: return {zero, loops.back().first + 1};
      case 6: return {loops.back().first * tile, tile};
      case 7: return {zero, min(tile, n - loops.back().first * tile)};
      default: return {zero, tile};
    }
  }

  Analyzer analyzer() const {
    Analyzer result;
    for (const Expr& fact : assumptions) result.assume(fact);
    for (const auto& [var, range] : loops) result.bind(var, range);
    return result;
  }

  // Values that satisfy everything; false when this try found none.
  bool values(Rng& rng, Values& out) const {
    out.clear();
    for (const Var& n : sizes) out[n.get()] = rng.between(0, 40);
    for (const Expr& fact : assumptions) {
      if (!evaluate(fact, out)) return false;
    }
    for (const auto& [var, range] : loops) {
      int64_t low = evaluate(range.min, out), extent = evaluate(range.extent, out);
      if (extent <= 0) return false;
      out[var.get()] = rng.between(low, low + extent - 1);
    }
    return true;
  }
};

struct Counts {
  int proved = 0, bounded = 0;
};

void try_setting(uint64_t seed, Counts& counts) {
  Rng rng(seed);
  Setting setting(rng);
  Analyzer analyzer = setting.analyzer();
  RandomIndex random(rng, setting.all);
  for (int i = 0; i < 8; ++i) {
    bool condition = rng.below(2) != 0;
    Expr expr = condition ? random.condition(2) : random.index(3);
    std::string text = to_text(expr);
    for (const Expr& fact : setting.assumptions) text += "; " + to_text(fact);
    for (const auto& [var, range] : setting.loops) {
      text += "; " + var.name() + " in " + to_text(range.min) + " + " + to_text(range.extent);
    }
    Expr simple = analyzer.simplify(expr);
    INFO("seed " << seed << ": " << text << "  ->  " << to_text(simple));
    Expr again = analyzer.simplify(simple);
    INFO("again " << to_text(again));
    REQUIRE(same_expr(again, simple));
    bool proved = condition && analyzer.can_prove(expr);
    counts.proved += proved;
    Interval interval = analyzer.const_interval(expr);
    std::vector<Var> over;
    for (const auto& [var, range] : setting.loops) {
      if (rng.below(2)) over.push_back(var);
    }
    SymbolicInterval bounds = analyzer.bounds_over(expr, over);
    counts.bounded += bounds.min.defined();
    for (int trial = 0; trial < 20; ++trial) {
      Values values;
      if (!setting.values(rng, values)) continue;
      int64_t value = evaluate(expr, values);
      REQUIRE(evaluate(simple, values) == value);
      if (proved) REQUIRE(value == 1);
      REQUIRE(value >= interval.min);
      REQUIRE(value <= interval.max);
      if (bounds.min.defined()) REQUIRE(evaluate(bounds.min, values) <= value);
      if (bounds.max.defined()) REQUIRE(evaluate(bounds.max, values) >= value);
    }
  }
}

}  // namespace

TEST_CASE("random expressions under symbolic facts keep their value and obey what is claimed") {
  Counts counts;
  for (uint64_t seed = 1; seed <= 500; ++seed) try_setting(seed, counts);
  CHECK(counts.proved > 50);
  CHECK(counts.bounded > 500);
}

TEST_CASE("random expressions under symbolic facts, many", "[slow]") {
  Counts counts;
  for (uint64_t seed = 10000; seed < 40000; ++seed) try_setting(seed, counts);
}
