#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "arith/expr_equal.h"
#include "arith/impl.h"
#include "arith/rules.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/rng.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;

namespace {

constexpr DType kAll[] = {kBool,   kInt8,   kInt16,   kInt32,    kInt64,   kUInt8,  kUInt16,
                          kUInt32, kUInt64, kFloat16, kBFloat16, kFloat32, kFloat64};

// A literal of `dtype`: often a special one.
Expr random_literal(Rng& rng, DType dtype) {
  if (dtype.is_bool()) return make_bool(rng.below(2) != 0);
  if (dtype.is_float()) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const double special[] = {0.0, -0.0, 1.0, -1.0, kInf, -kInf, std::nan(""), 0.5, 3.25, -2.5};
    if (rng.below(2)) return make_float(dtype, special[rng.below(std::size(special))]);
    return make_float(dtype, (rng.unit() - 0.5) * std::pow(2.0, rng.between(-12, 12)));
  }
  if (rng.below(3) == 0) return min_value(dtype);
  if (rng.below(3) == 0) return max_value(dtype);
  if (rng.below(3) == 0) return make_int(dtype, static_cast<int64_t>(rng.next()));
  return make_int(dtype, dtype.is_uint() ? rng.between(0, 9) : rng.between(-9, 9));
}

// Small values, as indices have.
Expr random_index(Rng& rng) { return make_int(kInt64, rng.between(-60, 60)); }

// Value of a pattern whose slots are literals, by the folder of the IR. Null: refused (a division by
// zero).
Expr value(const Pattern& p, const Bindings& bindings, DType type) {
  std::vector<Expr> args;
  for (const Pattern& child : p.children) {
    args.push_back(value(child, bindings, type));
    if (!args.back().defined()) return {};
  }
  switch (p.kind) {
    case Pattern::Kind::kBinary: {
      bool division = p.binary == BinaryOp::kFloorDiv || p.binary == BinaryOp::kFloorMod ||
                      p.binary == BinaryOp::kTruncDiv || p.binary == BinaryOp::kTruncMod;
      if (division && is_const_int(args[1], 0)) return make_zero(args[0].dtype());
      return fold_binary(p.binary, args[0], args[1]);
    }
    case Pattern::Kind::kUnary: return fold_unary(p.unary, args[0]);
    case Pattern::Kind::kSelect:
    case Pattern::Kind::kIfThenElse: return is_true(args[0]) ? args[1] : args[2];
    case Pattern::Kind::kCall: return call(p.intrinsic, args);
    default: return instantiate(p, bindings, type);
  }
}

bool same_value(const Expr& a, const Expr& b) {
  const auto* fa = a.as<FloatImmNode>();
  const auto* fb = b.as<FloatImmNode>();
  if (fa && fb && std::isnan(fa->value) && std::isnan(fb->value)) return true;
  return same_expr(a, b);
}

// The first values for which the two sides differ; "" when none are found. `tried` counts the values
// for which the condition held.
std::string counterexample(const Rule& rule, Rng& rng, int rounds, int& tried) {
  Pattern pattern = parse_pattern(rule.pattern), replacement = parse_pattern(rule.replacement);
  for (DType dtype : kAll) {
    if (!in_domain(rule.domain, dtype)) continue;
    for (int round = 0; round < rounds; ++round) {
      Bindings bindings;
      for (size_t slot = 0; slot < bindings.size(); ++slot) {
        bool boolean = slot >= 3 && slot < 6;
        bindings[slot] = boolean                             ? random_literal(rng, kBool)
                         : rule.domain == RuleDomain::kIndex ? random_index(rng)
                                                             : random_literal(rng, dtype);
      }
      if (rule.domain == RuleDomain::kIndex && dtype != kInt64) continue;
      if (*rule.condition) {
        Expr holds = value(parse_pattern(rule.condition), bindings, dtype);
        if (!holds.defined() || !is_true(holds)) continue;
      }
      Expr left = value(pattern, bindings, dtype), right = value(replacement, bindings, dtype);
      if (!left.defined() || !right.defined()) continue;
      ++tried;
      if (same_value(left, right)) continue;
      std::string text = fmt::format("{}: {} is {} but {} is {} for", rule.name, rule.pattern,
                                     to_text(left), rule.replacement, to_text(right));
      for (const Expr& e : bindings) text += " " + to_text(e);
      return text;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("every rule of the table holds on random values of every dtype of its domain") {
  Rng rng(5);
  std::set<std::string> names;
  for (const Rule& rule : rule_table()) {
    int tried = 0;
    INFO(rule.name);
    CHECK(counterexample(rule, rng, 300, tried) == "");
    CHECK(tried >= 50);
    CHECK(names.insert(rule.name).second);
  }
}

TEST_CASE("planted wrong rules are found") {
  const Rule wrong[] = {
      // (10x + 5) / 10 -> x holds for floor division, not for truncation of negative numbers.
      {"trunc", RuleDomain::kIndex, "trunc_div(x * 10 + 5, 10)", "x"},
      {"floor-is-trunc", RuleDomain::kInt, "x // y", "trunc_div(x, y)"},
      {"mod-is-trunc", RuleDomain::kIndex, "x % y", "trunc_mod(x, y)"},
      {"floor-of-negative", RuleDomain::kIndex, "-x // y", "-(x // y)", "y > 0"},
      // Wrapping data.
      {"div-mul", RuleDomain::kInt, "x * 4 // 4", "x"},
      {"less-plus-one", RuleDomain::kInt, "x < x + 1", "true"},
      {"unsigned-difference", RuleDomain::kUInt, "x - y < x", "y > 0"},
      // Floats.
      {"float-add-zero", RuleDomain::kFloat, "x + 0", "x"},
      {"float-mul-zero", RuleDomain::kFloat, "x * 0", "0"},
      {"float-sub-same", RuleDomain::kFloat, "x - x", "0"},
      {"float-eq-same", RuleDomain::kFloat, "x == x", "true"},
      {"float-not-less", RuleDomain::kFloat, "!(x < y)", "x >= y"},
      {"float-max-absorb", RuleDomain::kFloat, "max(min(x, y), y)", "y"},
      {"or-and", RuleDomain::kBool, "p || q", "p && q"},
  };
  for (const Rule& rule : wrong) {
    Rng rng(6);
    int tried = 0;
    INFO(rule.name);
    CHECK(counterexample(rule, rng, 300, tried) != "");
  }
}

TEST_CASE("the engine applies every rule of the table") {
  // Patterns over variables, so that nothing folds; literals where a rule wants them.
  for (const Rule& rule : rule_table()) {
    for (DType dtype : kAll) {
      if (!in_domain(rule.domain, dtype)) continue;
      if (rule.domain == RuleDomain::kIndex && dtype != kInt64) continue;
      Bindings bindings;
      const char* names[] = {"x", "y", "z", "p", "q", "r"};
      for (size_t slot = 0; slot < bindings.size(); ++slot) {
        bool boolean = slot >= 3 && slot < 6;
        bindings[slot] = slot < 6 ? Expr(Var(names[slot], boolean ? kBool : dtype))
                                  : make_const(dtype, static_cast<double>(slot) + 1);
      }
      Bindings found;
      Pattern pattern = parse_pattern(rule.pattern);
      Expr expr = instantiate(pattern, bindings, dtype);
      INFO(rule.name << " " << to_text(expr));
      // The builders fold some left sides away themselves.
      if (!match(pattern, expr, rule.domain, found)) continue;
      Expr result = apply_rules(expr, [](const Expr&) { return true; });
      CHECK(result.defined());
      if (result.defined()) CHECK(result.dtype() == expr.dtype());
    }
  }
}

TEST_CASE("a pattern that is none is named") {
  CHECK_THROWS_WITH(parse_pattern("x + "), Catch::Contains("x + "));
  CHECK_THROWS_WITH(parse_pattern("(x"), Catch::Contains("column 3"));
  CHECK_THROWS_WITH(parse_pattern("select(p, x)"), Catch::Contains("select"));
  CHECK_THROWS_WITH(parse_pattern("foo(x)"), Catch::Contains("foo"));
}

TEST_CASE("vectors take the same rules") {
  Var x("x", kFloat32.with_lanes(4)), c("c", kBool.with_lanes(4));
  Analyzer a;
  CHECK(a.simplify(select(!c, x, x)).same_as(x));
  CHECK(a.simplify(x * broadcast(Expr(1.0f), 4)).same_as(x));
  Expr nested = select(c, select(c, x, -x), x * x);
  CHECK(same_expr(a.simplify(nested), select(c, x, x * x)));
}
