#include "tilewright/ir/ops.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::ir;
using Catch::Matchers::Contains;

namespace {

std::string shown(const Expr& e) { return to_text(e); }

// The code and text of the Error that `f` throws.
template <typename F>
std::pair<std::string, std::string> error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {"", "nothing was thrown"};
}

const Var x32("x", kInt32), x64("y", kInt64), f32("f", kFloat32), f64("d", kFloat64);
const Var u8("u", kUInt8), b("b", kBool), h("h", kFloat16);

}  // namespace

TEST_CASE("literals take the dtype of the other side", "[ops]") {
  CHECK(shown(x64 + 1) == "y + 1");
  CHECK(shown(x32 + 1) == "x + int32(1)");
  CHECK(shown(1 - x32) == "int32(1) - x");
  CHECK(shown(f32 * 2) == "f * float32(0x1p+1)");
  CHECK(shown(u8 + 255) == "u + uint8(255)");
  CHECK(shown(h + 0.1) == "h + float16(0x1.998p-4)");
  // From the number as written, not from its float32 rounding.
  CHECK(shown(f64 + 0.1) == "d + float64(0x1.999999999999ap-4)");
  CHECK(shown(f64 + -Expr(0.1)) == "d + float64(-0x1.999999999999ap-4)");
  CHECK(shown(Expr(0.1)) == "float32(0x1.99999ap-4)");
  CHECK(shown(max(f32, 0)) == "max(f, float32(0x0p+0))");
  // A literal that needs 64 bits widens an index.
  CHECK(shown(x32 + int64_t{5000000000}) == "cast(int64, x) + 5000000000");
  CHECK(Expr(7).dtype() == kInt32);
  CHECK(Expr(int64_t{5000000000}).dtype() == kInt64);
  CHECK(Expr(true).dtype() == kBool);
  CHECK(Expr(1.5).dtype() == kFloat32);
}

TEST_CASE("dtypes that do not mix are refused, naming both sides", "[ops]") {
  auto refused = [](auto f, const std::string& one, const std::string& other) {
    auto [code, text] = error_of(f);
    INFO(text);
    CHECK(code == "ir.dtype");
    CHECK(text.find(one) != std::string::npos);
    CHECK(text.find(other) != std::string::npos);
  };
  refused([] { f32 + x32; }, "f (float32)", "x (int32)");
  refused([] { f32 + f64; }, "cast(float32, ...)", "float64");
  refused([] { u8 + 256; }, "uint8", "256");
  refused([] { u8 + -1; }, "uint8", "-1");
  refused([] { x32 + 0.5; }, "int32", "0.5");
  refused([] { b + 1; }, "bool", "int32");
  refused([] { b + b; }, "'+' needs numbers", "bool");
  refused([] { x32 / 2; }, "floor_div", "trunc_div");
  refused([] { floor_div(f32, 2); }, "integers", "float32");
  refused([] { x32&& x32; }, "bool", "x != 0");
  refused([] { !x32; }, "'!' needs bool", "int32");
  refused([] { -b; }, "'-' needs a number", "bool");
  refused([] { f32& f32; }, "integers", "float32");
  refused([] { exp(x32); }, "exp needs floats", "int32");
  refused([] { select(x32, f32, f32); }, "bool", "int32");
  refused([] { select(b, f32, x32); }, "float32", "int32");
  CHECK(error_of([] { Expr() + 1; }).first == "ir.null_expr");
  CHECK(error_of([] { floor_div(x32, 0); }).first == "ir.division_by_zero");
  CHECK(error_of([] { trunc_mod(x32, make_int(kInt32, 0)); }).first == "ir.division_by_zero");
}

TEST_CASE("index dtypes mix to int64", "[ops]") {
  CHECK(shown(x32 + x64) == "cast(int64, x) + y");
  CHECK((x64 < x32).dtype() == kBool);
  CHECK(shown(floor_mod(x64, x32)) == "y % cast(int64, x)");
}

TEST_CASE("scalars are broadcast to vectors", "[ops]") {
  Expr lanes = ramp(x64, make_int(kInt64, 1), 8);
  CHECK(shown(lanes * 2) == "ramp(y, 1, 8) * broadcast(2, 8)");
  CHECK((lanes < x64).dtype() == kBool.with_lanes(8));
  CHECK(select(b, lanes, lanes).dtype() == kInt64.with_lanes(8));
  CHECK(if_then_else(b, lanes, 0).dtype() == kInt64.with_lanes(8));
  CHECK(error_of([&] { lanes + ramp(x64, make_int(kInt64, 1), 4); }).first == "ir.dtype");
  CHECK(shown(broadcast(make_int(kInt64, 3), 4) + broadcast(make_int(kInt64, 4), 4)) ==
        "broadcast(7, 4)");
}

TEST_CASE("the listed reductions and no others", "[ops]") {
  CHECK((x32 + 0).same_as(x32));
  CHECK((0 + x32).same_as(x32));
  CHECK((x32 - 0).same_as(x32));
  CHECK((x32 * 1).same_as(x32));
  CHECK(is_const_int(x32 * 0, 0));
  CHECK((f32 * 1.0).same_as(f32));
  CHECK(floor_div(x32, 1).same_as(x32));
  CHECK((b && make_bool(true)).same_as(b));
  CHECK(is_false(b && make_bool(false)));
  CHECK(is_true(make_bool(true) || b));
  // -0.0 + 0.0 is +0.0, and 0 * inf is NaN.
  CHECK((f32 + 0.0).as<BinaryNode>());
  CHECK((f32 * 0.0).as<BinaryNode>());
  CHECK((x32 - x32).as<BinaryNode>());
  CHECK(select(true, f32, 1.0).same_as(f32));
  CHECK(if_then_else(false, f32, f32 + 1).as<BinaryNode>());
  CHECK(cast(kInt32, x32).same_as(x32));
}

TEST_CASE("logical and bitwise spellings on bool", "[ops]") {
  CHECK(shown(b & b) == "b && b");
  CHECK(shown(b | b) == "b || b");
  CHECK(shown(b ^ b) == "b != b");
  CHECK(shown(~b) == "!b");
  CHECK(shown(~x32) == "~x");
  CHECK(shown(fmin(x32, x32)) == "min(x, x)");
}

TEST_CASE("loads and stores check rank, index and value", "[ops]") {
  Buffer a = make_buffer("A", kFloat32, {x64, 4});
  CHECK(shown(a->shape[1]) == "4");
  CHECK(shown(load(a, {x64, 2})) == "A[y, 2]");
  CHECK(shown(load(a, {u8, x32})) == "A[cast(int64, u), x]");
  CHECK(load(a, {ramp(x64, make_int(kInt64, 1), 4)}).dtype() == kFloat32.with_lanes(4));
  Buffer cube = make_buffer("cube", kInt8, {2, 2, 2});
  auto [code, text] = error_of([&] { load(cube, {x64, x64}); });
  CHECK(code == "ir.rank");
  CHECK_THAT(text, Contains("cube has 3 dimension(s) but 2"));
  CHECK(error_of([&] { load(a, {f32, x64}); }).first == "ir.dtype");
  CHECK(error_of([&] { store(a, {0, 0}, x32); }).first == "ir.dtype");
  CHECK(to_text(store(a, {0, 0}, 1)) == "A[0, 0] = float32(0x1p+0)\n");
  CHECK(to_text(store(a, {ramp(x64, make_int(kInt64, 1), 2)}, f32, b)) ==
        "A[ramp(y, 1, 2)] = broadcast(f, 2) where broadcast(b, 2)\n");
}

TEST_CASE("statements", "[ops]") {
  Buffer a = make_buffer("A", kInt32, {8});
  Stmt one = store(a, {0}, 1);
  CHECK(seq({one}).same_as(one));
  CHECK(seq({seq({one, one}), nop(), one}).as<SeqNode>()->stmts.size() == 3);
  CHECK(if_then(true, one).same_as(one));
  CHECK(if_then(false, one).as<SeqNode>()->stmts.empty());
  Stmt loop = make_for(3, x64, 8, one, ForKind::kParallel);
  CHECK(loop.as<ForNode>()->extent.dtype() == kInt64);
  CHECK(loop.as<ForNode>()->id == 3);
  CHECK(with_body(loop.as<ForNode>(), nop()).as<ForNode>()->for_kind == ForKind::kParallel);
}

TEST_CASE("every intrinsic is found by its name", "[ops]") {
  for (const char* name : {"exp", "round", "fma", "print", "prefetch", "bitcast"}) {
    REQUIRE(find_intrinsic(name));
    CHECK(info(find_intrinsic(name)->id).name == name);
  }
  CHECK_FALSE(find_intrinsic("sqrtt"));
  CHECK(shown(bitcast(kInt32, f32)) == "bitcast(int32, f)");
  CHECK(error_of([] { bitcast(kInt64, f32); }).first == "ir.dtype");
  CHECK(error_of([] { call(Intrinsic::kFma, {f32}); }).first == "ir.argument");
  CHECK(shown(call(Intrinsic::kFma, {f64, 2, 0.1})) ==
        "fma(d, float64(0x1p+1), float64(0x1.999999999999ap-4))");
}

TEST_CASE("words have inverses", "[ops]") {
  for (int i = 0; i < 6; ++i) {
    CHECK(parse_for_kind(spelling(static_cast<ForKind>(i))) == static_cast<ForKind>(i));
    CHECK(parse_tail(spelling(static_cast<Tail>(i))) == static_cast<Tail>(i));
  }
  for (int i = 0; i < 7; ++i) {
    CHECK(parse_scope(spelling(static_cast<Scope>(i))) == static_cast<Scope>(i));
  }
  CHECK_FALSE(parse_for_kind("vectorised"));
  CHECK_FALSE(parse_tail(""));
}
