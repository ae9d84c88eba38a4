#include <cmath>

#include "case_support.h"
#include "tilewright/support/half.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kRows = 5, kTerms = 38;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMatrix[kRows][2] = {
    {kNan, 1}, {2, kNan}, {kNan, kNan}, {-kInf, -kInf}, {-kInf, 3}};

template <typename F>
NDArray floats(DType dtype, std::vector<int64_t> shape, F value) {
  if (dtype == kFloat32) return filled<float>(std::move(shape), dtype, value);
  return filled<uint16_t>(std::move(shape), dtype,
                          [&](int64_t i) { return float16_bits(value(i)); });
}

// NaN propagates, as in numpy.max and numpy.min.
float expected_value(int64_t row, bool is_max) {
  const float a = kMatrix[row][0], b = kMatrix[row][1];
  if (std::isnan(a) || std::isnan(b)) return kNan;
  return is_max ? std::max(a, b) : std::min(a, b);
}

te::Expr constant_element(DType dtype, const te::Var& i, const te::Expr& k) {
  te::Expr value = ir::make_float(dtype, kMatrix[0][0]);
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t column = 0; column < 2; ++column) {
      value = te::select(i == row && te::floor_mod(k, 2) == column,
                         ir::make_float(dtype, kMatrix[row][column]), value);
    }
  }
  return value;
}

void apply(Schedule& sch, const std::string& how) {
  const BlockRef block = sch.get_block("Y");
  const std::vector<Loop> loops = sch.get_loops(block);
  if (how == "rows vectorized") {
    sch.reorder({loops[1], loops[0]});
    sch.vectorize(loops[0]);
  } else if (how == "rows parallel") {
    sch.parallel(loops[0]);
  } else if (how.find("rfactor") == 0) {
    const Loop lanes = sch.split_factor(loops[1], 8)[1];
    const BlockRef partial = sch.rfactor(lanes);
    if (how == "rfactor, vectorized") {
      const std::vector<Loop> partial_loops = sch.get_loops(partial);
      std::vector<Loop> order;
      for (const Loop& loop : partial_loops) {
        if (!(loop == lanes)) order.push_back(loop);
      }
      order.push_back(lanes);
      sch.reorder(order);
      sch.vectorize(lanes);
    }
  }
}

}  // namespace

TEST_CASE("K11_nan_and_infinity_in_max_and_min", "[cases]") {
  for (DType dtype : {kFloat32, kFloat16}) {
    for (bool is_max : {true, false}) {
      for (bool argument : {true, false}) {
        for (const char* how :
             {"serial", "rows vectorized", "rows parallel", "rfactor", "rfactor, vectorized"}) {
          DYNAMIC_SECTION(to_string(dtype) << (is_max ? " max, " : " min, ")
                                           << (argument ? "argument, " : "constant, ") << how) {
            te::Tensor m = te::placeholder({kRows, kTerms}, dtype, "M");
            const te::ReduceAxis k = te::reduce_axis(kTerms, "k");
            te::Tensor y = te::compute(
                {kRows},
                [&](te::Var i) {
                  const te::Expr term = argument ? m(i, k) : constant_element(dtype, i, k);
                  return is_max ? te::max(term, k) : te::min(term, k);
                },
                "Y");
            Schedule sch(argument ? te::create_prim_func({m, y}) : te::create_prim_func({y}));
            apply(sch, how);
            CheckOptions options;
            if (argument) {
              options.inputs["M"] = floats(dtype, {kRows, kTerms}, [](int64_t i) {
                return kMatrix[i / kTerms][i % kTerms % 2];
              });
            }
            options.expected["Y"] =
                floats(dtype, {kRows}, [&](int64_t i) { return expected_value(i, is_max); });
            check_case(sch, options);
          }
        }
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
