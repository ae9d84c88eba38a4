#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/expect_error.h"
#include "support/testing.h"
#include "tilewright/tilewright.h"

/// \file
/// What the cases share. A case runs every variant on the interpreter (unscheduled, scheduled, lowered) and as
/// compiled code with one and with three threads, in memory with canaries and poison.

namespace tilewright::testing {

/// The element numbers 0, 1, 2, ... through `value`.
template <typename T, typename F>
NDArray filled(std::vector<int64_t> shape, DType dtype, F value) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  std::vector<T> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values[static_cast<size_t>(i)] = static_cast<T>(value(i));
  return NDArray::copy_of<T>(std::move(shape), dtype, std::span<const T>(values));
}

/// u(n): a linear congruential generator in [-0.5, 0.5).
inline NDArray uniform(int64_t n) {
  uint64_t x = 1;
  return filled<float>({n}, kFloat32, [&](int64_t) {
    x = (1103515245 * x + 12345) % (uint64_t{1} << 31);
    return static_cast<float>(static_cast<double>(x) / 2147483648.0 - 0.5);
  });
}

/// Checks a schedule against the interpreter and the right values; the failure shows the loops.
inline void check_case(const Schedule& sch, const CheckOptions& options) {
  INFO(sch.show());
  try {
    assert_allclose(sch, options);
    CHECK(true);
  } catch (const std::exception& error) {
    FAIL_CHECK(error.what());
  }
}

/// True when the primitive is refused with an ordinary error that leaves the schedule as it was.
inline bool refused(const Schedule& sch, const std::function<void()>& primitive) {
  const ir::PrimFunc before = sch.func();
  try {
    primitive();
  } catch (const ScheduleException& error) {
    INFO(error.what());
    CHECK(std::string(error.what()).size() > 20);
    CHECK(sch.func().same_as(before));
    return true;
  }
  return false;
}

/// The device paths of a case, which this version has not.
inline void device_paths() {
  SECTION("OpenCL and CUDA") { TW_SKIP("code is generated for the CPU only"); }
}

}  // namespace tilewright::testing
