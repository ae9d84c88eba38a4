#include <cmath>

#include "case_support.h"
#include "tilewright/support/half.h"

namespace tilewright::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kCount = 13;
constexpr double kValues[kCount] = {-4.5, -2.5, -1.5, -0.5,      -0.0, 0.5, 0.9,
                                    1.5,  2.5,  4.5,  8388609.0, kInf, kNan};
constexpr double kRounded[kCount] = {-4, -2, -2, -0.0, -0.0, 0, 1, 2, 2, 4, 8388609.0, kInf, kNan};

template <typename F>
NDArray floats(DType dtype, F value) {
  const std::vector<int64_t> shape = {kCount};
  if (dtype == kFloat64) return filled<double>(shape, dtype, value);
  if (dtype == kFloat32) return filled<float>(shape, dtype, value);
  return filled<uint16_t>(shape, dtype, [&](int64_t i) { return float16_bits(value(i)); });
}

// The sign of a rounded zero counts, which a comparison of numbers does not see.
std::string sign_difference(const NDArray& actual, DType dtype) {
  const NDArray right = floats(dtype, [](int64_t i) { return kRounded[i]; });
  const size_t bytes = static_cast<size_t>(dtype.bytes());
  for (int64_t i = 0; i < kCount; ++i) {
    if (std::isnan(kRounded[i])) continue;
    const auto at = [&](const NDArray& array) {
      return array.data_as<uint8_t>()[static_cast<size_t>(i + 1) * bytes - 1] >> 7;
    };
    if (at(actual) != at(right)) return fmt::format("element {} has the wrong sign", i);
  }
  return "";
}

}  // namespace

TEST_CASE("K13_rounding_halves_to_even", "[cases]") {
  for (DType dtype : {kFloat16, kFloat32, kFloat64}) {
    for (int lanes : {1, 4, 8}) {
      for (const char* tail : {"guard", "peel"}) {
        DYNAMIC_SECTION(to_string(dtype) << ", " << lanes << " lanes, " << tail) {
          te::Tensor x = te::placeholder({kCount}, dtype, "X");
          te::Tensor y = te::compute(
              {kCount}, [&](te::Var i) { return te::round(x(i)); }, "Y");
          Schedule sch(te::create_prim_func({x, y}));
          if (lanes > 1) {
            const Loop i = sch.get_loops(sch.get_block("Y"))[0];
            sch.vectorize(sch.split_factor(i, lanes, tail)[1]);
          }
          CheckOptions options;
          options.inputs["X"] = floats(dtype, [](int64_t i) { return kValues[i]; });
          options.expected["Y"] = floats(dtype, [](int64_t i) { return kRounded[i]; });
          check_case(sch, options);
          CHECK(sign_difference(build(sch)(options.inputs["X"]).at(0), dtype) == "");
          CHECK(sign_difference(interpret(sch.func(), options).at("Y"), dtype) == "");
        }
      }
    }
    DYNAMIC_SECTION(to_string(dtype) << ", folded constants") {
      for (int64_t i = 0; i < kCount; ++i) {
        INFO(kValues[i]);
        const te::Expr folded = te::round(ir::make_float(dtype, kValues[i]));
        const auto* imm = folded.as<ir::FloatImmNode>();
        REQUIRE(imm != nullptr);
        const double right = ir::make_float(dtype, kRounded[i]).as<ir::FloatImmNode>()->value;
        CHECK((imm->value == right || (std::isnan(imm->value) && std::isnan(right))));
        CHECK((std::isnan(right) || std::signbit(imm->value) == std::signbit(right)));
      }
    }
  }
  SECTION("an ONNX Round node") { TW_SKIP("ONNX models are not read by this version"); }
  device_paths();
}

}  // namespace tilewright::testing
