#pragma once

#include <cstdint>

namespace tilewright {

/// Bits of the float16 (IEEE binary16) nearest to `value`, ties to even, in one rounding. Overflow
/// gives infinity; a NaN stays a (quiet) NaN and keeps its sign.
uint16_t float16_bits(double value);

/// Bits of the bfloat16 nearest to `value`, by the same rules.
uint16_t bfloat16_bits(double value);

/// The value of float16 bits, exact.
float float16_value(uint16_t bits);

/// The value of bfloat16 bits, exact.
float bfloat16_value(uint16_t bits);

}  // namespace tilewright
