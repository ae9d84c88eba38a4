#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

enum class TypeCode : uint8_t { kBool, kInt, kUInt, kFloat, kBFloat, kHandle };

/// A scalar or vector element type: bool (one byte holding 0 or 1), int/uint 8..64, float16/32/64,
/// bfloat16, each with `lanes` >= 1. `handle` is an opaque pointer, used only in lowered code.
struct DType {
  TypeCode code = TypeCode::kInt;
  uint8_t bits = 32;
  uint16_t lanes = 1;

  constexpr bool is_bool() const { return code == TypeCode::kBool; }
  constexpr bool is_int() const { return code == TypeCode::kInt; }
  constexpr bool is_uint() const { return code == TypeCode::kUInt; }
  /// Signed or unsigned integer, not bool.
  constexpr bool is_integer() const { return is_int() || is_uint(); }
  /// float16/32/64 or bfloat16.
  constexpr bool is_float() const { return code == TypeCode::kFloat || code == TypeCode::kBFloat; }
  constexpr bool is_bfloat16() const { return code == TypeCode::kBFloat; }
  constexpr bool is_handle() const { return code == TypeCode::kHandle; }
  constexpr bool is_scalar() const { return lanes == 1; }
  constexpr DType with_lanes(int count) const { return {code, bits, static_cast<uint16_t>(count)}; }
  constexpr DType element() const { return with_lanes(1); }
  /// Storage of one element in bytes.
  constexpr int bytes() const { return (bits + 7) / 8; }
  constexpr bool operator==(const DType&) const = default;
};

inline constexpr DType kBool{TypeCode::kBool, 8, 1};
inline constexpr DType kInt8{TypeCode::kInt, 8, 1};
inline constexpr DType kInt16{TypeCode::kInt, 16, 1};
inline constexpr DType kInt32{TypeCode::kInt, 32, 1};
inline constexpr DType kInt64{TypeCode::kInt, 64, 1};
inline constexpr DType kUInt8{TypeCode::kUInt, 8, 1};
inline constexpr DType kUInt16{TypeCode::kUInt, 16, 1};
inline constexpr DType kUInt32{TypeCode::kUInt, 32, 1};
inline constexpr DType kUInt64{TypeCode::kUInt, 64, 1};
inline constexpr DType kFloat16{TypeCode::kFloat, 16, 1};
inline constexpr DType kBFloat16{TypeCode::kBFloat, 16, 1};
inline constexpr DType kFloat32{TypeCode::kFloat, 32, 1};
inline constexpr DType kFloat64{TypeCode::kFloat, 64, 1};
inline constexpr DType kHandle{TypeCode::kHandle, 64, 1};

/// "float32", "bfloat16", "uint8", "bool", "float32x8" for eight lanes.
std::string to_string(DType dtype);

/// Inverse of `to_string`. Throws Error "dtype.unknown" naming the text and the known names.
DType parse_dtype(std::string_view text);

}  // namespace tilewright
