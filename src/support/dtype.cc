#include "tilewright/support/dtype.h"

#include <charconv>

#include "tilewright/support/error.h"

namespace tilewright {
namespace {

constexpr DType kScalars[] = {kBool,   kInt8,   kInt16,   kInt32,    kInt64,   kUInt8,   kUInt16,
                              kUInt32, kUInt64, kFloat16, kBFloat16, kFloat32, kFloat64, kHandle};

std::string scalar_name(DType dtype) {
  switch (dtype.code) {
    case TypeCode::kBool: return "bool";
    case TypeCode::kInt: return fmt::format("int{}", dtype.bits);
    case TypeCode::kUInt: return fmt::format("uint{}", dtype.bits);
    case TypeCode::kFloat: return fmt::format("float{}", dtype.bits);
    case TypeCode::kBFloat: return fmt::format("bfloat{}", dtype.bits);
    case TypeCode::kHandle: return "handle";
  }
  return "invalid";
}

}  // namespace

std::string to_string(DType dtype) {
  std::string name = scalar_name(dtype);
  return dtype.lanes == 1 ? name : fmt::format("{}x{}", name, dtype.lanes);
}

DType parse_dtype(std::string_view text) {
  std::string_view base = text;
  int lanes = 1;
  if (size_t x = text.rfind('x'); x != std::string_view::npos) {
    base = text.substr(0, x);
    auto [end, status] = std::from_chars(text.data() + x + 1, text.data() + text.size(), lanes);
    if (status != std::errc() || end != text.data() + text.size() || lanes < 1 || lanes > 65535) {
      lanes = 0;
    }
  }
  for (DType scalar : kScalars) {
    if (lanes > 0 && scalar_name(scalar) == base) return scalar.with_lanes(lanes);
  }
  fail("dtype.unknown",
       "unknown dtype '{}'; known are bool, int8/16/32/64, uint8/16/32/64, float16, bfloat16, "
       "float32, float64 (append xN for N lanes)",
       text);
}

}  // namespace tilewright
