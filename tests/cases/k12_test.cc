#include "case_support.h"

namespace tilewright::testing {
namespace {

struct Reduction {
  const char* name;
  te::Expr (*make)(te::Expr source, const te::ReduceAxis& axis);
  double empty_float;
  int32_t empty_int;
  double of_ones_to_five;  // over 1, 2, 3, 4, 5
};

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
constexpr int32_t kHigh = std::numeric_limits<int32_t>::max();

const Reduction kReductions[] = {
    {"sum", [](te::Expr x, const te::ReduceAxis& k) { return te::sum(x, k); }, 0, 0, 15},
    {"prod", [](te::Expr x, const te::ReduceAxis& k) { return te::prod(x, k); }, 1, 1, 120},
    {"max", [](te::Expr x, const te::ReduceAxis& k) { return te::max(x, k); }, -kInf, kLow, 5},
    {"min", [](te::Expr x, const te::ReduceAxis& k) { return te::min(x, k); }, kInf, kHigh, 1},
};

NDArray numbers(DType dtype, std::vector<int64_t> shape, const std::function<double(int64_t)>& f) {
  if (dtype == kFloat32) return filled<float>(std::move(shape), dtype, f);
  return filled<int32_t>(std::move(shape), dtype, f);
}

void apply(Schedule& sch, const std::string& how) {
  if (how == "plain") return;
  const BlockRef block = sch.get_block("Y");
  const std::vector<Loop> parts = sch.split_factor(sch.get_loops(block).back(), 4);
  if (how == "rfactor inner") sch.rfactor(parts[1]);
  if (how == "rfactor outer") sch.rfactor(parts[0]);
  if (how == "decomposed") sch.decompose_reduction(block, parts[0]);
}

te::Tensor reduce_rows(const Reduction& reduction, const te::Tensor& x, const te::Expr& rows,
                       const te::Expr& extent, bool keep_dims) {
  const te::ReduceAxis k = te::reduce_axis(extent, "k");
  if (keep_dims) {
    return te::compute(
        {rows, 1}, [&](te::Var i, te::Var) { return reduction.make(x(i, k), k); }, "Y");
  }
  return te::compute(
      {rows}, [&](te::Var i) { return reduction.make(x(i, k), k); }, "Y");
}

std::vector<int64_t> result_shape(int64_t rows, bool keep_dims) {
  return keep_dims ? std::vector<int64_t>{rows, 1} : std::vector<int64_t>{rows};
}

}  // namespace

TEST_CASE("K12_empty_reductions", "[cases]") {
  const char* schedules[] = {"plain", "split", "rfactor inner", "rfactor outer", "decomposed"};
  for (const Reduction& reduction : kReductions) {
    for (DType dtype : {kFloat32, kInt32}) {
      const auto empty = [&](int64_t) {
        return dtype == kFloat32 ? reduction.empty_float : double{0.0} + reduction.empty_int;
      };
      for (bool keep_dims : {false, true}) {
        DYNAMIC_SECTION(reduction.name << " " << to_string(dtype) << (keep_dims ? " keepdims" : "")
                                       << ", static 0") {
          te::Tensor x = te::placeholder({3, 0}, dtype, "X");
          te::Tensor y = reduce_rows(reduction, x, 3, 0, keep_dims);
          for (const char* how : schedules) {
            INFO(how);
            Schedule sch(te::create_prim_func({x, y}));
            if (refused(sch, [&] { apply(sch, how); })) continue;
            CheckOptions options;
            options.expected["Y"] = numbers(dtype, result_shape(3, keep_dims), empty);
            check_case(sch, options);
          }
        }
        DYNAMIC_SECTION(reduction.name << " " << to_string(dtype) << (keep_dims ? " keepdims" : "")
                                       << ", symbolic") {
          const te::Var extent = te::var("K");
          te::Tensor x = te::placeholder({3, extent}, dtype, "X");
          te::Tensor y = reduce_rows(reduction, x, 3, extent, keep_dims);
          for (const char* how : schedules) {
            INFO(how);
            Schedule sch(te::create_prim_func({x, y}));
            apply(sch, how);
            const CompiledKernel kernel = build(sch);
            for (int64_t size : {0, 5, 0}) {
              INFO("K " << size);
              CheckOptions options;
              options.inputs["X"] = numbers(dtype, {3, size}, [](int64_t i) { return i % 5 + 1; });
              options.expected["Y"] = numbers(
                  dtype, result_shape(3, keep_dims),
                  size == 0 ? std::function<double(int64_t)>(empty)
                            : [&](int64_t) { return reduction.of_ones_to_five; });
              CHECK_NOTHROW(assert_allclose(kernel, sch.original(), options));
            }
          }
        }
      }
      DYNAMIC_SECTION(reduction.name << " " << to_string(dtype) << ", no rows") {
        te::Tensor x = te::placeholder({0, 4}, dtype, "X");
        te::Tensor y = reduce_rows(reduction, x, 0, 4, false);
        Schedule sch(te::create_prim_func({x, y}));
        CheckOptions options;
        options.expected["Y"] = numbers(dtype, {0}, empty);
        check_case(sch, options);
        const std::vector<NDArray> out = build(sch)(NDArray::empty({0, 4}, dtype));
        CHECK(out.at(0).shape() == std::vector<int64_t>{0});
      }
    }
  }
  SECTION("argmax over nothing") {
    te::Tensor x = te::placeholder({3, 0}, kFloat32, "X");
    const te::ReduceAxis k = te::reduce_axis(0, "k");
    expect_error("te.empty_argmax", {"k"}, [&] {
      te::compute(
          {3}, [&](te::Var i) { return te::argmax(x(i, k), k); }, "Y");
    });
  }
  SECTION("argmax over nothing, symbolic") {
    const te::Var extent = te::var("K");
    te::Tensor x = te::placeholder({3, extent}, kFloat32, "X");
    const te::ReduceAxis k = te::reduce_axis(extent, "k");
    const std::vector<te::Tensor> y = te::compute(
        {3}, [&](te::Var i) { return te::argmax(x(i, k), k); }, "Y");
    const CompiledKernel kernel = build(te::create_prim_func({x, y[0], y[1]}));
    expect_error("call.assumption", {"K"}, [&] { kernel(NDArray::empty({3, 0}, kFloat32)); });
    const NDArray data = filled<float>({3, 5}, kFloat32, [](int64_t i) { return i % 5; });
    const std::vector<NDArray> out = kernel(data);
    CHECK(out.at(0).data_as<int64_t>()[2] == 4);
    CHECK(out.at(1).data_as<float>()[2] == 4);
  }
  device_paths();
}

}  // namespace tilewright::testing
