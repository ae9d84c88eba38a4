// rolling_buffer, double_buffer.

#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const std::string& block) {
  return sch.get_loops(sch.get_block(block));
}

// B of h + window - 1 rows, C[y, x] = the sum of `window` rows of B from y * stride on.
ir::PrimFunc windows(int64_t window, int64_t stride, bool symbolic, bool reduction = false) {
  te::Expr h = 11, w = 6;
  if (symbolic) {
    h = te::var("h");
    w = te::var("w");
  }
  const te::Expr rows = h * stride + (window - 1);
  te::Tensor a = te::placeholder({rows, w}, kFloat32, "A");
  te::Tensor b = te::compute({rows, w}, [&](te::Var y, te::Var x) { return a(y, x) * 2.0f + 1.0f; },
                             "B", {}, {"y", "x"});
  te::Tensor c;
  if (reduction) {
    te::ReduceAxis k = te::reduce_axis(window, "k");
    c = te::compute({h, w},
                    [&](te::Var y, te::Var x) { return te::sum(b(y * stride + k, x), {k}); }, "C",
                    {}, {"y", "x"});
  } else {
    c = te::compute({h, w},
                    [&](te::Var y, te::Var x) {
                      te::Expr sum = b(y * stride, x);
                      for (int64_t k = 1; k < window; ++k) sum = sum + b(y * stride + k, x);
                      return sum;
                    },
                    "C", {}, {"y", "x"});
  }
  return te::create_prim_func({a, c}, "windows");
}

const std::vector<Sizes> kSizes = {
    {{"h", 7}, {"w", 5}}, {{"h", 1}, {"w", 1}}, {{"h", 0}, {"w", 2}}};

}  // namespace

TEST_CASE("rolling_buffer: windows, strides, reductions, symbolic sizes", "[schedule]") {
  for (int64_t window : {2, 3, 4}) {
    for (int64_t stride : {1, 2}) {
      for (bool symbolic : {false, true}) {
        for (bool reduction : {false, true}) {
          INFO(window << " " << stride << " " << symbolic << " " << reduction);
          Schedule sch(windows(window, stride, symbolic, reduction));
          sch.compute_at(sch.get_block("B"), loops_of(sch, "C")[0]);
          if (window <= stride) {
            refusal(sch, "schedule.rolling_buffer.no_overlap",
                    [](Schedule& s) { s.rolling_buffer(s.get_block("B")); });
            continue;
          }
          sch.rolling_buffer(sch.get_block("B"));
          INFO(sch.show());
          CHECK(sch.show().find("fold(0: " + std::to_string(window)) != std::string::npos);
          check_schedule(sch, symbolic ? kSizes : std::vector<Sizes>{{}});
        }
      }
    }
  }
}

TEST_CASE("rolling_buffer: under splits of each tail policy and with loops inside scheduled",
          "[schedule]") {
  for (const char* tail : {"guard", "peel", "balanced", "shift_inwards"}) {
    for (size_t at : {0, 1}) {
      INFO(tail << " " << at);
      Schedule sch(windows(3, 1, false));
      const auto y = sch.split_factor(loops_of(sch, "C")[0], 4, tail);
      sch.compute_at(sch.get_block("B"), y[at]);
      if (!sch.apply({"rolling_buffer", {sch.get_block("B")}, {{"write_index", 0}}})) {
        CHECK(
            (at == 0 && (std::string(tail) == "shift_inwards" || std::string(tail) == "balanced")));
        continue;
      }
      check_schedule(sch);
      if (at == 1) {
        // Tiles moved inwards overlap, and the interpreter of flat programs would call that a race.
        if (std::string(tail) != "shift_inwards") sch.parallel(y[0]);
      } else {
        refusal(sch, "schedule.parallel.overlapping_writes",
                [&](Schedule& s) { s.parallel(y[0]); });
      }
      sch.vectorize(sch.split_factor(loops_of(sch, "B").back(), 4)[1]);
      sch.unroll(loops_of(sch, "B")[2]);
      check_schedule(sch);
    }
  }
}

TEST_CASE("rolling_buffer: two stages, each rolled, and later steps", "[schedule]") {
  Schedule sch(programs::stencil().func);
  const auto y = loops_of(sch, "sharpen");
  sch.compute_at(sch.get_block("blur_y"), y[0]);
  sch.compute_at(sch.get_block("blur_x"), y[0]);
  sch.rolling_buffer(sch.get_block("blur_x"));
  INFO(sch.show());
  check_schedule(sch);
  sch.vectorize(sch.split_factor(loops_of(sch, "blur_x").back(), 4)[1]);
  check_schedule(sch);
  refusal(sch, "schedule.reorder.not_a_chain", [&](Schedule& s) { s.reorder({y[1], y[0]}); });
  refusal(sch, "schedule.rolling_buffer.not_in_loop",
          [](Schedule& s) { s.rolling_buffer(s.get_block("blur_x")); });

  Schedule moved(windows(3, 1, false));
  moved.compute_at(moved.get_block("B"), loops_of(moved, "C")[0]);
  moved.rolling_buffer(moved.get_block("B"));
  for (const char* tail : {"guard", "peel", "balanced"}) {
    Schedule split = moved;
    split.split_factor(loops_of(split, "C")[0], 4, tail);
    check_schedule(split);
  }
  {
    Schedule parts = moved;
    parts.loop_partition(loops_of(parts, "C")[0], {3, std::nullopt});
    check_schedule(parts);
  }
  {
    Schedule inlined = moved;
    inlined.compute_inline(inlined.get_block("B"));
    check_schedule(inlined);
  }
  {
    Schedule again = moved;
    again.compute_at(again.get_block("B"), loops_of(again, "C")[1]);
    check_schedule(again);
  }
  refusal(moved, "schedule.split.fold",
          [](Schedule& s) { s.split_factor(loops_of(s, "C")[0], 4, "shift_inwards"); });
}

TEST_CASE("rolling_buffer: of a reduction, and its decomposition", "[schedule]") {
  Schedule sch(programs::conv2d().func);
  sch.compute_at(sch.get_block("pad"), loops_of(sch, "conv")[2]);
  sch.rolling_buffer(sch.get_block("pad"));
  check_schedule(sch);

  te::Tensor a = te::placeholder({12, 5}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(5, "k");
  te::Tensor s = te::compute(
      {12}, [&](te::Var i) { return te::sum(a(i, k), {k}); }, "S");
  te::Tensor c = te::compute(
      {10}, [&](te::Var i) { return s(i) + s(i + 1) * s(i + 2); }, "C");
  Schedule sums(te::create_prim_func({a, c}, "sums"));
  sums.compute_at(sums.get_block("S"), loops_of(sums, "C")[0]);
  sums.rolling_buffer(sums.get_block("S"));
  check_schedule(sums);
  {
    Schedule inner = sums;
    inner.decompose_reduction(inner.get_block("S"), loops_of(inner, "S")[1]);
    check_schedule(inner);
  }
  refusal(sums, "schedule.decompose_reduction.repeated_terms",
          [](Schedule& x) { x.decompose_reduction(x.get_block("S"), loops_of(x, "S")[0]); });
}

TEST_CASE("decompose_reduction: a reduction that overlapping windows make again", "[schedule]") {
  te::Tensor a = te::placeholder({12, 5}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(5, "k");
  te::Tensor s = te::compute(
      {12}, [&](te::Var i) { return te::sum(a(i, k), {k}); }, "S");
  te::Tensor c = te::compute(
      {10}, [&](te::Var i) { return s(i) + s(i + 1) * s(i + 2); }, "C");
  Schedule sch(te::create_prim_func({a, c}, "sums"));
  sch.compute_at(sch.get_block("S"), loops_of(sch, "C")[0]);
  refusal(sch, "schedule.decompose_reduction.repeated_terms",
          [](Schedule& x) { x.decompose_reduction(x.get_block("S"), loops_of(x, "S")[0]); });
  sch.decompose_reduction(sch.get_block("S"), loops_of(sch, "S")[1]);
  check_schedule(sch);
}

TEST_CASE("rolling_buffer: refusals", "[schedule]") {
  const auto refused = [](const std::string& code, const std::function<void(Schedule&)>& before) {
    Schedule sch(windows(3, 1, false));
    before(sch);
    refusal(sch, "schedule.rolling_buffer." + code,
            [](Schedule& s) { s.rolling_buffer(s.get_block("B")); });
  };
  refused("not_in_loop", [](Schedule&) {});
  refused("no_overlap", [](Schedule& s) {
    s.compute_at(s.get_block("B"), loops_of(s, "C")[1]);
    // Each point of the row has its own column: nothing is shared between columns.
  });
  refused("loop_kind", [](Schedule& s) {
    s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
    s.parallel(loops_of(s, "C")[0]);
  });
  refused("scope", [](Schedule& s) {
    s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
    s.set_scope(s.get_block("B"), "register");
  });
  refused("window", [](Schedule& s) {
    s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
    s.fuse({loops_of(s, "B")[1], loops_of(s, "B")[2]});
  });
  refused("window", [](Schedule& s) {
    s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
    s.split_factor(loops_of(s, "B")[1], 2);
  });
}

TEST_CASE("double_buffer: the program means the same", "[schedule]") {
  for (const char* kind : {"serial", "parallel", "unrolled"}) {
    for (bool symbolic : {false, true}) {
      INFO(kind << " " << symbolic);
      if (symbolic && std::string(kind) == "unrolled") continue;
      Schedule sch(windows(3, 1, symbolic));
      const Loop y = loops_of(sch, "C")[0];
      sch.compute_at(sch.get_block("B"), y);
      sch.double_buffer(sch.get_block("B"));
      CHECK(sch.show().find("versions(2)") != std::string::npos);
      if (std::string(kind) == "parallel") sch.parallel(y);
      if (std::string(kind) == "unrolled") sch.unroll(y);
      check_schedule(sch, symbolic ? kSizes : std::vector<Sizes>{{}});
    }
  }
  Schedule sch(windows(3, 1, false));
  const Loop y = sch.split_factor(loops_of(sch, "C")[0], 4)[1];
  sch.compute_at(sch.get_block("B"), y);
  sch.transform_layout(sch.get_block("B"), "(y, x) -> (x, y)");
  sch.double_buffer(sch.get_block("B"));
  check_schedule(sch);
  refusal(sch, "schedule.double_buffer.versions",
          [](Schedule& s) { s.double_buffer(s.get_block("B")); });
  Schedule root(windows(3, 1, false));
  refusal(root, "schedule.double_buffer.not_in_loop",
          [](Schedule& s) { s.double_buffer(s.get_block("B")); });
  refusal(root, "schedule.double_buffer.parameter",
          [](Schedule& s) { s.double_buffer(s.get_block("C")); });
}

TEST_CASE("double_buffer: a buffer with strides of its own beside one without", "[schedule]") {
  const te::Tensor a = te::placeholder({6, 4}, kFloat32, "A");
  const te::Tensor b = te::compute(
      {6, 4}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  const te::Tensor c = te::compute(
      {6, 4}, [&](te::Var i, te::Var j) { return b(i, j) + 1.0f; }, "C");
  const te::Tensor d = te::compute(
      {6, 4}, [&](te::Var i, te::Var j) { return b(i, j) + c(i, j); }, "D");
  Schedule sch(te::create_prim_func({a, d}));
  const auto row = sch.get_loops(sch.get_block("D"))[0];
  for (const char* name : {"C", "B"}) {
    sch.compute_at(sch.get_block(name), row);
    sch.double_buffer(sch.get_block(name));
  }
  sch.storage_align(sch.get_block("B"), 0, 8, 0);
  check_schedule(sch);
}

}  // namespace tilewright::testing
