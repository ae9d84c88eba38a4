#include <catch2/catch.hpp>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;

TEST_CASE("tiles of a symbolic extent") {
  Var n("n"), i0("i0"), i1("i1"), i2("i2"), j("j"), m("m");
  Analyzer analyzer;
  analyzer.assume(n >= 0);
  analyzer.bind_extent(i1, Expr(32));

  SECTION("whole tiles need no guard") {
    analyzer.bind_extent(i0, floor_div(n, 32));
    CHECK(analyzer.can_prove(i0 * 32 + i1 < n));
    CHECK_FALSE(analyzer.can_prove(i0 * 32 + i1 < n - 1));
  }
  SECTION("a rounded-up number of tiles starts inside") {
    analyzer.bind_extent(i0, ceil_div(n, 32));
    CHECK(analyzer.can_prove(i0 * 32 < n));
    CHECK_FALSE(analyzer.can_prove(i0 * 32 + i1 < n));
    CHECK_FALSE(analyzer.can_prove(i0 * 32 + 1 < n));
    CHECK(analyzer.can_prove(i0 * 32 + i1 < n + 31));
  }
  SECTION("a divisible extent") {
    analyzer.assume(floor_mod(n, 32) == 0);
    analyzer.bind_extent(i0, ceil_div(n, 32));
    CHECK(analyzer.can_prove(i0 * 32 + i1 < n));
    CHECK(analyzer.can_prove(floor_mod(n, 8) == 0));
    CHECK(analyzer.can_prove(n != 5));
  }
  SECTION("n >= 1 and divisible is n >= 32") {
    analyzer.assume(n >= 1);
    analyzer.assume(floor_mod(n, 32) == 0);
    CHECK(analyzer.can_prove(n >= 32));
    CHECK_FALSE(analyzer.can_prove(n >= 33));
  }
  SECTION("two levels of tiles") {
    analyzer.bind_extent(i0, floor_div(n, 128));
    analyzer.bind_extent(i2, Expr(4));
    CHECK(analyzer.can_prove(i0 * 128 + i2 * 32 + i1 < n));
  }
  SECTION("the last tile, cut") {
    analyzer.bind_extent(i0, ceil_div(n, 32));
    analyzer.bind_extent(j, min(Expr(n - i0 * 32), Expr(32)));
    CHECK(analyzer.can_prove(i0 * 32 + j < n));
    CHECK(analyzer.can_prove(j < 32));
    CHECK_FALSE(analyzer.can_prove(j < 31));
  }
  SECTION("the last tile, moved back") {
    analyzer.assume(n >= 32);
    analyzer.bind_extent(i0, ceil_div(n, 32));
    Expr start = min(i0 * 32, n - 32);
    CHECK(analyzer.can_prove(start >= 0));
    CHECK(analyzer.can_prove(start + i1 < n));
  }
}

TEST_CASE("flattened offsets with symbolic strides") {
  Var n("n"), m("m"), k("k"), i("i"), j("j"), l("l");
  Analyzer analyzer;
  for (const Var& v : {n, m, k}) analyzer.assume(v >= 0);
  analyzer.bind_extent(i, n);
  analyzer.bind_extent(j, m);
  analyzer.bind_extent(l, k);
  CHECK(analyzer.can_prove(i * m + j < n * m));
  CHECK(analyzer.can_prove(i * m + j >= 0));
  CHECK(analyzer.can_prove((i * m + j) * k + l < n * m * k));
  CHECK_FALSE(analyzer.can_prove(i * m + j + 1 < n * m));
  CHECK_FALSE(analyzer.can_prove(j * m + i < n * m));
}

TEST_CASE("assumed inequalities combine") {
  Var a("a"), b("b"), c("c");
  Analyzer analyzer;
  analyzer.assume(a < b);
  analyzer.assume(b <= c - 2);
  CHECK(analyzer.can_prove(a + 3 <= c));
  CHECK_FALSE(analyzer.can_prove(a + 4 <= c));
  CHECK(analyzer.can_prove(a != b));
  CHECK_FALSE(analyzer.can_prove(a < 0));
  analyzer.assume(c <= 10);
  CHECK(analyzer.can_prove(a <= 7));
  CHECK(analyzer.const_interval(a).max == Interval::kPosInf);
}

TEST_CASE("conditions that are no linear facts") {
  Var a("a"), b("b");
  Var p("p", kBool), q("q", kBool);
  Analyzer analyzer;
  analyzer.assume(a < b || p);
  CHECK(analyzer.can_prove(a < b || p));
  CHECK(analyzer.can_prove(a + 1 <= b || p));
  CHECK_FALSE(analyzer.can_prove(a < b));
  analyzer.assume(!q);
  CHECK(analyzer.can_prove(!q));
  CHECK_FALSE(analyzer.can_prove(q));
  analyzer.assume(a != b);
  CHECK(analyzer.can_prove(a != b));
}

TEST_CASE("facts do not leak out of empty ranges") {
  Var n("n"), i("i");
  Analyzer analyzer;
  analyzer.assume(n >= 0);
  analyzer.bind_extent(i, n);
  // Outside a loop over i, n may be 0.
  CHECK_FALSE(analyzer.can_prove(n > 0));
  CHECK(analyzer.can_prove(i < n));
}

TEST_CASE("the bound of a partitioned loop is not rounded the wrong way") {
  // The part of a loop over io that needs no guard: io * 128 + ii * 8 + 7 < n for all ii.
  Var n("n"), io("io"), ii("ii");
  for (int64_t size = 1; size <= 140; ++size) {
    Analyzer analyzer;
    analyzer.bind_extent(ii, Expr(16));
    Expr last = floor_div(make_int(kInt64, size), make_int(kInt64, 128));
    analyzer.bind_extent(io, last);
    CHECK(analyzer.can_prove(io * 128 + ii * 8 + 7 < size));
    Analyzer more;
    more.bind_extent(ii, Expr(16));
    more.bind_extent(io, last + 1);
    CHECK(more.can_prove(io * 128 + ii * 8 + 7 < size) == (size >= 128 * (size / 128 + 1)));
  }
}

TEST_CASE("congruences") {
  Var x("x"), y("y"), n("n");
  Analyzer analyzer;
  analyzer.assume(floor_mod(n, 12) == 4);
  CHECK(analyzer.congruence(x * 6 + y * 4 + 3).modulus == 2);
  CHECK(analyzer.congruence(x * 6 + y * 4 + 3).residue == 1);
  CHECK(analyzer.congruence(n * 2 + 1).modulus == 24);
  CHECK(analyzer.congruence(n * 2 + 1).residue == 9);
  CHECK(analyzer.congruence(floor_div(n, 4)).modulus == 3);
  CHECK(analyzer.congruence(floor_div(n, 4)).residue == 1);
  CHECK(analyzer.can_prove(floor_mod(n, 3) == 1));
  CHECK(analyzer.can_prove(n != 6));
  CHECK(analyzer.congruence(x).modulus == 1);
  // Between multiples: n >= 5 means n >= 16.
  analyzer.assume(n >= 5);
  CHECK(analyzer.can_prove(n >= 16));
  analyzer.assume(floor_mod(y, 8) == 0 && y > x * 8);
  CHECK(analyzer.can_prove(y >= x * 8 + 8));
  CHECK(analyzer.congruence(make_int(kInt64, 7)).modulus == 0);
}

TEST_CASE("facts of a function") {
  Var n("n"), m("m");
  PrimFunc func(new PrimFuncNode("f", {{{}, n, ParamRole::kShape}, {{}, m, ParamRole::kShape}},
                                 {floor_mod(m, 8) == 0}, {}, nop(), Level::kScheduled, {}));
  Analyzer analyzer;
  bind_function_facts(analyzer, func);
  CHECK(analyzer.can_prove(n >= 0));
  CHECK_FALSE(analyzer.can_prove(n >= 1));
  CHECK(analyzer.can_prove(floor_mod(m, 4) == 0));
}

TEST_CASE("a copy has its own facts") {
  Var n("n");
  Analyzer a;
  a.assume(n >= 1);
  Analyzer b(a);
  b.assume(n >= 5);
  CHECK(b.can_prove(n >= 5));
  CHECK_FALSE(a.can_prove(n >= 5));
  a = b;
  CHECK(a.can_prove(n >= 5));
}
