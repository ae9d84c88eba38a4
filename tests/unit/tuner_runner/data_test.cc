#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "tilewright/support/half.h"
#include "tuner/measure/runner_data.h"

namespace tilewright::tuner {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST_CASE("whole numbers stay within their magnitude in every type") {
  const DataSpec spec{3, true, 2};
  const DType dtype = GENERATE(kFloat32, kFloat64, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16,
                               kUInt32, kUInt64, kBool, kFloat16, kBFloat16);
  CAPTURE(to_string(dtype));
  std::vector<char> bytes(static_cast<size_t>(1000 * dtype.bytes())), again = bytes, other = bytes;
  fill(bytes.data(), dtype, 1000, spec, 0);
  fill(again.data(), dtype, 1000, spec, 0);
  fill(other.data(), dtype, 1000, spec, 1);
  CHECK(bytes == again);
  CHECK(bytes != other);
  std::set<double> seen;
  for (int i = 0; i < 1000; ++i) {
    const char* at = bytes.data() + i * dtype.bytes();
    if (dtype == kFloat32) seen.insert(*reinterpret_cast<const float*>(at));
    if (dtype == kInt8) seen.insert(*reinterpret_cast<const int8_t*>(at));
    if (dtype == kUInt64) seen.insert(static_cast<double>(*reinterpret_cast<const uint64_t*>(at)));
    if (dtype == kFloat16) seen.insert(float16_value(*reinterpret_cast<const uint16_t*>(at)));
    if (dtype == kBFloat16) seen.insert(bfloat16_value(*reinterpret_cast<const uint16_t*>(at)));
  }
  for (double value : seen) {
    CHECK(std::abs(value) <= 2);
    CHECK(value == std::trunc(value));
  }
  if (!seen.empty()) CHECK(seen.size() == (dtype == kUInt64 ? 3 : 5));
}

TEST_CASE("reals are no whole numbers") {
  std::vector<float> values(100);
  fill(values.data(), kFloat32, 100, {1, false, 1}, 0);
  int whole = 0;
  for (float value : values) {
    CHECK(std::abs(value) <= 1);
    whole += value == std::trunc(value);
  }
  CHECK(whole < 5);
}

TEST_CASE("exact comparison") {
  const CheckSpec exact{true, 0, 0};
  const std::vector<float> expected{1, 0.0f, kNan, 4};
  std::vector<float> got{1, -0.0f, -kNan, 4};
  CHECK(compare(got.data(), expected.data(), kFloat32, {2, 2}, exact, "C") == "");
  got[3] = std::nextafter(4.0f, 5.0f);
  CHECK_THAT(compare(got.data(), expected.data(), kFloat32, {2, 2}, exact, "C"),
             Catch::StartsWith(
                 "1 of 4 elements of C are wrong; the first at (1, 1): got 4.0000005, expected 4"));
  got = {1, 0, 3, 4};
  CHECK(compare(got.data(), expected.data(), kFloat32, {4}, exact, "C") != "");
}

TEST_CASE("comparison with a tolerance") {
  const CheckSpec loose{false, 1e-3, 1e-3};
  const std::vector<double> expected{1000, 0};
  std::vector<double> got{1000.9, 0.0009};
  CHECK(compare(got.data(), expected.data(), kFloat64, {2}, loose, "C") == "");
  got[0] = 1002;
  CHECK(compare(got.data(), expected.data(), kFloat64, {2}, loose, "C") != "");
  got = {1000, kNan};
  CHECK(compare(got.data(), expected.data(), kFloat64, {2}, loose, "C") != "");
  // Integers have no tolerance.
  const std::vector<int32_t> a{1000}, b{1001};
  CHECK(compare(a.data(), b.data(), kInt32, {1}, loose, "C") != "");
}

TEST_CASE("guard bands notice a write next to the array") {
  GuardedArray array(100, 64);
  array.poison(0);
  CHECK(array.guards_intact());
  CHECK(reinterpret_cast<uintptr_t>(array.data()) % 64 == 0);
  char* data = static_cast<char*>(array.data());
  data[100] = 0;
  CHECK_FALSE(array.guards_intact());
  data[100] = static_cast<char>(0xC3);
  CHECK(array.guards_intact());
  data[-1] = 0;
  CHECK_FALSE(array.guards_intact());
}

}  // namespace
}  // namespace tilewright::tuner
