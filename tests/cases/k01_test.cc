#include "case_support.h"

namespace tilewright::testing {
namespace {

struct Variant {
  bool reordered, vectorized;
  const char* place;
};

// g[i] = f[i] with i split by 2 and the inner part by 4.
void check(int64_t n, const Variant& variant) {
  te::Tensor f = te::compute(
      {n}, [&](te::Var i) { return te::cast(kInt32, i) * 3 + 1; }, "f");
  te::Tensor g = te::compute(
      {n}, [&](te::Var i) { return f(i); }, "g");
  Schedule sch(te::create_prim_func({g}));
  Stages stages(sch);
  const Stage stage = stages[g];
  const auto [io, ii] = stage.split(stage.axis(0), 2);
  const auto [iio, iii] = stage.split(ii, 4);
  const std::string place = variant.place;
  if (place == "inlined") stages[f].compute_inline();
  if (variant.reordered) stage.reorder({iio, iii, io});
  if (place == "at io") stages[f].compute_at(io);
  if (variant.vectorized) {
    const bool no = refused(sch, [&] { stage.vectorize(iii); });
    // Around another loop nest a loop may be refused; innermost it may not.
    if (no) CHECK((variant.reordered || place == "at io"));
    if (no) return;
  }
  CheckOptions options;
  options.expected["g"] = filled<int32_t>({n}, kInt32, [](int64_t i) { return 3 * i + 1; });
  check_case(sch, options);
}

}  // namespace

TEST_CASE("K01_inner_split_larger_than_outer", "[cases]") {
  for (int64_t n : {16, 15, 1}) {
    for (const char* place : {"root", "inlined", "at io"}) {
      for (bool reordered : {false, true}) {
        for (bool vectorized : {false, true}) {
          DYNAMIC_SECTION("n " << n << ", f " << place << (reordered ? ", io innermost" : "")
                               << (vectorized ? ", vectorized" : "")) {
            check(n, {reordered, vectorized, place});
          }
        }
      }
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
