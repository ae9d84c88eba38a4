#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/scalar.h"
#include "tilewright/ir/ops.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/half.h"
#include "tilewright/support/rng.h"

using namespace tilewright;
using namespace tilewright::ir;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

int64_t int_of(const Expr& e) {
  REQUIRE(as_const_int(e));
  return *as_const_int(e);
}

double float_of(const Expr& e) {
  REQUIRE(e.as<FloatImmNode>());
  return e.as<FloatImmNode>()->value;
}

int64_t folded(BinaryOp op, DType t, int64_t a, int64_t b) {
  return int_of(binary(op, make_int(t, a), make_int(t, b)));
}

double float_folded(BinaryOp op, DType t, double a, double b) {
  return float_of(binary(op, make_float(t, a), make_float(t, b)));
}

// Same number; NaN equals NaN, but -0.0 differs from +0.0.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace

TEST_CASE("floor and truncating division on signs (K06)", "[fold]") {
  struct Row {
    int64_t x, d, floor_q, floor_m, trunc_q, trunc_m;
  };
  const Row rows[] = {{7, 3, 2, 1, 2, 1},     {-7, 3, -3, 2, -2, -1}, {7, -3, -3, -2, -2, 1},
                      {-7, -3, 2, -1, 2, -1}, {-1, 3, -1, 2, 0, -1},  {1, -3, -1, -2, 0, 1},
                      {6, 3, 2, 0, 2, 0},     {-6, 3, -2, 0, -2, 0},  {0, -5, 0, 0, 0, 0}};
  for (DType t : {kInt8, kInt16, kInt32, kInt64}) {
    for (const Row& r : rows) {
      INFO(to_string(t) << " " << r.x << " by " << r.d);
      CHECK(folded(BinaryOp::kFloorDiv, t, r.x, r.d) == r.floor_q);
      CHECK(folded(BinaryOp::kFloorMod, t, r.x, r.d) == r.floor_m);
      CHECK(folded(BinaryOp::kTruncDiv, t, r.x, r.d) == r.trunc_q);
      CHECK(folded(BinaryOp::kTruncMod, t, r.x, r.d) == r.trunc_m);
    }
  }
}

TEST_CASE("all int8 and uint8 pairs fold as the wide arithmetic says", "[fold]") {
  for (DType t : {kInt8, kUInt8}) {
    const int low = t.is_int() ? -128 : 0;
    auto wrapped = [&](int v) {
      return t.is_int() ? int64_t{static_cast<int8_t>(v)} : int64_t{static_cast<uint8_t>(v)};
    };
    auto fold = [&](BinaryOp op, int a, int b) {
      return int_of(fold_binary(op, make_int(t, a), make_int(t, b)));
    };
    bool good = true;
    for (int a = low; a < low + 256; ++a) {
      for (int b = low; b < low + 256; ++b) {
        good &= fold(BinaryOp::kAdd, a, b) == wrapped(a + b);
        good &= fold(BinaryOp::kSub, a, b) == wrapped(a - b);
        good &= fold(BinaryOp::kMul, a, b) == wrapped(a * b);
        good &= fold(BinaryOp::kMin, a, b) == std::min(a, b);
        good &= fold(BinaryOp::kLt, a, b) == (a < b);
        good &= fold(BinaryOp::kGe, a, b) == (a >= b);
        good &= fold(BinaryOp::kShl, a, b) == wrapped(a << (b & 7));
        good &= fold(BinaryOp::kShr, a, b) == wrapped(a >> (b & 7));
        good &= fold(BinaryOp::kBitXor, a, b) == wrapped(a ^ b);
        if (b == 0) continue;
        const int q = static_cast<int>(std::floor(static_cast<double>(a) / b));
        good &= fold(BinaryOp::kFloorDiv, a, b) == wrapped(q);
        good &= fold(BinaryOp::kFloorMod, a, b) == wrapped(a - q * b);
        good &= fold(BinaryOp::kTruncDiv, a, b) == wrapped(a / b);
        good &= fold(BinaryOp::kTruncMod, a, b) == wrapped(a % b);
      }
    }
    INFO(to_string(t));
    CHECK(good);
  }
}

TEST_CASE("wrapping at the width (K09, K15)", "[fold]") {
  CHECK(folded(BinaryOp::kSub, kUInt32, 0, 3) == 4294967293);
  CHECK(folded(BinaryOp::kSub, kUInt8, 0, 3) == 253);
  CHECK(to_text(make_int(kUInt64, 0) - make_int(kUInt64, 3)) == "uint64(18446744073709551613)");
  CHECK(folded(BinaryOp::kAdd, kInt32, INT32_MAX, 1) == INT32_MIN);
  CHECK(folded(BinaryOp::kTruncDiv, kInt32, INT32_MIN, -1) == INT32_MIN);
  CHECK(folded(BinaryOp::kFloorDiv, kInt64, INT64_MIN, -1) == INT64_MIN);
  CHECK(folded(BinaryOp::kFloorMod, kInt64, INT64_MIN, -1) == 0);
  CHECK(folded(BinaryOp::kMul, kInt64, 10, 1000000000) == 10000000000);
  CHECK(folded(BinaryOp::kMax, kUInt64, -1, 1) == -1);  // 2^64-1
  CHECK(folded(BinaryOp::kShl, kInt32, 1, 33) == 2);
  CHECK(folded(BinaryOp::kShr, kInt32, -8, 1) == -4);
  CHECK(folded(BinaryOp::kShr, kUInt32, -8, 1) == 2147483644);
  CHECK(int_of(-make_int(kInt8, -128)) == -128);
  CHECK(int_of(~make_int(kUInt8, 1)) == 254);
  CHECK_FALSE(fold_binary(BinaryOp::kFloorDiv, make_int(kInt32, 1), make_int(kInt32, 0)).defined());
}

TEST_CASE("float minimum and maximum propagate NaN, fmin and fmax ignore one", "[fold]") {
  for (DType t : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    CHECK(same(float_folded(BinaryOp::kMax, t, 1, kNan), kNan));
    CHECK(same(float_folded(BinaryOp::kMin, t, kNan, 1), kNan));
    CHECK(same(float_folded(BinaryOp::kFMax, t, kNan, 1), 1));
    CHECK(same(float_folded(BinaryOp::kFMin, t, 1, kNan), 1));
    CHECK(same(float_folded(BinaryOp::kMax, t, -kInf, -0.0), -0.0));
    CHECK(same(float_folded(BinaryOp::kAdd, t, kInf, -kInf), kNan));
    CHECK(same(float_folded(BinaryOp::kDiv, t, 1, -0.0), -kInf));
  }
  CHECK(is_false(make_float(kFloat32, kNan) == make_float(kFloat32, kNan)));
  CHECK(is_true(make_float(kFloat32, kNan) != make_float(kFloat32, kNan)));
  CHECK(is_true(make_float(kFloat32, 0.0) == make_float(kFloat32, -0.0)));
}

TEST_CASE("float constants are rounded to nearest even, arithmetic too", "[fold]") {
  CHECK(float_of(make_float(kFloat16, 2049)) == 2048);
  CHECK(float_of(make_float(kFloat16, 2051)) == 2052);
  CHECK(float_of(make_float(kFloat16, 65519)) == 65504);
  CHECK(float_of(make_float(kFloat16, 65520)) == kInf);
  CHECK(float_of(make_float(kFloat16, 0x1p-25)) == 0);
  CHECK(float_of(make_float(kFloat16, 0x1.8p-25)) == 0x1p-24);
  CHECK(float_of(make_float(kBFloat16, 1.00390625)) == 1.0);
  CHECK(float_of(make_float(kBFloat16, 1.01171875)) == 1.015625);
  CHECK(float_folded(BinaryOp::kAdd, kFloat16, 2048, 1) == 2048);
  CHECK(float_folded(BinaryOp::kAdd, kFloat32, 16777216, 1) == 16777216);
  CHECK(float_folded(BinaryOp::kMul, kFloat16, 300, 300) == kInf);
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    const double v = std::ldexp(rng.unit() - 0.5, static_cast<int>(rng.between(-30, 20)));
    REQUIRE(same(scalar::round_to(kFloat16, v), float16_value(float16_bits(v))));
    REQUIRE(same(scalar::round_to(kFloat32, v), static_cast<float>(v)));
  }
}

TEST_CASE("halves round to even (K13)", "[fold]") {
  const double xs[] = {-4.5, -2.5, -1.5, -0.5, -0.0, 0.5, 0.9, 1.5, 2.5, 4.5, 8388609, kInf, kNan};
  const double want[] = {-4, -2, -2, -0.0, -0.0, 0, 1, 2, 2, 4, 8388609, kInf, kNan};
  for (DType t : {kFloat32, kFloat64}) {
    for (size_t i = 0; i < std::size(xs); ++i) {
      INFO(xs[i]);
      CHECK(same(float_of(round(make_float(t, xs[i]))), want[i]));
    }
  }
  CHECK(float_of(floor(make_float(kFloat32, -0.5))) == -1);
  CHECK(same(float_of(ceil(make_float(kFloat32, -0.5))), -0.0));
  CHECK(float_of(trunc(make_float(kFloat16, -2.5))) == -2);
  CHECK(is_true(isnan(make_float(kFloat16, kNan))));
  CHECK(is_true(isinf(make_float(kFloat16, 1e9))));
  CHECK(float_of(sqrt(make_float(kFloat32, 2))) == std::sqrt(2.0f));
}

TEST_CASE("casts truncate, saturate and map NaN to 0", "[fold]") {
  auto to_int = [](DType t, double v) { return int_of(cast(t, make_float(kFloat64, v))); };
  CHECK(to_int(kInt32, -2.9) == -2);
  CHECK(to_int(kInt8, 300) == 127);
  CHECK(to_int(kInt8, -300) == -128);
  CHECK(to_int(kUInt8, -1) == 0);
  CHECK(to_int(kUInt8, 256) == 255);
  CHECK(to_int(kUInt8, -0.5) == 0);
  CHECK(to_int(kInt32, kNan) == 0);
  CHECK(to_int(kInt64, kInf) == INT64_MAX);
  CHECK(to_int(kInt64, -kInf) == INT64_MIN);
  CHECK(to_int(kUInt64, 1.8446744073709552e19) == -1);
  CHECK(to_int(kUInt64, 9.3e18) == static_cast<int64_t>(uint64_t{9300000000000000000u}));
  CHECK(to_int(kBool, 0.25) == 1);
  CHECK(to_int(kBool, kNan) == 1);
  CHECK(int_of(cast(kInt8, make_int(kInt32, 300))) == 44);
  CHECK(int_of(cast(kInt32, make_int(kUInt8, 200))) == 200);
  CHECK(int_of(cast(kBool, make_int(kInt32, -5))) == 1);
  CHECK(float_of(cast(kFloat32, make_bool(true))) == 1);
  CHECK(float_of(cast(kFloat32, make_int(kInt64, 16777217))) == 16777216);
  CHECK(float_of(cast(kFloat64, make_int(kUInt64, -1))) == 0x1p64);
  CHECK(float_of(cast(kFloat16, make_int(kInt32, 70000))) == kInf);
  // One rounding: 2^55 + 2^47 + 1 lies just above the middle of two bfloat16 values.
  const int64_t above_half = (int64_t{1} << 55) + (int64_t{1} << 47) + 1;
  CHECK(float_of(cast(kBFloat16, make_int(kInt64, above_half))) == 0x1p55 + 0x1p48);
  CHECK(float_of(cast(kBFloat16, make_int(kInt64, above_half - 1))) == 0x1p55);
}

TEST_CASE("limits", "[fold]") {
  CHECK(int_of(min_value(kInt8)) == -128);
  CHECK(int_of(max_value(kUInt8)) == 255);
  CHECK(int_of(max_value(kInt64)) == INT64_MAX);
  CHECK(float_of(min_value(kFloat16)) == -kInf);
  CHECK(is_false(min_value(kBool)));
  CHECK(int_of(call(Intrinsic::kClz, {make_int(kInt8, 1)})) == 7);
  CHECK(int_of(call(Intrinsic::kClz, {make_int(kInt32, 0)})) == 32);
  CHECK(int_of(call(Intrinsic::kPopcount, {make_int(kInt8, -1)})) == 8);
  CHECK(int_of(abs(make_int(kInt8, -128))) == -128);
}
