// Refusals show concrete iterations that would go wrong, found when the error is shown.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using schedule::ScheduleError;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

ir::PrimFunc matmul() { return programs::matmul().func; }
ir::PrimFunc softmax() { return programs::softmax().func; }
ir::PrimFunc stencil() { return programs::stencil().func; }

// x * 3 + y: neither associative nor commutative.
ir::PrimFunc horner() {
  const ir::Reducer reducer = te::reducer(
      "horner", [](te::Expr x, te::Expr y) { return x * 3 + y; }, ir::make_int(kInt32, 0));
  te::Tensor a = te::placeholder({3, 4, 2}, kInt32, "A");
  te::ReduceAxis k = te::reduce_axis(4, "k"), l = te::reduce_axis(2, "l");
  te::Tensor b = te::compute(
      {3},
      [&](te::Var i) {
        return te::reduce(reducer, {a(i, k, l)}, {k, l});
      },
      "B");
  return te::create_prim_func({a, b}, "horner");
}

// B is wider than C, and D reads both.
ir::PrimFunc two_widths() {
  te::Tensor a = te::placeholder({8}, kInt32, "A");
  te::Tensor b = te::compute(
      {8}, [&](te::Var i) { return a(i) + 1; }, "B");
  te::Tensor c = te::compute(
      {4}, [&](te::Var i) { return a(i) * 2; }, "C");
  te::Tensor d = te::compute(
      {4}, [&](te::Var i) { return b(i) - c(i); }, "D");
  return te::create_prim_func({a, d}, "two_widths");
}

struct Case {
  const char* code;
  ir::PrimFunc (*program)();
  std::function<void(Schedule&)> call;
  const char* example;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"parallel.reduce_loop", matmul, [](Schedule& s) { s.parallel(loops_of(s, "C")[2]); },
       "k=0 and k=1 both update C[0, 0]"},
      {"vectorize.reduce_loop", softmax,
       [](Schedule& s) { s.vectorize(loops_of(s, "row_max")[1]); },
       "k=0 and k=1 both update row_max[0]"},
      {"reorder.reduction_order", horner,
       [](Schedule& s) {
         const std::vector<Loop> l = loops_of(s, "B");
         s.reorder({l[2], l[1]});
       },
       "k=1, l=0 would run before k=0, l=1, and both touch B[0]"},
      {"rfactor.reducer", horner, [](Schedule& s) { s.rfactor(loops_of(s, "B")[1]); },
       "1, 0, 0 give 9 from the left and 3 from the right"},
      {"compute_at.consumer_outside", softmax,
       [](Schedule& s) { s.compute_at(s.get_block("row_exp"), loops_of(s, "row_sum")[0]); },
       "softmax at i=0, j=0 reads row_exp[0, 0]"},
      {"reverse_compute_at.reduction", softmax,
       [](Schedule& s) { s.reverse_compute_at(s.get_block("row_sum"), loops_of(s, "row_exp")[1]); },
       "row_sum[0] needs row_exp[0, 0], made at j=0, and row_exp[0, 1], made at j=1"},
      {"reverse_compute_at.read_index", stencil,
       [](Schedule& s) { s.reverse_compute_at(s.get_block("blur_y"), loops_of(s, "blur_x")[0]); },
       "blur_y[0, 0] needs blur_x[0, 0], made at y=0, and blur_x[1, 0], made at y=1"},
      {"reverse_compute_at.conflicting_ranges", two_widths,
       [](Schedule& s) {
         const std::vector<Loop> b = s.split_factor(loops_of(s, "B")[0], 2);
         s.merge({b[0], loops_of(s, "C")[0]});
         s.reverse_compute_at(s.get_block("D"), loops_of(s, "C")[0]);
       },
       "D[1] needs B[1], made at"},
      {"reverse_compute_inline.read_index", stencil,
       [](Schedule& s) { s.reverse_compute_inline(s.get_block("blur_y")); },
       "blur_y[0, 0] reads blur_x[0, 0] and blur_x[1, 0]"},
      {"decompose_reduction.too_deep", matmul,
       [](Schedule& s) {
         const BlockRef b = s.get_block("C");
         const std::vector<Loop> k = s.split_factor(s.get_loops(b)[2], 4);
         s.decompose_reduction(b, k[1]);
       },
       "k_0=1 would reset what k_0=0 has added to C[0, 0]"},
      {"split.too_few_iterations", matmul,
       [](Schedule& s) {
         s.split(loops_of(s, "C")[0], {3, 4});
       },
       "i=12 would never run"},
      {"split.shift_inwards", matmul,
       [](Schedule& s) { s.split_factor(loops_of(s, "C")[0], 6, "shift_inwards"); },
       "the last two tiles would both run i=14"},
      {"split.pad_tail", matmul, [](Schedule& s) { s.split_factor(loops_of(s, "C")[2], 4, "pad"); },
       "k_0=4, k_1=1 would read A outside its shape"},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals show a concrete counter-example", "[schedule]") {
  for (const Case& c : cases()) {
    INFO(c.code);
    Schedule sch(c.program());
    try {
      c.call(sch);
      FAIL_CHECK("no error");
    } catch (const schedule::ScheduleException& error) {
      INFO(error.what());
      CHECK(error.code() == std::string("schedule.") + c.code);
      CHECK(error.error().counter_example.find(c.example) != std::string::npos);
      CHECK(std::string(error.what()).find("counter-example: ") != std::string::npos);
    }
  }
}

TEST_CASE("a refusal that is only a value is not enumerated", "[schedule]") {
  Schedule sch(matmul());
  const Loop k = loops_of(sch, "C")[2];
  const auto result = sch.apply({"parallel", {k}, {{"schedule", "static"}, {"chunk", 0}}});
  REQUIRE(!result.has_value());
  CHECK(result.error().counter_example.empty());
  CHECK(counter_example(result.error()) == "k=0 and k=1 both update C[0, 0]");
}

TEST_CASE("symbolic sizes: the example says which it holds for", "[schedule]") {
  Schedule sch(programs::layernorm().func);
  const auto result = sch.apply(
      {"parallel", {loops_of(sch, "row_sum")[1]}, {{"schedule", "static"}, {"chunk", 0}}});
  REQUIRE(!result.has_value());
  CHECK(counter_example(result.error()) == "with n=5: k=0 and k=1 both update row_sum[0]");
}

}  // namespace tilewright::testing
