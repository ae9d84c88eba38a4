#include <bit>
#include <cmath>
#include <limits>

#include "tilewright/te/te.h"
#include "unit/lower/lower_check.h"

using namespace tilewright;
using namespace tilewright::testing;
using te::Tensor;
using te::Var;

namespace {

// The distance of `got` from `exact` in units in the last place of float32 at `exact`.
double ulps(float got, double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e30;
  if (std::isinf(nearest) || std::isinf(got)) {
    // Overflow may start one step early or late.
    return got == nearest || std::nextafterf(got, nearest) == nearest ||
                   std::nextafterf(nearest, got) == got
               ? 0
               : 1e30;
  }
  const float magnitude = std::max(std::abs(nearest), std::numeric_limits<float>::min());
  const double unit = std::exp2(std::ilogb(magnitude) - 23);
  return std::abs(got - exact) / unit;
}

std::vector<float> arguments() {
  std::vector<float> x = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          0.5f,
                          88.72284f,
                          88.7f,
                          89.0f,
                          128.0f,
                          127.9f,
                          -87.3f,
                          -88.0f,
                          -103.9f,
                          -104.0f,
                          -149.5f,
                          -150.0f,
                          200.0f,
                          -200.0f,
                          1e30f,
                          -1e30f,
                          1e-30f,
                          1e-40f,
                          -1e-40f,
                          1e-45f,
                          0.41f,
                          -0.29f,
                          0.999999f,
                          1.000001f,
                          3.99f,
                          4.0f,
                          -0.99999994f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::max(),
                          std::numeric_limits<float>::min()};
  Rng rng(7);
  for (int i = 0; i < 6000; ++i) {
    x.push_back(static_cast<float>(rng.unit() * 2 - 1));
    x.push_back(static_cast<float>(rng.unit() * 20 - 10));
    x.push_back(static_cast<float>(rng.unit() * 240 - 150));
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(rng.next())));
    x.push_back(1.0f + static_cast<float>(rng.unit() * 2 - 1) * 0.01f);
  }
  while (x.size() % 8 != 0) x.push_back(0.25f);
  return x;
}

struct Case {
  const char* name;
  ir::Expr (*function)(ir::Expr);
  double (*exact)(double);
  ir::Intrinsic intrinsic;
};

const Case kCases[] = {
    {"exp", te::exp, [](double x) { return std::exp(x); }, ir::Intrinsic::kExp},
    {"exp2", te::exp2, [](double x) { return std::exp2(x); }, ir::Intrinsic::kExp2},
    {"expm1", te::expm1, [](double x) { return std::expm1(x); }, ir::Intrinsic::kExpm1},
    {"log", te::log, [](double x) { return std::log(x); }, ir::Intrinsic::kLog},
    {"log2", te::log2, [](double x) { return std::log2(x); }, ir::Intrinsic::kLog2},
    {"log1p", te::log1p, [](double x) { return std::log1p(x); }, ir::Intrinsic::kLog1p},
    {"tanh", te::tanh, [](double x) { return std::tanh(x); }, ir::Intrinsic::kTanh},
    {"sigmoid", te::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
     ir::Intrinsic::kSigmoid},
    {"erf", te::erf, [](double x) { return std::erf(x); }, ir::Intrinsic::kErf},
    {"rsqrt", te::rsqrt, [](double x) { return 1 / std::sqrt(x); }, ir::Intrinsic::kRsqrt},
};

}  // namespace

TEST_CASE("expanded maths functions keep their error bounds, scalar and vector") {
  const std::vector<float> x = arguments();
  const int n = static_cast<int>(x.size());
  for (const Case& c : kCases) {
    Tensor a = te::placeholder({n}, kFloat32, "A");
    Tensor y = te::compute(
        {n}, [&](Var i) { return c.function(a(i)); }, "C");
    schedule::Schedule sch(te::create_prim_func({a, y}));
    auto parts = sch.split_factor(sch.get_loops(sch.get_block("C"))[0], 8);
    sch.vectorize(parts[1]);
    ir::PrimFunc func = lowered(sch.func());
    ir::walk_exprs(func->body, [&](const ir::Expr& e) {
      auto* call = e.as<ir::CallNode>();
      CHECK((!call || call->intrinsic != c.intrinsic));
    });
    std::vector<HostTensor> tensors = make_arguments(func, {});
    for (int i = 0; i < n; ++i) tensors[0].put(i, x[i]);
    interpret_on(func, tensors);
    double worst = 0;
    float worst_at = 0;
    for (int i = 0; i < n; ++i) {
      const double error = ulps(static_cast<float>(tensors[1].get(i)), c.exact(x[i]));
      if (error > worst) {
        worst = error;
        worst_at = x[i];
      }
    }
    INFO(c.name << ": " << worst << " ulp at " << worst_at);
    CHECK(worst <= ir::info(c.intrinsic).ulp);
  }
}

TEST_CASE("maths functions of 16-bit floats go through float32") {
  for (DType dtype : {kFloat16, kBFloat16}) {
    Tensor a = te::placeholder({16}, dtype, "A");
    Tensor y = te::compute(
        {16}, [&](Var i) { return te::exp(a(i)); }, "C");
    ir::PrimFunc func = te::create_prim_func({a, y});
    CHECK(lowering_difference(func, func, {}, 0.01) == "");
  }
}
