#pragma once

#include <cstring>
#include <string>

#include "tilewright/runtime/ndarray.h"
#include "tilewright/support/half.h"

/// \file
/// Single elements of host memory in any dtype.

namespace tilewright::testing::detail {

template <typename T>
T load_as(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

/// The value of a float element, exact.
inline double float_element(DType dtype, const void* element) {
  if (dtype.is_bfloat16()) return bfloat16_value(load_as<uint16_t>(element));
  if (dtype.bits == 16) return float16_value(load_as<uint16_t>(element));
  return dtype.bits == 32 ? static_cast<double>(load_as<float>(element)) : load_as<double>(element);
}

/// Writes an integer that the dtype holds (an integer dtype: modulo its width).
inline void store_integer(DType dtype, void* element, int64_t value) {
  if (!dtype.is_float()) {
    std::memcpy(element, &value, static_cast<size_t>(dtype.bytes()));  // little endian
    return;
  }
  const auto real = static_cast<double>(value);
  if (dtype.bits == 64) {
    std::memcpy(element, &real, sizeof(real));
  } else if (dtype.bits == 32) {
    const auto single = static_cast<float>(real);
    std::memcpy(element, &single, sizeof(single));
  } else {
    const uint16_t bits = dtype.is_bfloat16() ? bfloat16_bits(real) : float16_bits(real);
    std::memcpy(element, &bits, sizeof(bits));
  }
}

std::string element_text(DType dtype, const void* element);

}  // namespace tilewright::testing::detail
