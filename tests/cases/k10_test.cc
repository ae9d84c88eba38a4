#include "case_support.h"

namespace tilewright::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Data {
  const char* name;
  bool is_max;
  float value;
};
constexpr Data kData[] = {{"max of -0", true, -0.0f},
                          {"min of +0", false, 0.0f},
                          {"max of -inf", true, -kInf},
                          {"min of +inf", false, kInf}};

// False when rfactor is refused.
bool apply(Schedule& sch, const std::string& how) {
  if (how == "plain") return true;
  const BlockRef block = sch.get_block("y");
  const Loop k = sch.get_loops(block)[0];
  const std::vector<Loop> parts = sch.split_factor(k, 1024);
  if (how == "split") return true;
  const bool outer = how.find("outer") != std::string::npos;
  BlockRef partial;
  if (refused(sch, [&] { partial = sch.rfactor(parts[outer ? 0 : 1]); })) return false;
  if (how.find("parallel") != std::string::npos) sch.parallel(sch.get_loops(partial)[0]);
  if (how.find("vectorized") != std::string::npos) {
    const std::vector<Loop> loops = sch.get_loops(partial);
    const Loop spatial = loops[0] == parts[1] ? loops[0] : loops.back();
    sch.reorder(loops[0] == spatial ? std::vector<Loop>{loops[1], loops[0]} : loops);
    sch.vectorize(sch.split_factor(spatial, 8)[1]);
  }
  return true;
}

}  // namespace

TEST_CASE("K10_the_identity_never_reaches_the_result", "[cases]") {
  for (int64_t n : {1, 7, 8192, 8193, 10007}) {
    for (const Data& data : kData) {
      for (const char* how : {"plain", "split", "rfactor inner", "rfactor outer",
                              "rfactor outer, parallel", "rfactor inner, vectorized"}) {
        DYNAMIC_SECTION("n " << n << ", " << data.name << ", " << how) {
          te::Tensor x = te::placeholder({n}, kFloat32, "x");
          const te::ReduceAxis k = te::reduce_axis(n, "k");
          te::Tensor y = te::compute(
              {}, [&]() { return data.is_max ? te::max(x(k), k) : te::min(x(k), k); }, "y");
          Schedule sch(te::create_prim_func({x, y}));
          // The outer part of a split beyond the extent has one iteration and reduces nothing.
          const bool trivial = n <= 1024 && std::string(how).find("outer") != std::string::npos;
          const bool applied = apply(sch, how);
          CHECK((applied || trivial));
          if (!applied) return;
          CheckOptions options;
          options.inputs["x"] = filled<float>({n}, kFloat32, [&](int64_t) { return data.value; });
          options.expected["y"] = filled<float>({}, kFloat32, [&](int64_t) { return data.value; });
          options.interpret_steps = n != 10007;
          check_case(sch, options);
        }
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
