#include "tilewright/support/half.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tilewright;

namespace {

// The nearest 16-bit pattern by exhaustive search over neighbours: independent of the encoder.
template <typename Value>
uint16_t nearest_by_search(double x, uint16_t guess, Value value) {
  uint16_t best = guess;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int delta = -2; delta <= 2; ++delta) {
    const int candidate = (guess & 0x7fff) + delta;
    if (candidate < 0) continue;
    const auto bits = static_cast<uint16_t>((guess & 0x8000) | candidate);
    const double v = value(bits);
    if (!std::isfinite(v)) continue;
    const double distance = std::fabs(v - x);
    if (distance < best_distance || (distance == best_distance && !(bits & 1))) {
      best = bits;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("float16 and bfloat16 round trip over all patterns") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const float half = float16_value(pattern);
    const float brain = bfloat16_value(pattern);
    if (std::isnan(half)) {
      if (float16_bits(half) != (pattern | 0x200)) FAIL("float16 NaN " << bits);
    } else if (float16_bits(half) != pattern) {
      FAIL("float16 " << bits);
    }
    if (std::isnan(brain)) {
      if (!std::isnan(bfloat16_value(bfloat16_bits(brain)))) FAIL("bfloat16 NaN " << bits);
    } else if (bfloat16_bits(brain) != pattern) {
      FAIL("bfloat16 " << bits);
    }
  }
}

TEST_CASE("every midpoint of neighbouring float16 values goes to the even one") {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = float16_value(static_cast<uint16_t>(bits));
    const double high = float16_value(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    const uint16_t even = static_cast<uint16_t>(bits & 1 ? bits + 1 : bits);
    if (float16_bits(middle) != even) FAIL(bits);
    if (float16_bits(-middle) != (even | 0x8000)) FAIL(bits);
    if (float16_bits(std::nextafter(middle, 0.0)) != bits) FAIL(bits);
    if (float16_bits(std::nextafter(middle, 1e9)) != bits + 1) FAIL(bits);
    if (nearest_by_search(middle, even, float16_value) != even) FAIL(bits);
  }
}

TEST_CASE("limits of float16 and bfloat16") {
  CHECK(float16_bits(65504.0) == 0x7bff);
  CHECK(float16_bits(65519.99) == 0x7bff);
  CHECK(float16_bits(65520.0) == 0x7c00);
  CHECK(float16_bits(-1e300) == 0xfc00);
  CHECK(float16_bits(0x1p-25) == 0);  // tie with zero
  CHECK(float16_bits(std::nextafter(0x1p-25, 1.0)) == 1);
  CHECK(float16_bits(1e-300) == 0);
  CHECK(float16_bits(5e-324) == 0);
  CHECK(float16_bits(-0.0) == 0x8000);
  CHECK(float16_bits(1.0) == 0x3c00);
  CHECK(bfloat16_bits(1.0) == 0x3f80);
  CHECK(bfloat16_bits(1.0 + 0x1p-8) == 0x3f80);  // tie to even
  CHECK(bfloat16_bits(1.0 + 0x1.8p-7) == 0x3f82);
  CHECK(bfloat16_bits(3.4e38) == 0x7f80);
  CHECK(bfloat16_bits(0x1p-133) == 1);
  CHECK(bfloat16_bits(0x1p-134) == 0);
  CHECK(bfloat16_bits(std::numeric_limits<double>::infinity()) == 0x7f80);
  // One rounding from double: through float this would become a tie and go to even.
  CHECK(float16_bits(1.0 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(float16_bits(static_cast<float>(1.0 + 0x1p-11 + 0x1p-40)) == 0x3c00);
}
