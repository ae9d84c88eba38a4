#include "case_support.h"

namespace tilewright::testing {

TEST_CASE("K04_cache_write_of_a_reduction_takes_its_init_along", "[cases]") {
  constexpr int64_t kI = 3, kJ = 4, kK = 5, kL = 7;
  const auto a_value = [](int64_t n) { return n % 11; };
  te::Tensor a = te::placeholder({kI, kJ, kK, kL}, kInt32, "A");
  const te::ReduceAxis l = te::reduce_axis(kL, "l"), k = te::reduce_axis(kK, "k");
  te::Tensor b = te::compute(
      {kI, kJ, kK}, [&](te::Var i, te::Var j, te::Var m) { return te::sum(a(i, j, m, l), l); }, "B",
      {}, {"i", "j", "m"});
  te::Tensor c = te::compute(
      {kI, kJ}, [&](te::Var i, te::Var j) { return te::sum(b(i, j, k), k); }, "C");
  const ir::PrimFunc func = te::create_prim_func({a, b, c});
  CheckOptions options;
  options.inputs["A"] = filled<int32_t>({kI, kJ, kK, kL}, kInt32, a_value);
  const auto b_value = [&](int64_t n) {
    int64_t sum = 0;
    for (int64_t m = 0; m < kL; ++m) sum += a_value(n * kL + m);
    return sum;
  };
  options.expected["B"] = filled<int32_t>({kI, kJ, kK}, kInt32, b_value);
  options.expected["C"] = filled<int32_t>({kI, kJ}, kInt32, [&](int64_t n) {
    int64_t sum = 0;
    for (int64_t m = 0; m < kK; ++m) sum += b_value(n * kK + m);
    return sum;
  });

  for (const char* axes : {"as they are", "loops permuted", "layout permuted", "both permuted"}) {
    for (int place = -1; place < 3; ++place) {
      DYNAMIC_SECTION("axes " << axes << ", copy-out at loop " << place) {
        const std::string how = axes;
        Schedule sch(func);
        Stages stages(sch);
        const Stage compute = stages["B"];
        const Loop i = compute.axis(0), j = compute.axis(1), m = compute.axis(2);
        const Stage copy = compute.cache_write("local");
        const auto [lo, li] = compute.split(compute.reduce_axis(), 4);
        if (how.find("both") == 0 || how.find("layout") == 0) {
          compute.transform_layout("(i, j, m) -> (j, i, m)");
        }
        if (how.find("both") == 0 || how.find("loops") == 0) {
          compute.reorder({j, i, m, lo, li});
        }
        compute.decompose_reduction(lo);
        const Loop places[] = {how.find("loops") == 0 || how.find("both") == 0 ? j : i,
                               how.find("loops") == 0 || how.find("both") == 0 ? i : j, m};
        if (place >= 0) copy.reverse_compute_at(places[place]);
        check_case(sch, options);
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
