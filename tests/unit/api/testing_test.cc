#include <catch2/catch.hpp>
#include <limits>

#include "support/expect_error.h"
#include "tilewright/tilewright.h"

namespace tilewright {
namespace {

using testing::expect_error;

// B[i + shift] = A[i] + added over 0..n: what a compiler that is wrong would give. Built by hand, since no
// schedule makes it.
ir::PrimFunc wrong_program(int64_t n, int64_t shift, double added) {
  const ir::Buffer a = ir::make_buffer("A", kFloat32, {10});
  const ir::Buffer b = ir::make_buffer("B", kFloat32, {10});
  const ir::Var i("i");
  const ir::Stmt body = ir::make_for(
      0, i, n, ir::store(b, {i + shift}, ir::load(a, {i}) + ir::make_float(kFloat32, added)));
  std::vector<ir::Param> params(2);
  params[0].buffer = a;
  params[1].buffer = b;
  params[1].role = ir::ParamRole::kOutput;
  return ir::PrimFunc(new ir::PrimFuncNode("f", params, {}, {}, body, ir::Level::kFlat, {}));
}

ir::PrimFunc right_program() {
  te::Tensor a = te::placeholder({10}, kFloat32, "A");
  te::Tensor b = te::compute(
      {10}, [&](te::Var i) { return a(i) + 1.0f; }, "B");
  return te::create_prim_func({a, b}, "f");
}

TEST_CASE("A right program passes", "[testing]") {
  CHECK_NOTHROW(testing::assert_allclose(default_schedule(right_program())));
  CHECK_NOTHROW(testing::assert_allclose(wrong_program(10, 0, 1), right_program()));
}

TEST_CASE("Wrong values, missing values and writes beside the output are found", "[testing]") {
  testing::CheckOptions compiled_only;
  compiled_only.interpret_steps = false;
  expect_error("testing.mismatch", {"compiled code, 1 thread", "'B'", "(0,)", "10 of 10"}, [&] {
    testing::assert_allclose(wrong_program(10, 0, 2), right_program(), compiled_only);
  });
  expect_error("testing.mismatch", {"'B'", "(9,)", "nan"}, [&] {
    testing::assert_allclose(wrong_program(9, 0, 1), right_program(), compiled_only);
  });
  expect_error("testing.canary", {"'B'"}, [&] {
    testing::assert_allclose(wrong_program(12, 0, 1), right_program(), compiled_only);
  });
  // The interpreter finds the same ones by itself.
  expect_error("testing.mismatch", {"interpreter on the scheduled program"},
               [&] { testing::assert_allclose(wrong_program(10, 0, 2), right_program()); });
  expect_error("interp.out_of_bounds", {"'A'"},
               [&] { testing::assert_allclose(wrong_program(12, 0, 1), right_program()); });
}

TEST_CASE("Expected values, tolerances and inputs", "[testing]") {
  testing::CheckOptions options;
  const std::vector<float> in(10, 1.0f), out(10, 2.0f), near(10, 2.001f);
  const auto array = [](const std::vector<float>& values) {
    return NDArray::copy_of<float>({10}, kFloat32, std::span<const float>(values));
  };
  options.inputs["A"] = array(in);
  options.expected["B"] = array(out);
  const Schedule sch = default_schedule(right_program());
  CHECK_NOTHROW(testing::assert_allclose(sch, options));
  options.expected["B"] = array(near);
  expect_error("testing.mismatch", {"unscheduled"},
               [&] { testing::assert_allclose(sch, options); });
  options.rtol = 1e-3;
  CHECK_NOTHROW(testing::assert_allclose(sch, options));
  options.expected["C"] = array(out);
  expect_error("testing.options", {"'C'"}, [&] { testing::assert_allclose(sch, options); });
}

TEST_CASE("Symbolic sizes and scalars need values", "[testing]") {
  const te::Var n = te::var("n");
  const te::Var s = te::scalar("s", kFloat32);
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor b = te::compute(
      {n}, [&](te::Var i) { return a(i) * s; }, "B");
  const Schedule sch = default_schedule(te::create_prim_func({a, s, b}));
  testing::CheckOptions options;
  expect_error("testing.options", {"'n'"}, [&] { testing::assert_allclose(sch, options); });
  options.sizes["n"] = 37;
  expect_error("testing.options", {"'s'"}, [&] { testing::assert_allclose(sch, options); });
  options.scalars["s"] = 3.0;
  CHECK_NOTHROW(testing::assert_allclose(sch, options));
  options.sizes["n"] = 0;
  CHECK_NOTHROW(testing::assert_allclose(sch, options));
}

TEST_CASE("Differences name the element", "[testing]") {
  const auto floats = [](std::vector<float> values) {
    return NDArray::copy_of<float>({2, 2}, kFloat32, std::span<const float>(values));
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(testing::difference(floats({0, -0.0f, nan, 4}), floats({-0.0f, 0, nan, 4})) == "");
  CHECK(testing::difference(floats({0, 1, 2, 3}), floats({0, 1, 2.5, 3})) ==
        "element (1, 0) is 2, expected 2.5");
  CHECK(testing::difference(floats({0, 1, nan, 3}), floats({0, 1, 2, 4})) ==
        "element (1, 0) is nan, expected 2 (2 of 4 elements differ)");
  CHECK(testing::difference(floats({0, 1, 2, 3}), NDArray::zeros({4}, kFloat32)) ==
        "is float32 (2, 2), expected float32 (4,)");
  CHECK(testing::difference(floats({0, 1, 2, 3}).view({2, 2}, {1, 2}), floats({0, 2, 1, 3})) == "");
}

TEST_CASE("Guarded arrays show writes beside them", "[testing]") {
  for (DType dtype : {kBool, kInt8, kUInt16, kFloat16, kBFloat16, kInt32, kFloat64, kUInt64}) {
    INFO(to_string(dtype));
    const testing::GuardedArray guarded({3}, dtype, 2);
    CHECK(guarded.canaries_intact());
    auto* bytes = guarded.array().data_as<uint8_t>();
    const uint8_t before = bytes[-1];
    bytes[-1] = static_cast<uint8_t>(before + 1);
    CHECK(!guarded.canaries_intact());
    bytes[-1] = before;
    bytes[3 * dtype.bytes()] ^= 1;
    CHECK(!guarded.canaries_intact());
  }
}

}  // namespace
}  // namespace tilewright
