#include "case_support.h"
#include "tilewright/support/fault.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kCount = 80, kOrigin = 40;
constexpr int64_t kDivisors[] = {1, 2, 3, 7, 8, -3, -8};

int64_t floor_quotient(int64_t x, int64_t d) {
  const int64_t q = x / d;
  return q * d != x && (x < 0) != (d < 0) ? q - 1 : q;
}
int64_t floor_remainder(int64_t x, int64_t d) { return x - floor_quotient(x, d) * d; }

struct Formula {
  std::string name;
  std::function<te::Expr(te::Expr)> expr;
  std::function<int64_t(int64_t)> value;
};

std::string divisor_name(int64_t d) { return d < 0 ? "m" + std::to_string(-d) : std::to_string(d); }

std::vector<Formula> formulas() {
  std::vector<Formula> result;
  for (int64_t d : kDivisors) {
    const std::string name = divisor_name(d);
    result.push_back({"fdiv_" + name, [d](te::Expr x) { return te::floor_div(x, d); },
                      [d](int64_t x) { return floor_quotient(x, d); }});
    result.push_back({"fmod_" + name, [d](te::Expr x) { return te::floor_mod(x, d); },
                      [d](int64_t x) { return floor_remainder(x, d); }});
    result.push_back({"tdiv_" + name, [d](te::Expr x) { return te::trunc_div(x, d); },
                      [d](int64_t x) { return x / d; }});
    result.push_back({"tmod_" + name, [d](te::Expr x) { return te::trunc_mod(x, d); },
                      [d](int64_t x) { return x % d; }});
  }
  result.push_back({"affine10", [](te::Expr x) { return te::floor_div(x * 10 + 5, 10); },
                    [](int64_t x) { return x; }});
  result.push_back({"affine48", [](te::Expr x) { return te::floor_div(x * 48 + 241, 16); },
                    [](int64_t x) { return floor_quotient(48 * x + 241, 16); }});
  result.push_back({"affine4", [](te::Expr x) { return te::floor_mod(x * 4 + 3, 4); },
                    [](int64_t) { return 3; }});
  result.push_back({"affine_m3", [](te::Expr x) { return te::floor_div((x + 5) * -3, 6); },
                    [](int64_t x) { return floor_quotient(-3 * (x + 5), 6); }});
  // Truncation does not round the way that would let the 10 cancel.
  result.push_back({"taffine10", [](te::Expr x) { return te::trunc_div(x * 10 + 5, 10); },
                    [](int64_t x) { return (10 * x + 5) / 10; }});
  result.push_back({"taffine4", [](te::Expr x) { return te::trunc_mod(x * 4 + 3, 4); },
                    [](int64_t x) { return (4 * x + 3) % 4; }});
  return result;
}

template <typename T>
NDArray values_of(DType dtype, const std::function<int64_t(int64_t)>& value) {
  return filled<T>({kCount}, dtype, [&](int64_t i) { return value(i - kOrigin); });
}

NDArray values_of(DType dtype, const std::function<int64_t(int64_t)>& value) {
  return dtype == kInt32 ? values_of<int32_t>(dtype, value) : values_of<int64_t>(dtype, value);
}

// All formulas as outputs of one function, on data or on the axis itself.
ir::PrimFunc make_func(DType dtype, bool from_data, CheckOptions& options) {
  te::Tensor x = te::placeholder({kCount}, dtype, "X");
  std::vector<te::Arg> args;
  if (from_data) {
    args.emplace_back(x);
    options.inputs["X"] = values_of(dtype, [](int64_t v) { return v; });
  }
  for (const Formula& formula : formulas()) {
    args.emplace_back(te::compute(
        {kCount},
        [&](te::Var i) { return formula.expr(from_data ? x(i) : te::cast(dtype, i - kOrigin)); },
        formula.name));
    options.expected[formula.name] = values_of(dtype, formula.value);
  }
  return te::create_prim_func(args);
}

void vectorize_all(Schedule& sch) {
  for (const std::string& name : sch.block_names()) {
    const std::vector<Loop> loops = sch.get_loops(sch.get_block(name));
    sch.vectorize(sch.split_factor(loops.back(), 8)[1]);
  }
}

}  // namespace

TEST_CASE("K06_floor_division_of_negative_numbers", "[cases]") {
  for (DType dtype : {kInt32, kInt64}) {
    for (bool from_data : {true, false}) {
      for (bool vectorized : {false, true}) {
        DYNAMIC_SECTION(to_string(dtype)
                        << (from_data ? " data" : " axis") << (vectorized ? ", vectorized" : "")) {
          CheckOptions options;
          Schedule sch(make_func(dtype, from_data, options));
          if (vectorized) vectorize_all(sch);
          check_case(sch, options);
        }
      }
    }
    DYNAMIC_SECTION(to_string(dtype) << " folded constants") {
      std::string wrong;
      for (const Formula& formula : formulas()) {
        for (int64_t x = -kOrigin; x < kCount - kOrigin; ++x) {
          const te::Expr folded = formula.expr(ir::make_int(dtype, x));
          if (!ir::is_const_int(folded, formula.value(x))) {
            wrong += fmt::format("{} of {} is {}; ", formula.name, x, ir::to_pretty(folded));
          }
        }
      }
      CHECK(wrong == "");
    }
    DYNAMIC_SECTION(to_string(dtype) << " divisor known at the call only") {
      te::Tensor x = te::placeholder({kCount}, dtype, "X");
      const te::Var d = te::scalar("d", dtype);
      te::Tensor q = te::compute(
          {kCount}, [&](te::Var i) { return te::floor_div(x(i), d); }, "Q");
      te::Tensor m = te::compute(
          {kCount}, [&](te::Var i) { return te::floor_mod(x(i), d); }, "M");
      for (bool vectorized : {false, true}) {
        Schedule sch(te::create_prim_func({x, d, q, m}));
        if (vectorized) vectorize_all(sch);
        for (int64_t divisor : kDivisors) {
          CheckOptions options;
          options.inputs["X"] = values_of(dtype, [](int64_t v) { return v; });
          options.scalars["d"] = divisor;
          options.expected["Q"] =
              values_of(dtype, [&](int64_t v) { return floor_quotient(v, divisor); });
          options.expected["M"] =
              values_of(dtype, [&](int64_t v) { return floor_remainder(v, divisor); });
          INFO("divisor " << divisor << (vectorized ? ", vectorized" : ""));
          check_case(sch, options);
        }
      }
    }
  }
  SECTION("as an index") {
    te::Tensor z = te::placeholder({28}, kInt32, "Z");
    te::Tensor y = te::compute(
        {kCount}, [&](te::Var i) { return z(te::floor_div(i - kOrigin, 3) + 14); }, "Y");
    CheckOptions options;
    options.inputs["Z"] = filled<int32_t>({28}, kInt32, [](int64_t i) { return i; });
    options.expected["Y"] = values_of(kInt32, [](int64_t x) { return floor_quotient(x, 3) + 14; });
    for (bool vectorized : {false, true}) {
      Schedule sch(te::create_prim_func({z, y}));
      if (vectorized) vectorize_all(sch);
      check_case(sch, options);
    }
  }
  SECTION("a constant zero divisor is refused") {
    te::Tensor x = te::placeholder({4}, kInt32, "X");
    expect_error("ir.division_by_zero", {"Q", "constant 0"}, [&] {
      te::compute(
          {4}, [&](te::Var i) { return te::floor_div(x(i), 0); }, "Q");
    });
  }
  device_paths();
}

}  // namespace tilewright::testing
