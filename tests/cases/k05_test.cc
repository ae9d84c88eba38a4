#include "case_support.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kSize = 64;

NDArray matrix() {
  return filled<float>({kSize, kSize}, kFloat32,
                       [](int64_t n) { return (64 * (n / kSize) + n % kSize) % 17; });
}

NDArray negated_sums() {
  const NDArray a = matrix();
  return filled<float>({kSize}, kFloat32, [&](int64_t i) {
    float sum = 0;
    for (int64_t k = 0; k < kSize; ++k) sum += a.data_as<float>()[i * kSize + k];
    return -sum;
  });
}

ir::PrimFunc fold_rows(const std::function<te::Expr(te::Expr, const te::ReduceAxis&)>& fold) {
  te::Tensor a = te::placeholder({kSize, kSize}, kFloat32, "A");
  const te::ReduceAxis k = te::reduce_axis(kSize, "k");
  te::Tensor b = te::compute(
      {kSize}, [&](te::Var i) { return fold(a(i, k), k); }, "B");
  return te::create_prim_func({a, b});
}

ir::PrimFunc minus_rows() {
  const ir::Reducer minus = te::reducer(
      "minus", [](te::Expr acc, te::Expr v) { return acc - v; }, te::constant(kFloat32, 0));
  return fold_rows([&](te::Expr x, const te::ReduceAxis& k) { return te::reduce(minus, x, {k}); });
}

CheckOptions minus_options() {
  CheckOptions options;
  options.inputs["A"] = matrix();
  options.expected["B"] = negated_sums();
  return options;
}

// Runs `primitive` on the split reduction: refused with a reason that names the reducer's algebra.
void check_refused(const char* code, const std::function<void(Schedule&, Loop, Loop)>& primitive) {
  Schedule sch(minus_rows());
  const std::vector<Loop> parts = sch.split_factor(sch.get_loops(sch.get_block("B"))[1], 8);
  try {
    primitive(sch, parts[0], parts[1]);
    FAIL_CHECK("accepted");
  } catch (const ScheduleException& error) {
    INFO(error.what());
    CHECK(error.code() == code);
  }
  check_case(sch, minus_options());
}

}  // namespace

TEST_CASE("K05_combiner_that_is_not_associative", "[cases]") {
  SECTION("the first values") {
    const NDArray sums = negated_sums();
    const float right[] = {-486, -502, -518, -534};
    for (int i = 0; i < 4; ++i) CHECK(sums.data_as<float>()[i] == right[i]);
  }
  SECTION("serial") { check_case(Schedule(minus_rows()), minus_options()); }
  SECTION("split and reordered") {
    Schedule sch(minus_rows());
    const std::vector<Loop> loops = sch.get_loops(sch.get_block("B"));
    const std::vector<Loop> parts = sch.split_factor(loops[1], 8);
    // Another order of the terms is another order of the minuses.
    CHECK(refused(sch, [&] { sch.reorder({parts[1], parts[0]}); }));
    sch.reorder({parts[0], loops[0], parts[1]});
    sch.vectorize(sch.split_factor(loops[0], 8)[1]);
    check_case(sch, minus_options());
  }
  SECTION("rfactor of the inner part") {
    check_refused("schedule.rfactor.reducer",
                  [](Schedule& sch, Loop, Loop inner) { sch.rfactor(inner); });
  }
  SECTION("rfactor of the outer part") {
    check_refused("schedule.rfactor.reducer",
                  [](Schedule& sch, Loop outer, Loop) { sch.rfactor(outer); });
  }
  SECTION("parallel") {
    check_refused("schedule.parallel.reduce_loop",
                  [](Schedule& sch, Loop outer, Loop) { sch.parallel(outer); });
  }
  SECTION("vectorize") {
    check_refused("schedule.vectorize.reduce_loop",
                  [](Schedule& sch, Loop, Loop inner) { sch.vectorize(inner); });
  }
  SECTION("a wrong declaration is found out") {
    const ir::Reducer minus = te::reducer("minus", [](te::Expr acc, te::Expr v) { return acc - v; },
                                          te::constant(kFloat32, 0), {true, false});
    expect_error("te.not_associative", {"minus"}, [&] {
      fold_rows([&](te::Expr x, const te::ReduceAxis& k) { return te::reduce(minus, x, {k}); });
    });
  }
  using Fold = te::Expr (*)(te::Expr, const te::ReduceAxis&);
  const std::pair<const char*, Fold> built_in[] = {
      {"sum", [](te::Expr x, const te::ReduceAxis& k) { return te::sum(x, k); }},
      {"prod", [](te::Expr x, const te::ReduceAxis& k) { return te::prod(x, k); }},
      {"max", [](te::Expr x, const te::ReduceAxis& k) { return te::max(x, k); }},
      {"min", [](te::Expr x, const te::ReduceAxis& k) { return te::min(x, k); }},
      {"argmax", [](te::Expr x, const te::ReduceAxis& k) {
         return te::cast(kFloat32, te::argmax(x, k)[0]);
       }}};
  for (const auto& [name, fold] : built_in) {
    for (bool outer : {false, true}) {
      DYNAMIC_SECTION(name << " keeps working, rfactor of the " << (outer ? "outer" : "inner")) {
        if (std::string(name) == "argmax") {
          te::Tensor a = te::placeholder({kSize, kSize}, kFloat32, "A");
          const te::ReduceAxis k = te::reduce_axis(kSize, "k");
          const std::vector<te::Tensor> b = te::compute(
              {kSize}, [&](te::Var i) { return te::argmax(a(i, k), k); }, "B");
          Schedule sch(te::create_prim_func({a, b[0], b[1]}));
          const std::vector<Loop> parts =
              sch.split_factor(sch.get_loops(sch.get_block(sch.block_names()[0]))[1], 8);
          sch.rfactor(parts[outer ? 0 : 1]);
          CheckOptions options;
          options.inputs["A"] = matrix();
          check_case(sch, options);
          continue;
        }
        Schedule sch(fold_rows(fold));
        const std::vector<Loop> parts = sch.split_factor(sch.get_loops(sch.get_block("B"))[1], 8);
        const BlockRef partial = sch.rfactor(parts[outer ? 0 : 1]);
        sch.parallel(sch.get_loops(partial)[0]);
        CheckOptions options;
        if (std::string(name) == "prod") {
          options.low = -1, options.high = 1;
        } else {
          options.inputs["A"] = matrix();
        }
        check_case(sch, options);
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
