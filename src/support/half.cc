#include "tilewright/support/half.h"

#include <bit>

namespace tilewright {
namespace {

struct Format {
  int mantissa_bits;
  int bias;
};

constexpr Format kFloat16Format{10, 15};
constexpr Format kBFloat16Format{7, 127};

uint16_t encode(double value, Format format) {
  constexpr int kDoubleMantissa = 52;
  constexpr int kDoubleBias = 1023;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint32_t sign = static_cast<uint32_t>(bits >> 63) << 15;
  const int raw_exponent = static_cast<int>(bits >> kDoubleMantissa) & 0x7ff;
  const uint64_t fraction = bits & ((uint64_t{1} << kDoubleMantissa) - 1);
  const uint32_t infinity = (0x7fffu >> format.mantissa_bits) << format.mantissa_bits;
  if (raw_exponent == 0x7ff) {
    if (fraction == 0) return static_cast<uint16_t>(sign | infinity);
    const uint32_t quiet = 1u << (format.mantissa_bits - 1);
    const auto payload =
        static_cast<uint32_t>(fraction >> (kDoubleMantissa - format.mantissa_bits));
    return static_cast<uint16_t>(sign | infinity | quiet | payload);
  }
  // Doubles below their own normal range are far below half of the smallest number of the format.
  if (raw_exponent == 0) return static_cast<uint16_t>(sign);

  const int exponent = raw_exponent - kDoubleBias;
  const int smallest_normal = 1 - format.bias;
  if (exponent > format.bias) return static_cast<uint16_t>(sign | infinity);
  int shift = kDoubleMantissa - format.mantissa_bits;
  if (exponent < smallest_normal) shift += smallest_normal - exponent;
  // The significand has 53 bits: shifted further it is below half a unit and rounds to zero.
  if (shift > kDoubleMantissa + 1) return static_cast<uint16_t>(sign);
  const uint64_t significand = fraction | (uint64_t{1} << kDoubleMantissa);
  uint64_t quotient = significand >> shift;
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1))) ++quotient;
  // A carry out of the mantissa moves into the exponent by itself, up to infinity.
  uint64_t magnitude = quotient;
  if (exponent >= smallest_normal) {
    magnitude += static_cast<uint64_t>(exponent + format.bias - 1) << format.mantissa_bits;
  }
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(magnitude));
}

}  // namespace

uint16_t float16_bits(double value) { return encode(value, kFloat16Format); }

uint16_t bfloat16_bits(double value) { return encode(value, kBFloat16Format); }

float float16_value(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits >> 15) << 31;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

float bfloat16_value(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace tilewright
