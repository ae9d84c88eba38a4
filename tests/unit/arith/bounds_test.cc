#include <catch2/catch.hpp>

#include "tilewright/arith/analyzer.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::arith;
using namespace tilewright::ir;

namespace {

// "min .. max : extent" of the bounds.
std::string bounds(const Analyzer& analyzer, const Expr& e, const std::vector<Var>& over) {
  SymbolicInterval b = analyzer.bounds_over(e, over);
  if (!b.min.defined() || !b.max.defined()) {
    return (b.min.defined() ? to_text(b.min) : "?") + " .. " +
           (b.max.defined() ? to_text(b.max) : "?");
  }
  return to_text(b.min) + " .. " + to_text(b.max) + " : " +
         to_text(analyzer.simplify(b.max - b.min + 1));
}

}  // namespace

TEST_CASE("bounds of tiles have constant extents") {
  Var i0("i0"), i1("i1"), k("k"), io("io"), m("m");
  Analyzer a;
  a.bind_extent(i0, Expr(16));
  a.bind_extent(i1, Expr(32));
  a.bind(k, {Expr(-2), Expr(5)});
  CHECK(bounds(a, i0 * 32 + i1, {i1}) == "i0 * 32 .. i0 * 32 + 31 : 32");
  CHECK(bounds(a, i0 * 32 + i1 + k, {i1, k}) == "i0 * 32 - 2 .. i0 * 32 + 33 : 36");
  CHECK(bounds(a, i0 * 32 - i1, {i1}) == "i0 * 32 - 31 .. i0 * 32 : 32");
  CHECK(bounds(a, i0 * 32 + i1, {i0, i1}) == "0 .. 511 : 512");
  CHECK(bounds(a, (i0 * 32 + i1) * 2 + k, {i1, k}) == "i0 * 64 - 2 .. i0 * 64 + 64 : 67");
  a.bind_extent(io, Expr(8));
  a.bind(m, {io * 96, Expr(96)});
  CHECK(bounds(a, floor_div(m, 6), {m}) == "io * 16 .. io * 16 + 15 : 16");
  CHECK(bounds(a, floor_mod(m, 6), {m}) == "0 .. 5 : 6");
  CHECK(bounds(a, floor_div(io * 96 + k + 2, 6), {k}) == "io * 16 .. io * 16 : 1");
  CHECK(bounds(a, floor_mod(io * 96 + k + 8, 12), {k}) == "6 .. 10 : 5");
}

TEST_CASE("bounds with symbolic extents") {
  Var n("n"), i("i"), j("j"), s("s"), p("p");
  Analyzer a;
  a.assume(n >= 1);
  a.bind_extent(i, n);
  a.bind_extent(j, i + 1);  // a triangle
  CHECK(bounds(a, i * 2 + 1, {i}) == "1 .. n * 2 - 1 : n * 2 - 1");
  CHECK(bounds(a, j, {j}) == "0 .. i : i + 1");
  CHECK(bounds(a, j, {i, j}) == "0 .. n - 1 : n");
  CHECK(bounds(a, i - j, {i, j}) == "0 .. n - 1 : n");
  CHECK(bounds(a, s * n + i, {i}) == "n * s .. n * s + n - 1 : n");
  a.bind_extent(p, Expr(4));
  CHECK(bounds(a, p * n + i, {i, p}) == "0 .. n * 4 - 1 : n * 4");
}

TEST_CASE("bounds of minimum, maximum and choices") {
  Var i("i"), n("n"), x("x");
  Analyzer a;
  a.bind_extent(i, Expr(10));
  CHECK(bounds(a, min(i * 3, 12), {i}) == "0 .. 12 : 13");
  CHECK(bounds(a, max(min(x + i, n), 0), {i}) ==
        "max(min(n, x), 0) .. max(min(n, x + 9), 0) : " +
            to_text(a.simplify(max(min(n, x + 9), 0) - max(min(n, x), 0) + 1)));
  CHECK(bounds(a, select(i < 4, x + i, x), {i}) == "x .. x + 9 : 10");
  CHECK(bounds(a, x * 2, {i}) == "x * 2 .. x * 2 : 1");
}

TEST_CASE("what has no bound stays open") {
  Var i("i"), free("free");
  Analyzer a;
  a.bind_extent(i, Expr(10));
  Buffer idx = make_buffer("idx", kInt64, {Expr(10)});
  Buffer byte = make_buffer("byte", kUInt8, {Expr(10)});
  CHECK(bounds(a, free + i, {i, free}) == "? .. ?");
  CHECK(bounds(a, load(idx, {i}) + i, {i}) == "? .. ?");
  CHECK(bounds(a, cast(kInt64, load(byte, {i})) + i, {i}) == "0 .. 264 : 265");
}

TEST_CASE("constant intervals") {
  Var i("i"), j("j"), n("n"), x("x"), q("q");
  Analyzer a;
  a.bind_extent(i, Expr(10));
  a.bind(j, {Expr(-5), Expr(11)});
  a.assume(n >= 1 && n <= 100);
  CHECK(a.const_interval(i * 3 - j) == Interval{-5, 32});
  CHECK(a.const_interval(floor_div(j, 2)) == Interval{-3, 2});
  CHECK(a.const_interval(floor_mod(x, 7)) == Interval{0, 6});
  CHECK(a.const_interval(j * j) == Interval{0, 25});
  CHECK(a.const_interval(n * i) == Interval{0, 900});
  CHECK(a.const_interval(floor_div(x + 94, 6) - floor_div(x, 6)) == Interval{15, 16});
  a.bind_extent(q, min(n - i * 8, 8));
  CHECK(a.const_interval(q).max == 7);
  // The overlap of a window and a range is no longer than the window.
  Expr low = max(x * 8 - 1, 0), high = min(x * 8 + 9, 56);
  CHECK(a.const_interval(high - low).max == 10);
}
