#include "case_support.h"

namespace tilewright::testing {
namespace {

te::Tensor relu(const te::Tensor& a, const te::Expr& n) {
  return te::compute(
      {n}, [&](te::Var i) { return te::max(a(i), 0.0f); }, "C");
}

NDArray relu_of(const NDArray& a) {
  return filled<float>(a.shape(), kFloat32,
                       [&](int64_t i) { return std::max(a.data_as<float>()[i], 0.0f); });
}

void apply(Schedule& sch, const std::string& tail, bool unrolled, bool vectorized) {
  const Loop i = sch.get_loops(sch.get_block("C"))[0];
  const Loop inner = sch.split_factor(i, 128, tail)[1];
  const Loop innermost = sch.split_factor(inner, 8, tail)[1];
  if (unrolled) sch.unroll(innermost);
  if (vectorized) sch.vectorize(innermost);
}

struct Variant {
  const char* tail;
  bool unrolled, vectorized;
};
constexpr Variant kVariants[] = {
    {"guard", true, false}, {"guard", false, true}, {"peel", true, false}, {"peel", false, true}};

}  // namespace

TEST_CASE("K08_guard_free_part_of_a_split_loop", "[cases]") {
  const auto check_size = [](int64_t n, const Variant& variant, bool steps) {
    te::Tensor a = te::placeholder({n}, kFloat32, "A");
    te::Tensor c = relu(a, n);
    Schedule sch(te::create_prim_func({a, c}));
    apply(sch, variant.tail, variant.unrolled, variant.vectorized);
    CheckOptions options;
    options.inputs["A"] = uniform(n);
    options.expected["C"] = relu_of(options.inputs["A"]);
    options.interpret_steps = steps;
    options.threads = {1};
    INFO("n " << n);
    check_case(sch, options);
  };
  for (const Variant& variant : kVariants) {
    const std::string name = std::string(variant.tail) + (variant.unrolled ? ", unrolled" : "") +
                             (variant.vectorized ? ", vectorized" : "");
    DYNAMIC_SECTION("n 130 and its like, " << name) {
      for (int64_t n : {130, 1, 7, 8, 9, 127, 128, 129, 135, 136, 140}) {
        check_size(n, variant, n == 130);
      }
    }
    DYNAMIC_SECTION("n symbolic, " << name) {
      const te::Var n = te::var("n");
      te::Tensor a = te::placeholder({n}, kFloat32, "A");
      te::Tensor c = relu(a, n);
      Schedule sch(te::create_prim_func({a, c}));
      apply(sch, variant.tail, variant.unrolled, variant.vectorized);
      const CompiledKernel kernel = build(sch);
      std::string wrong;
      for (int64_t size = 0; size <= 140; ++size) {
        CheckOptions options;
        options.inputs["A"] = uniform(size);
        options.expected["C"] = relu_of(options.inputs["A"]);
        options.threads = {1};
        try {
          assert_allclose(kernel, sch.original(), options);
        } catch (const Error& error) {
          wrong += fmt::format("n {}: {}\n", size, error.what());
        }
      }
      CHECK(wrong == "");
    }
  }
  SECTION("every n from 1 to 140, the schedules in turn") {
    for (int64_t n = 1; n <= 140; ++n) check_size(n, kVariants[n % 4], false);
  }
  device_paths();
}

}  // namespace tilewright::testing
