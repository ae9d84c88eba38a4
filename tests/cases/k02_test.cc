#include "case_support.h"

namespace tilewright::testing {

TEST_CASE("K02_producer_at_the_inner_loop_of_a_split", "[cases]") {
  constexpr int64_t kPadded = 136, kSize = 128, kOrigin = 4;
  te::Tensor x = te::placeholder({kPadded, kPadded}, kInt32, "X");
  const te::ReduceAxis dr = te::reduce_axis(5, "dr"), dc = te::reduce_axis(5, "dc");
  te::Tensor s =
      te::compute({kSize, kSize},
                  [&](te::Var r, te::Var c) {
                    return te::sum(x(r + dr + (kOrigin - 2), c + dc + (kOrigin - 2)), {dr, dc});
                  },
                  "S", {}, {"r", "c"});
  te::Tensor b =
      te::compute({kSize, kSize}, [&](te::Var r, te::Var c) { return te::floor_div(s(r, c), 25); },
                  "B", {}, {"r", "c"});
  const ir::PrimFunc func = te::create_prim_func({x, b});
  CheckOptions options;
  options.inputs["X"] = filled<int32_t>({kPadded, kPadded}, kInt32, [](int64_t i) {
    return 2 * (i % kPadded - kOrigin) + 5 * (i / kPadded - kOrigin);
  });
  options.expected["B"] = filled<int32_t>(
      {kSize, kSize}, kInt32, [](int64_t i) { return 2 * (i % kSize) + 5 * (i / kSize); });

  for (int factor : {2, 3}) {
    for (const char* scope : {"global", "local"}) {
      for (const char* place : {"ci", "co", "r"}) {
        DYNAMIC_SECTION("split by " << factor << ", S in " << scope << ", at " << place) {
          Schedule sch(func);
          Stages stages(sch);
          const Stage stage = stages[b];
          const auto [co, ci] = stage.split(stage.axis(1), factor);
          stages[s].set_scope(scope);
          const std::string at = place;
          stages[s].compute_at(at == "ci" ? ci : at == "co" ? co : stage.axis(0));
          check_case(sch, options);
        }
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
