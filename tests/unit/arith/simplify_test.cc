#include <catch2/catch.hpp>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;

namespace {

// Variables and facts the cases share.
struct Fixture {
  Var x{"x"}, y{"y"}, z{"z"}, i{"i"}, j{"j"}, k{"k"}, n{"n"}, m{"m"}, s{"s"};
  Analyzer analyzer;
  Fixture() {
    analyzer.bind_extent(i, Expr(64));  // i in [0, 64)
    analyzer.bind_extent(j, Expr(32));  // j in [0, 32)
    analyzer.bind_extent(k, Expr(4));   // k in [0, 4)
    analyzer.assume(n >= 1);
    analyzer.assume(m >= 0);
    analyzer.assume(s >= 1 && floor_mod(s, 32) == 0);
  }
  std::string simple(const Expr& e) const { return to_text(analyzer.simplify(e)); }
};

}  // namespace

TEST_CASE("sums are collected") {
  Fixture f;
  CHECK(f.simple(f.x + f.y - f.x) == "y");
  CHECK(f.simple((f.x + 3) * 4 - f.x * 4) == "12");
  CHECK(f.simple(f.x * 2 + f.y * 8 + 5 - f.x) == "y * 8 + x + 5");
  CHECK(f.simple((f.x + f.y) * (f.x - f.y)) == f.simple(f.x * f.x - f.y * f.y));
  CHECK(f.simple(f.x * f.n + f.y - f.n * f.x) == "y");
  CHECK(f.simple(-f.x - 3 + f.x * 2) == "x - 3");
}

TEST_CASE("floor division splits off multiples") {
  Fixture f;
  auto div = [](Expr a, Expr b) { return floor_div(std::move(a), std::move(b)); };
  auto mod = [](Expr a, Expr b) { return floor_mod(std::move(a), std::move(b)); };
  CHECK(f.simple(div(f.x * 10 + 5, 10)) == "x");
  CHECK(f.simple(div(f.x * 48 + 241, 16)) == "x * 3 + 15");
  CHECK(f.simple(mod(f.x * 4 + 3, 4)) == "3");
  CHECK(f.simple(div((f.x + 5) * -3, 6)) == f.simple(div(-f.x - 5, 2)));
  CHECK(f.simple(div(f.x * 32 + f.j, 32)) == "x");
  CHECK(f.simple(mod(f.x * 32 + f.j, 32)) == "j");
  CHECK(f.simple(div(f.x * 32 + f.j, 16)) == "x * 2 + j // 16");
  CHECK(f.simple(mod(f.x * 32 + f.j, 64)) == "x % 2 * 32 + j");
  CHECK(f.simple(div(f.x * 32 + f.j, 64)) == "x // 2");
  CHECK(f.simple(div(div(f.x, 4), 8)) == "x // 32");
  CHECK(f.simple(div(div(f.x, 4) + 3, 8)) == "(x + 12) // 32");
  CHECK(f.simple(mod(mod(f.x, 12), 4)) == "x % 4");
  CHECK(f.simple(div(mod(f.x, 12), 4)) == "x // 4 % 3");
  CHECK(f.simple(div(f.j, 32)) == "0");
  CHECK(f.simple(mod(f.j, 32)) == "j");
  CHECK(f.simple(div(f.j - 32, 32)) == "-1");
  CHECK(f.simple(div(f.x, -3)) == f.simple(div(-f.x, 3)));
  CHECK(f.simple(mod(f.x, -3)) == f.simple(-mod(-f.x, 3)));
}

TEST_CASE("quotients and remainders come together again") {
  Fixture f;
  CHECK(f.simple(floor_div(f.x, 7) * 7 + floor_mod(f.x, 7)) == "x");
  CHECK(f.simple(f.x - floor_div(f.x, 7) * 7) == "x % 7");
  CHECK(f.simple(floor_mod(floor_div(f.x, 4), 3) * 4 + floor_mod(f.x, 4)) == "x % 12");
  CHECK(f.simple(floor_div(f.x, 12) * 12 + floor_mod(floor_div(f.x, 4), 3) * 4 +
                 floor_mod(f.x, 4)) == "x");
  CHECK(f.simple(floor_div(f.x, f.n) * f.n + floor_mod(f.x, f.n)) == "x");
  CHECK(f.simple(floor_div(f.s, 32) * 32) == "s");
  CHECK(f.simple(floor_div(f.s, 16) * 16) == "s");
  CHECK(f.simple(floor_mod(f.s, 32)) == "0");
  CHECK(f.simple(ceil_div(f.s, 32)) == "s // 32");
  CHECK(f.simple(floor_div(f.s + f.j, 32)) == "s // 32");
}

TEST_CASE("symbolic divisors") {
  Fixture f;
  Var p("p"), q("q");
  f.analyzer.bind_extent(p, f.n);
  f.analyzer.bind_extent(q, f.m);
  CHECK(f.simple(floor_div(f.x * f.n + p, f.n)) == "x");
  CHECK(f.simple(floor_mod(f.x * f.n + p, f.n)) == "p");
  CHECK(f.simple(floor_div(f.x * f.n + f.y, f.n)) == "x + y // n");
  CHECK(f.simple(floor_mod(f.x * f.n + f.y, f.n)) == "y % n");
  // q in [0, m) shows that m is positive where q exists.
  CHECK(f.simple(floor_div(f.x * f.m + q, f.m)) == "x");
  CHECK(f.simple(floor_mod(f.x * f.m + q, f.m)) == "q");
  CHECK(f.simple(floor_div(f.x * f.m, f.m)) != "x");  // m may be 0
  CHECK(f.simple(floor_div((f.x * f.m + q) * f.n + p, f.n)) == f.simple(f.x * f.m + q));
  CHECK(f.simple(floor_mod(f.x * f.n, f.n)) == "0");
  CHECK(f.simple(floor_div(f.n * 3 - 1, f.n)) == "2");
}

TEST_CASE("truncating division becomes floor division only where both sides have one sign") {
  Fixture f;
  CHECK(f.simple(trunc_div(f.x * 10 + 5, 10)) != "x");
  CHECK(f.simple(trunc_div(f.i * 10 + 5, 10)) == "i");
  CHECK(f.simple(trunc_mod(f.i * 4 + 3, 4)) == "3");
  CHECK(f.simple(trunc_mod(f.x * 4 + 3, 4)) != "3");
}

TEST_CASE("shifts and masks of indices are arithmetic") {
  Fixture f;
  auto c = [](int64_t value) { return make_int(kInt64, value); };
  CHECK(f.simple((f.x * 8 + (f.j >> c(2))) >> c(3)) == "x");
  CHECK(f.simple((f.x * 32 + f.j) & c(31)) == "j");
  CHECK(f.simple((f.x << c(4)) - f.x * 16) == "0");
  CHECK(f.simple(f.x & c(5)) == "x & 5");
  Buffer a = make_buffer("A", kInt64, {Expr(100)});
  Expr shifted = load(a, {f.j}) >> c(3);
  CHECK(f.analyzer.simplify(shifted).same_as(shifted));
}

TEST_CASE("choices that are a minimum or a maximum") {
  Fixture f;
  CHECK(f.simple(select(f.x < f.y, f.x, f.y)) == "min(x, y)");
  CHECK(f.simple(select(f.x >= 4, f.x, 4)) == "max(x, 4)");
  CHECK(f.simple(select(f.j < 40, f.x, f.y)) == "x");
}

TEST_CASE("minimum and maximum by proof") {
  Fixture f;
  CHECK(f.simple(min(f.j, f.j + 1)) == "j");
  CHECK(f.simple(max(f.j, 31)) == "31");
  CHECK(f.simple(min(f.x + 1, f.x + 3)) == "x + 1");
  CHECK(f.simple(min(f.x, f.y) + 1) == f.simple(min(f.x + 1, f.y + 1)));
  CHECK(f.simple(min(f.x * 8 + 8, f.n) - f.x * 8) == f.simple(min(f.n - f.x * 8, 8)));
  CHECK(f.simple(min(min(f.x, 4), 7)) == "min(x, 4)");
  CHECK(f.simple(max(min(f.j, 5), 0)) == "min(j, 5)");
}

TEST_CASE("comparisons") {
  Fixture f;
  CHECK(f.simple(f.x * 32 + f.j < f.x * 32 + 32) == "true");
  CHECK(f.simple(f.j >= 32) == "false");
  CHECK(f.simple(f.x * 4 + 6 < f.y * 8) == "x + 1 < y * 2");
  CHECK(f.simple(f.n > f.x) == "x < n");
  CHECK(f.simple(f.x + 1 <= f.n) == "x < n");
  CHECK(f.simple(f.x - 1 >= 0) == "x >= 1");
  CHECK(f.simple(f.x * 2 == f.y * 2 + 1) == "false");
  CHECK(f.simple(f.x * 2 + 4 != f.y * 2) == "x + 2 != y");
  CHECK(f.simple(f.x * 32 + f.j < 96) == "x * 32 + j < 96");
  CHECK(f.simple(!(f.x < f.y)) == "y <= x");
  CHECK(f.simple(f.x < 4 && f.x < 6) == "x < 4");
  CHECK(f.simple(f.x < 4 || f.x < 6) == "x < 6");
  CHECK(f.simple(f.x < 4 && f.x > 6) == "false");
  CHECK(f.simple(f.x < 4 || f.x > 3) == "true");
  CHECK(f.simple(f.x == f.y && f.x != f.y) == "false");
  CHECK(f.simple(f.x < f.y && f.j < 32) == "x < y");
}

TEST_CASE("program data is never treated as if it did not wrap") {
  Fixture f;
  Buffer a = make_buffer("A", kInt64, {Expr(100)});
  Buffer b = make_buffer("B", kInt32, {Expr(100)});
  Buffer u = make_buffer("U", kUInt8, {Expr(100)});
  Expr la = load(a, {f.j}), lb = load(b, {f.j}), lu = load(u, {f.j});
  auto kept = [&](const Expr& e) { return f.analyzer.simplify(e).same_as(e); };
  CHECK(kept(floor_div(la * 4, 4)));
  CHECK(kept(floor_div(lb * 4, 4)));
  CHECK(kept(la + 1 > la));
  CHECK(f.simple(lb + 1 > lb) == to_text(lb < lb + 1));
  CHECK(kept(lu - lu * load(u, {f.k}) < lu));
  CHECK(kept(min(la, la + 1)));
  // Values of known range are as good as indices.
  CHECK(f.simple(floor_div(cast(kInt64, lb) * 4 + 3, 4)) == to_text(cast(kInt64, lb)));
  CHECK(f.simple(cast(kInt64, lu) < 256) == "true");
  // Indices inside data are simplified.
  CHECK(f.simple(load(b, {f.j + f.i - f.j}) + 1) == to_text(load(b, {f.i}) + 1));
  // Identities that hold modulo 2^bits.
  CHECK(is_const_int(f.analyzer.simplify(lb - lb), 0));
  CHECK(f.simple(lb == lb) == "true");
}

TEST_CASE("int32 sums are exact only where they fit") {
  Analyzer analyzer;
  Var a("a", kInt32), b("b", kInt32), w("w");
  CHECK(analyzer.simplify(floor_div(a * 4 + 1, 4)).same_as(a) == false);
  Analyzer bound;
  bound.bind_extent(a, Expr(1000));
  CHECK(bound.simplify(floor_div(a * 4 + 1, 4)).same_as(a));
  CHECK(bound.simplify(a + 0 * b).dtype() == kInt32);
  bound.bind_extent(w, Expr(10));
  Expr mixed = cast(kInt64, a * 4) + w - cast(kInt64, a) * 4;
  CHECK(bound.simplify(mixed).same_as(w));
  // Widening a narrow sum as a whole stays as it is.
  Expr wide = cast(kInt64, a * 4 + 1);
  CHECK(bound.simplify(wide).same_as(wide));
}

TEST_CASE("an unchanged expression is given back itself") {
  Fixture f;
  for (const Expr& e : {f.x + f.y, f.x * 32 + f.j, Expr(f.x < f.n), Expr(floor_div(f.x, 4))}) {
    Expr once = f.analyzer.simplify(e);
    CHECK(f.analyzer.simplify(once).same_as(once));
    CHECK(f.analyzer.simplify(e).same_as(e));
  }
}

TEST_CASE("overflowing coefficients give up instead of being wrong") {
  Fixture f;
  Expr big = f.x * (int64_t{1} << 62);
  Expr e = big * 4 + f.y;
  CHECK_NOTHROW(f.analyzer.simplify(e));
  CHECK(f.analyzer.const_interval(e) == Interval{});
  Expr near = f.j + make_int(kInt64, INT64_MAX - 3);
  CHECK(f.analyzer.const_interval(near).max == Interval::kPosInf);
}

TEST_CASE("values bound to variables take their place") {
  Fixture f;
  Var v("v");
  f.analyzer.bind_value(v, f.x * 32 + f.j);
  CHECK(f.simple(floor_div(v, 32)) == "x");
  Var one("one");
  f.analyzer.bind(one, {f.n, Expr(1)});
  CHECK(f.simple(one + 1) == "n + 1");
}

TEST_CASE("linear forms") {
  Fixture f;
  LinearForm form = f.analyzer.linear_form(f.x * 3 + floor_div(f.y, 4) - 7 + f.x);
  REQUIRE(form.terms.size() == 2);
  CHECK(form.constant == -7);
  CHECK(to_text(form.terms[0].first) == "x");
  CHECK(form.terms[0].second == 4);
  CHECK(to_text(form.terms[1].first) == "y // 4");
  CHECK(to_text(f.analyzer.simplify(from_linear_form(form))) ==
        f.simple(f.x * 4 + floor_div(f.y, 4) - 7));
}

TEST_CASE("index vectors become ramps and broadcasts") {
  Fixture f;
  auto lanes = [](const Expr& base, int64_t stride) {
    return ramp(base, make_int(kInt64, stride), 8);
  };
  auto all = [](const Expr& value) { return broadcast(value, 8); };
  auto same = [&](const Expr& a, const Expr& b) {
    return to_text(f.analyzer.simplify(a)) == to_text(f.analyzer.simplify(b));
  };
  CHECK(same(lanes(f.x, 1) + all(f.y), lanes(f.x + f.y, 1)));
  CHECK(same(all(f.y) * all(f.x), all(f.x * f.y)));
  CHECK(same(lanes(f.x, 1) * all(Expr(int64_t{4})) - lanes(f.x * 4, 4), all(make_int(kInt64, 0))));
  CHECK(same(floor_div(lanes(f.x * 8, 1), all(make_int(kInt64, 8))), all(f.x)));
  CHECK(
      same(floor_mod(lanes(f.x * 8, 1), all(make_int(kInt64, 8))), lanes(make_int(kInt64, 0), 1)));
  CHECK(same(floor_div(lanes(f.x, 8), all(make_int(kInt64, 4))), lanes(floor_div(f.x, 4), 2)));
  CHECK(same(floor_mod(lanes(f.x * 8, 1), all(f.s)), lanes(floor_mod(f.x * 8, f.s), 1)));
  // Lanes on both sides of a multiple stay as they are.
  Expr crossing = floor_div(lanes(f.x, 1), all(make_int(kInt64, 8)));
  CHECK(f.analyzer.simplify(crossing).same_as(crossing));
}
