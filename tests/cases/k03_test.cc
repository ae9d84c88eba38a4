#include "case_support.h"

namespace tilewright::testing {
namespace {

struct Sum {
  te::Tensor y;
  ir::PrimFunc func;
  CheckOptions options;
};

// Y = sum of 0..9, plus j where Y has extent 3.
Sum make_sum(std::vector<te::Expr> shape) {
  Sum result;
  te::Tensor x = te::placeholder({10}, kInt32, "X");
  const te::ReduceAxis k = te::reduce_axis(10, "k");
  const bool long_one = !shape.empty() && ir::is_const_int(shape[0], 3);
  te::Tensor sum = te::compute(
      shape, [&](const std::vector<te::Var>&) { return te::sum(x(k), k); }, "Y");
  result.y = sum;
  result.options.inputs["X"] = filled<int32_t>({10}, kInt32, [](int64_t i) { return i; });
  if (long_one) {
    te::Tensor y3 = te::compute(
        shape, [&](te::Var j) { return sum(j) + te::cast(kInt32, j); }, "Y3");
    result.func = te::create_prim_func({x, sum, y3});
    result.options.expected["Y3"] = filled<int32_t>({3}, kInt32, [](int64_t j) { return 45 + j; });
    result.options.expected["Y"] = filled<int32_t>({3}, kInt32, [](int64_t) { return 45; });
  } else {
    result.func = te::create_prim_func({x, sum});
    result.options.expected["Y"] =
        filled<int32_t>(shape.empty() ? std::vector<int64_t>{} : std::vector<int64_t>{1}, kInt32,
                        [](int64_t) { return 45; });
  }
  return result;
}

// The program with its output axis split too far.
Schedule split_schedule(const Sum& sum, const std::string& how, Loop& outer) {
  Schedule sch(sum.func);
  Stages stages(sch);
  const Stage stage = stages["Y"];
  if (how == "factor 8") {
    outer = stage.split(stage.axis(0), 8)[0];
  } else {
    const Loop loop = how == "unit loop, 20 parts" ? stage.add_unit_loop() : stage.axis(0);
    outer = stage.split_nparts(loop, 20)[0];
  }
  return sch;
}

}  // namespace

TEST_CASE("K03_output_axis_split_beyond_its_extent", "[cases]") {
  const std::pair<const char*, std::vector<te::Expr>> variants[] = {
      {"20 parts", {1}}, {"unit loop, 20 parts", {}}, {"factor 8", {3}}};
  for (const auto& [how, shape] : variants) {
    const Sum sum = make_sum(shape);
    DYNAMIC_SECTION(how) {
      Loop outer;
      check_case(split_schedule(sum, how, outer), sum.options);
    }
    DYNAMIC_SECTION(how << ", parallel") {
      Loop outer;
      Schedule sch = split_schedule(sum, how, outer);
      // The unit loop indexes no output, so its iterations count as writing one element at once.
      const bool no = refused(sch, [&] { sch.parallel(outer); });
      CHECK(no == shape.empty());
      if (!no) check_case(sch, sum.options);
    }
    DYNAMIC_SECTION(how << ", decomposed at each legal loop") {
      Loop outer;
      const size_t loops = [&] {
        Schedule sch = split_schedule(sum, how, outer);
        return sch.get_loops(sch.get_block("Y")).size();
      }();
      int legal = 0;
      for (size_t i = 0; i < loops; ++i) {
        for (bool parallel : {false, true}) {
          Schedule sch = split_schedule(sum, how, outer);
          const BlockRef block = sch.get_block("Y");
          if (refused(sch, [&] { sch.decompose_reduction(block, sch.get_loops(block)[i]); })) break;
          ++legal;
          if (parallel && refused(sch, [&] { sch.parallel(outer); })) continue;
          INFO("decomposed at loop " << i << (parallel ? ", parallel" : ""));
          check_case(sch, sum.options);
        }
      }
      CHECK(legal >= 2);
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
