#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tilewright/support/half.h"
#include "tuner/measure/runner_data.h"

namespace tilewright::tuner {
namespace {

struct Differences {
  int64_t count = 0;
  int64_t first = -1;
  std::string got, expected;
};

bool agree(double got, double expected, const CheckSpec& check) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (got == expected) return true;
  return !check.exact && std::isfinite(got) &&
         std::abs(got - expected) <= check.absolute + check.relative * std::abs(expected);
}

template <typename T, typename Value>
Differences scan(const void* got, const void* expected, int64_t count, const CheckSpec& check,
                 Value value) {
  const T* a = static_cast<const T*>(got);
  const T* b = static_cast<const T*>(expected);
  // Most of the time all is well and the bytes are equal; blocks keep that test fast.
  constexpr int64_t kBlock = 1024;
  Differences result;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    if (std::memcmp(a + begin, b + begin, static_cast<size_t>(end - begin) * sizeof(T)) == 0) {
      continue;
    }
    for (int64_t i = begin; i < end; ++i) {
      const auto x = value(a[i]);
      const auto y = value(b[i]);
      bool same = false;
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(x)>>) {
        same = agree(x, y, check);
      } else {
        same = x == y;
      }
      if (same) continue;
      if (result.count++ == 0) {
        result.first = i;
        result.got = fmt::format("{}", x);
        result.expected = fmt::format("{}", y);
      }
    }
  }
  return result;
}

Differences scan(const void* got, const void* expected, DType dtype, int64_t count,
                 const CheckSpec& check) {
  const auto same = [](auto v) { return v; };
  if (dtype.is_bfloat16()) return scan<uint16_t>(got, expected, count, check, bfloat16_value);
  if (dtype.is_float()) {
    if (dtype.bits == 16) return scan<uint16_t>(got, expected, count, check, float16_value);
    if (dtype.bits == 64) return scan<double>(got, expected, count, check, same);
    return scan<float>(got, expected, count, check, same);
  }
  switch (dtype.bits * (dtype.is_int() ? 1 : -1)) {
    case 8: return scan<int8_t>(got, expected, count, check, same);
    case 16: return scan<int16_t>(got, expected, count, check, same);
    case 32: return scan<int32_t>(got, expected, count, check, same);
    case 64: return scan<int64_t>(got, expected, count, check, same);
    case -16: return scan<uint16_t>(got, expected, count, check, same);
    case -32: return scan<uint32_t>(got, expected, count, check, same);
    case -64: return scan<uint64_t>(got, expected, count, check, same);
    default: return scan<uint8_t>(got, expected, count, check, same);
  }
}

std::string index_text(int64_t flat, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = flat % shape[d];
    flat /= shape[d];
  }
  return runtime::shape_text(index);
}

}  // namespace

std::string compare(const void* got, const void* expected, DType dtype,
                    const std::vector<int64_t>& shape, const CheckSpec& check,
                    const std::string& name) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  const Differences found = scan(got, expected, dtype, count, check);
  if (found.count == 0) return "";
  return fmt::format("{} of {} elements of {} are wrong; the first at {}: got {}, expected {}",
                     found.count, count, name, index_text(found.first, shape), found.got,
                     found.expected);
}

}  // namespace tilewright::tuner
