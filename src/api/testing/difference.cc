#include <cmath>

#include "api/testing/elements.h"
#include "tilewright/api/testing.h"
#include "tilewright/support/error.h"

namespace tilewright::testing {
namespace detail {

std::string element_text(DType dtype, const void* element) {
  if (dtype.is_float()) return fmt::format("{}", float_element(dtype, element));
  int64_t value = 0;
  std::memcpy(&value, element, static_cast<size_t>(dtype.bytes()));
  const int unused = 64 - 8 * dtype.bytes();
  if (dtype.is_int()) return fmt::format("{}", value << unused >> unused);
  return fmt::format("{}", static_cast<uint64_t>(value));
}

namespace {

bool equal(DType dtype, const void* actual, const void* expected, double rtol, double atol) {
  if (!dtype.is_float()) {
    return std::memcmp(actual, expected, static_cast<size_t>(dtype.bytes())) == 0;
  }
  const double a = float_element(dtype, actual), e = float_element(dtype, expected);
  if (std::isnan(a) || std::isnan(e)) return std::isnan(a) && std::isnan(e);
  return a == e || std::abs(a - e) <= atol + rtol * std::abs(e);
}

std::string index_text(const std::vector<int64_t>& shape, int64_t number) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = number % shape[d];
    number /= shape[d];
  }
  return runtime::shape_text(index);
}

}  // namespace
}  // namespace detail

std::string difference(const runtime::NDArray& actual, const runtime::NDArray& expected,
                       double rtol, double atol) {
  const DType dtype = expected.dtype();
  if (actual.dtype() != dtype || actual.shape() != expected.shape()) {
    return fmt::format("is {}, expected {}", actual.describe(), expected.describe());
  }
  const runtime::NDArray a = actual.is_compact() ? actual : actual.to_host();
  const runtime::NDArray e = expected.is_compact() ? expected : expected.to_host();
  const auto* a_bytes = a.data_as<char>();
  const auto* e_bytes = e.data_as<char>();
  std::string first;
  int64_t wrong = 0;
  const int64_t count = e.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    const void* x = a_bytes + i * dtype.bytes();
    const void* y = e_bytes + i * dtype.bytes();
    if (detail::equal(dtype, x, y, rtol, atol)) continue;
    if (wrong++ > 0) continue;
    first = fmt::format("element {} is {}, expected {}", detail::index_text(e.shape(), i),
                        detail::element_text(dtype, x), detail::element_text(dtype, y));
  }
  if (wrong > 1) first += fmt::format(" ({} of {} elements differ)", wrong, count);
  return first;
}

}  // namespace tilewright::testing
