#include <catch2/catch.hpp>

#include "arith/expr_equal.h"
#include "random_index.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;
using tilewright::testing::evaluate;
using tilewright::testing::random_vars;
using tilewright::testing::RandomIndex;
using tilewright::testing::RandomVar;
using tilewright::testing::Values;

namespace {

Analyzer bound_to(const std::vector<RandomVar>& vars) {
  Analyzer analyzer;
  for (const RandomVar& v : vars) {
    analyzer.bind(v.var, {make_int(kInt64, v.low), make_int(kInt64, v.extent)});
  }
  return analyzer;
}

bool inside(const Interval& interval, int64_t value) {
  return value >= interval.min && value <= interval.max;
}

bool inside(const Congruence& congruence, int64_t value) {
  if (congruence.modulus == 0) return value == congruence.residue;
  return (value - congruence.residue) % congruence.modulus == 0;
}

// One round: a fresh set of variables and expressions over them.
void try_expressions(uint64_t seed) {
  Rng rng(seed);
  std::vector<RandomVar> vars = random_vars(rng);
  Analyzer analyzer = bound_to(vars);
  RandomIndex random(rng, vars);
  for (int i = 0; i < 10; ++i) {
    Expr expr = rng.below(3) == 0 ? random.condition(3) : random.index(4);
    Expr simple = analyzer.simplify(expr);
    INFO("seed " << seed << ": " << to_text(expr) << "  ->  " << to_text(simple));
    REQUIRE(simple.dtype() == expr.dtype());
    Expr again = analyzer.simplify(simple);
    INFO("again: " << to_text(again));
    REQUIRE(same_expr(again, simple));
    Interval interval = analyzer.const_interval(expr);
    Congruence congruence = analyzer.congruence(expr);
    std::vector<Var> over;
    for (const RandomVar& v : vars) {
      if (rng.below(2)) over.push_back(v.var);
    }
    SymbolicInterval bounds = analyzer.bounds_over(expr, over);
    for (int trial = 0; trial < 12; ++trial) {
      Values values = random.values();
      int64_t value = evaluate(expr, values);
      REQUIRE(evaluate(simple, values) == value);
      REQUIRE(inside(interval, value));
      if (expr.dtype() == kInt64) REQUIRE(inside(congruence, value));
      if (bounds.min.defined()) REQUIRE(evaluate(bounds.min, values) <= value);
      if (bounds.max.defined()) REQUIRE(evaluate(bounds.max, values) >= value);
    }
  }
}

}  // namespace

TEST_CASE("random index expressions keep their value, settle, and lie in their bounds") {
  for (uint64_t seed = 1; seed <= 400; ++seed) try_expressions(seed);
}

TEST_CASE("random index expressions, many", "[slow]") {
  for (uint64_t seed = 1000; seed < 30000; ++seed) try_expressions(seed);
}
