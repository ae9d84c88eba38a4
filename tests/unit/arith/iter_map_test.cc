#include <catch2/catch.hpp>
#include <map>

#include "random_index.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;
using tilewright::testing::evaluate;
using tilewright::testing::Values;

namespace {

using VarExtents = std::vector<std::pair<Var, Expr>>;

// "injective/covers" as y, n or ?.
std::string facts(const VarExtents& vars, const std::vector<Expr>& values,
                  const std::vector<Expr>& extents, const Expr& guard = {},
                  const Analyzer& analyzer = {}) {
  MapFacts f = analyze_map(analyzer, vars, values, extents, guard);
  auto letter = [](const std::optional<bool>& b) { return !b ? "?" : *b ? "y" : "n"; };
  return std::string(letter(f.injective)) + letter(f.covers);
}

// What enumeration says about a constant map.
MapFacts enumerate(const VarExtents& vars, const std::vector<Expr>& values,
                   const std::vector<Expr>& extents, const Expr& guard) {
  std::map<std::vector<int64_t>, int> seen;
  Values at;
  bool outside = false;
  std::function<void(size_t)> visit = [&](size_t depth) {
    if (depth < vars.size()) {
      for (int64_t x = 0; x < *as_const_int(vars[depth].second); ++x) {
        at[vars[depth].first.get()] = x;
        visit(depth + 1);
      }
      return;
    }
    if (guard.defined() && !evaluate(guard, at)) return;
    std::vector<int64_t> point;
    for (size_t i = 0; i < values.size(); ++i) {
      point.push_back(evaluate(values[i], at));
      outside |= point.back() < 0 || point.back() >= *as_const_int(extents[i]);
    }
    ++seen[point];
  };
  visit(0);
  MapFacts facts;
  facts.injective = true;
  for (const auto& [point, count] : seen) facts.injective = *facts.injective && count == 1;
  int64_t volume = 1;
  for (const Expr& extent : extents) volume *= *as_const_int(extent);
  facts.covers = *facts.injective && !outside && static_cast<int64_t>(seen.size()) == volume;
  return facts;
}

}  // namespace

TEST_CASE("splits and fuses") {
  Var i("i"), j("j"), f("f"), io("io"), ii("ii");
  CHECK(facts({{i, Expr(8)}, {j, Expr(4)}}, {i, j}, {Expr(8), Expr(4)}) == "yy");
  CHECK(facts({{io, Expr(4)}, {ii, Expr(8)}}, {io * 8 + ii}, {Expr(32)}) == "yy");
  CHECK(facts({{f, Expr(32)}}, {floor_div(f, 8), floor_mod(f, 8)}, {Expr(4), Expr(8)}) == "yy");
  // Reordered digits: a transpose of tiles.
  CHECK(facts({{f, Expr(24)}}, {floor_mod(f, 4) * 6 + floor_div(f, 4)}, {Expr(24)}) == "yy");
  // A fused tile split another way.
  CHECK(facts({{i, Expr(6)}, {j, Expr(4)}}, {floor_div(i * 4 + j, 8), floor_mod(i * 4 + j, 8)},
              {Expr(3), Expr(8)}) == "yy");
  CHECK(facts({{i, Expr(1)}, {j, Expr(4)}}, {i * 4 + j}, {Expr(4)}) == "yy");
}

TEST_CASE("guards cut what a split overshoots") {
  Var io("io"), ii("ii"), iio("iio"), iii("iii"), n("n");
  Expr value = io * 32 + ii;
  CHECK(facts({{io, Expr(4)}, {ii, Expr(32)}}, {value}, {Expr(100)}, value < 100) == "yy");
  CHECK(facts({{io, Expr(4)}, {ii, Expr(32)}}, {value}, {Expr(100)}) == "yn");
  CHECK(facts({{io, Expr(3)}, {ii, Expr(32)}}, {value}, {Expr(100)}, value < 100) == "yn");
  // split(i, 2), then the inner 2 split by 4.
  Expr inner = iio * 4 + iii;
  CHECK(facts({{io, Expr(8)}, {iio, Expr(1)}, {iii, Expr(4)}}, {io * 2 + inner}, {Expr(15)},
              inner < 2 && io * 2 + inner < 15) == "yy");
  CHECK(facts({{io, Expr(8)}, {iio, Expr(1)}, {iii, Expr(4)}}, {io * 2 + inner}, {Expr(15)},
              io * 2 + inner < 15) != "yy");
  // Injectivity alone needs no extents.
  CHECK(facts({{io, Expr(8)}, {iio, Expr(1)}, {iii, Expr(4)}}, {io * 2 + inner}, {},
              inner < 2 && io * 2 + inner < 15) == "y?");
  CHECK(facts({{io, Expr(8)}, {iii, Expr(4)}}, {io * 2 + iii}, {}, io * 2 + iii < 15) == "??");
  CHECK(facts({{io, Expr(5)}, {iio, Expr(3)}, {iii, Expr(4)}}, {io * 10 + inner}, {Expr(47)},
              inner < 10 && io * 10 + inner < 47) == "yy");
  Analyzer symbolic;
  symbolic.assume(n >= 0);
  CHECK(facts({{io, ceil_div(n, 32)}, {ii, Expr(32)}}, {value}, {n}, value < n, symbolic) == "yy");
  CHECK(facts({{io, floor_div(n, 32)}, {ii, Expr(32)}}, {value}, {n}, {}, symbolic) != "yy");
}

TEST_CASE("a fused loop split again by a factor that does not divide") {
  Var o("o"), i("i");
  Expr f = o * 4 + i;
  VarExtents vars = {{o, 31}, {i, 4}};
  CHECK(facts(vars, {floor_div(f, 11), floor_mod(f, 11)}, {}, f < 121)[0] == 'y');
  // Without the quotient the guard alone determines nothing.
  CHECK(facts(vars, {floor_mod(f, 11)}, {}, f < 121)[0] != 'y');
}

TEST_CASE("symbolic fuses") {
  Var f("f"), i("i"), j("j"), n("n"), m("m");
  Analyzer a;
  a.assume(n >= 1 && m >= 1);
  CHECK(facts({{i, n}, {j, m}}, {i * m + j}, {n * m}, {}, a) == "yy");
  CHECK(facts({{f, n * m}}, {floor_div(f, m), floor_mod(f, m)}, {n, m}, {}, a) == "yy");
}

TEST_CASE("maps that lose iterations") {
  Var i("i"), j("j"), oh("oh"), kh("kh");
  CHECK(facts({{i, Expr(8)}, {j, Expr(4)}}, {i}, {Expr(8)}) == "nn");
  CHECK(facts({{i, Expr(8)}}, {floor_div(i, 2)}, {Expr(4)}) == "nn");
  CHECK(facts({{i, Expr(8)}}, {floor_mod(i, 4)}, {Expr(4)}) == "nn");
  CHECK(facts({{oh, Expr(8)}, {kh, Expr(3)}}, {oh + kh}, {Expr(10)}) == "??");
  // A window is injective once one of its parts is known.
  CHECK(facts({{oh, Expr(8)}, {kh, Expr(3)}}, {oh + kh, kh}, {Expr(10), Expr(3)}) == "y?");
  CHECK(facts({{i, Expr(8)}}, {i, i}, {Expr(8), Expr(8)}) == "y?");
  CHECK(facts({{i, Expr(8)}}, {i * 2}, {Expr(16)}) == "y?");
}

TEST_CASE("random maps agree with enumeration") {
  Rng rng(11);
  int decided = 0;
  for (int round = 0; round < 3000; ++round) {
    VarExtents vars;
    for (uint64_t v = 0, count = 1 + rng.below(3); v < count; ++v) {
      vars.emplace_back(Var("v" + std::to_string(v)), make_int(kInt64, rng.between(1, 6)));
    }
    std::vector<testing::RandomVar> leaves;
    auto digit = [&]() -> Expr {
      const auto& [var, extent] = vars[rng.below(vars.size())];
      Expr step = make_int(kInt64, rng.between(1, 4));
      switch (rng.below(5)) {
        case 0: return floor_div(var, step);
        case 1: return floor_mod(var, step);
        case 2: return floor_mod(floor_div(var, step), make_int(kInt64, rng.between(1, 4)));
        default: return var;
      }
    };
    std::vector<Expr> values, extents;
    for (uint64_t v = 0, count = 1 + rng.below(3); v < count; ++v) {
      Expr value = digit();
      while (rng.below(2)) value = value * make_int(kInt64, rng.between(1, 6)) + digit();
      values.push_back(value);
      extents.push_back(make_int(kInt64, rng.between(1, 24)));
    }
    Expr guard;
    if (rng.below(2)) {
      size_t at = rng.below(values.size());
      guard = values[at] < extents[at];
      if (rng.below(3) == 0) guard = guard && vars[0].first < rng.between(1, 6);
    }
    MapFacts claimed = analyze_map(Analyzer(), vars, values, extents, guard);
    MapFacts truth = enumerate(vars, values, extents, guard);
    std::string shown;
    for (const auto& [var, extent] : vars) shown += var.name() + "<" + to_text(extent) + " ";
    for (size_t v = 0; v < values.size(); ++v)
      shown += "; " + to_text(values[v]) + " < " + to_text(extents[v]);
    if (guard.defined()) shown += " where " + to_text(guard);
    INFO(shown);
    if (claimed.injective) CHECK(*claimed.injective == *truth.injective);
    if (claimed.covers) CHECK(*claimed.covers == *truth.covers);
    decided += claimed.injective.has_value() + claimed.covers.has_value();
  }
  CHECK(decided > 1500);
}
