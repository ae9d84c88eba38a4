#include "case_support.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kN = 11, kBillion = 1'000'000'000;

void vectorize(Schedule& sch, const std::string& block, Loop loop) {
  sch.get_block(block);
  sch.vectorize(sch.split_factor(loop, 4)[1]);
}

}  // namespace

TEST_CASE("K15_int64_stays_int64", "[cases]") {
  CheckOptions options;
  options.expected["out"] = filled<int64_t>({kN}, kInt64, [](int64_t i) { return i * kBillion; });

  // The cast of an int32 index applies before the multiplication.
  const auto index = [](const te::Var& i, bool narrow) {
    return narrow ? te::cast(kInt64, te::cast(kInt32, i)) : te::cast(kInt64, i);
  };
  for (bool narrow : {false, true}) {
    for (const char* factor : {"constant", "given at the call"}) {
      for (const char* how : {"serial", "vectorized"}) {
        DYNAMIC_SECTION((narrow ? "int32 index, " : "") << "factor " << factor << ", " << how) {
          const bool constant = std::string(factor) == "constant";
          const te::Var s = te::scalar("s", kInt64);
          te::Tensor out = te::compute(
              {kN},
              [&](te::Var i) {
                return index(i, narrow) * (constant ? ir::make_int(kInt64, kBillion) : te::Expr(s));
              },
              "out");
          Schedule sch(constant ? te::create_prim_func({out}) : te::create_prim_func({s, out}));
          if (std::string(how) == "vectorized") {
            vectorize(sch, "out", sch.get_loops(sch.get_block("out"))[0]);
          }
          CheckOptions checks = options;
          if (!constant) checks.scalars["s"] = kBillion;
          check_case(sch, checks);
        }
      }
    }
  }

  CheckOptions square;
  square.expected["out2"] = filled<int64_t>(
      {kN, kN}, kInt64, [](int64_t n) { return (n / kN) * (n % kN) * 300'000'000; });
  for (const char* how : {"serial", "vectorized", "fused", "fused, vectorized"}) {
    DYNAMIC_SECTION("two axes, " << how) {
      te::Tensor out2 = te::compute(
          {kN, kN},
          [&](te::Var i, te::Var j) {
            return index(i, true) * index(j, true) * int64_t{300'000'000};
          },
          "out2");
      Schedule sch(te::create_prim_func({out2}));
      std::vector<Loop> loops = sch.get_loops(sch.get_block("out2"));
      const std::string name = how;
      if (name.find("fused") == 0) loops = {sch.fuse(loops)};
      if (name.find("vectorized") != std::string::npos) vectorize(sch, "out2", loops.back());
      check_case(sch, square);
    }
  }
  for (bool inlined : {false, true}) {
    DYNAMIC_SECTION("a producer" << (inlined ? ", inlined" : "")) {
      te::Tensor p = te::compute(
          {kN}, [&](te::Var i) { return te::cast(kInt32, i); }, "p");
      te::Tensor out = te::compute(
          {kN}, [&](te::Var i) { return te::cast(kInt64, p(i)) * kBillion; }, "out");
      Schedule sch(te::create_prim_func({out}));
      if (inlined) sch.compute_inline(sch.get_block("p"));
      vectorize(sch, "out", sch.get_loops(sch.get_block("out"))[0]);
      check_case(sch, options);
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
