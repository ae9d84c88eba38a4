// software_pipeline, prefetch.

#include "tilewright/lower/lower.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const std::string& block) {
  return sch.get_loops(sch.get_block(block));
}

// B = 2 A, C = B + 1, D = C * C, row by row.
ir::PrimFunc chain(bool symbolic) {
  te::Expr h = 9, w = 5;
  if (symbolic) {
    h = te::var("h");
    w = te::var("w");
  }
  te::Tensor a = te::placeholder({h, w}, kFloat32, "A");
  const auto row = [&](const char* name, const std::function<te::Expr(te::Var, te::Var)>& f) {
    return te::compute({h, w}, f, name, {}, {"y", "x"});
  };
  te::Tensor b = row("B", [&](te::Var y, te::Var x) { return a(y, x) * 2.0f; });
  te::Tensor c = row("C", [&](te::Var y, te::Var x) { return b(y, x) + 1.0f; });
  te::Tensor d = row("D", [&](te::Var y, te::Var x) { return c(y, x) * b(y, x); });
  return te::create_prim_func({a, d}, "chain");
}

const std::vector<Sizes> kSizes = {
    {{"h", 7}, {"w", 5}}, {{"h", 1}, {"w", 3}}, {{"h", 2}, {"w", 1}}, {{"h", 0}, {"w", 2}}};

Schedule row_by_row(bool symbolic) {
  Schedule sch(chain(symbolic));
  const Loop y = loops_of(sch, "D")[0];
  sch.compute_at(sch.get_block("C"), y);
  sch.compute_at(sch.get_block("B"), y);
  return sch;
}

}  // namespace

TEST_CASE("software_pipeline: stages of a chain of rows", "[schedule]") {
  const std::vector<std::vector<int64_t>> lists = {
      {0, 0, 1}, {0, 1, 1}, {0, 1, 2}, {0, 2, 5}, {0, 0, 8}};
  for (bool symbolic : {false, true}) {
    for (const std::vector<int64_t>& stages : lists) {
      Schedule sch = row_by_row(symbolic);
      sch.software_pipeline(loops_of(sch, "D")[0], stages);
      INFO(sch.show());
      const bool whole = stages.back() == 8;  // as many iterations as the smaller extent has
      CHECK((whole || sch.show().find("fold(0: ") != std::string::npos));
      check_schedule(sch, symbolic ? kSizes : std::vector<Sizes>{{}});
      sch.vectorize(sch.split_factor(loops_of(sch, "D").back(), 4)[1]);
      check_schedule(sch, symbolic ? kSizes : std::vector<Sizes>{{}});
      if (whole) continue;
      refusal(sch, "schedule.parallel.dependence",
              [](Schedule& s) { s.parallel(loops_of(s, "D")[0]); });
    }
  }
}

TEST_CASE("software_pipeline: tiles of a reduction loaded ahead", "[schedule]") {
  for (int factor : {4, 5}) {
    for (const char* tail : {"guard", "peel", "balanced"}) {
      for (bool decomposed : {false, true}) {
        INFO(factor << " " << tail << " " << decomposed);
        Schedule sch(programs::matmul().func);
        const auto k = sch.split_factor(loops_of(sch, "C")[2], factor, tail);
        const auto l = loops_of(sch, "C");
        sch.reorder({k[0], l[0], l[1], k[1]});
        const auto a = sch.cache_read(sch.get_block("C"), "A");
        const auto b = sch.cache_read(sch.get_block("C"), "B");
        sch.compute_at(a, k[0]);
        sch.compute_at(b, k[0]);
        if (decomposed) sch.decompose_reduction(sch.get_block("C"), k[0]);
        sch.software_pipeline(k[0], {0, 0, 1});
        check_schedule(sch);
      }
    }
  }
}

TEST_CASE("software_pipeline: what is inlined across stages lasts as long", "[schedule]") {
  const te::Var h = te::var("h");  // stages are conditions then, in one loop
  te::Tensor a = te::placeholder({h, 5}, kFloat32, "A");
  const auto row = [&](const char* name, const std::function<te::Expr(te::Var, te::Var)>& f) {
    return te::compute({h, 5}, f, name, {}, {"y", "x"});
  };
  te::Tensor b = row("B", [&](te::Var y, te::Var x) { return a(y, x) * 2.0f; });
  te::Tensor c = row("C", [&](te::Var y, te::Var x) { return b(y, x) + 1.0f; });
  te::Tensor d = row("D", [&](te::Var y, te::Var x) { return c(y, x) * c(y, x); });
  const ir::PrimFunc func = te::create_prim_func({a, d}, "rows");
  for (bool backwards : {false, true}) {
    INFO(backwards);
    Schedule sch(func);
    const Loop y = loops_of(sch, "D")[0];
    sch.compute_at(sch.get_block("C"), y);
    sch.compute_at(sch.get_block("B"), y);
    sch.software_pipeline(
        y, backwards ? std::vector<int64_t>{0, 1, 1} : std::vector<int64_t>{0, 0, 1});
    if (backwards) {
      sch.reverse_compute_inline(sch.get_block("C"));
    } else {
      sch.compute_inline(sch.get_block("C"));
    }
    check_schedule(sch, std::vector<Sizes>{{{"h", 6}}, {{"h", 1}}});
  }
}

TEST_CASE("reverse_compute_at: the producers must run together", "[schedule]") {
  // Known extents from 2 on are cut into a prologue, a steady part and an epilogue.
  for (const te::Expr& n : {te::Expr(1), te::Expr(te::var("n"))}) {
    const bool known = ir::as_const_int(n) != nullptr;
    const te::Tensor a = te::placeholder({n}, kFloat32, "A");
    const te::Tensor b = te::compute(
        {n}, [&](te::Var i) { return a(i) * 2.0f; }, "B");
    const te::Tensor c = te::compute(
        {n}, [&](te::Var i) { return b(i) + 1.0f; }, "C");
    const te::Tensor both = te::compute(
        {n}, [&](te::Var i) { return b(i) * c(i); }, "D");
    const te::Tensor one = te::compute(
        {n}, [&](te::Var i) { return c(i) * 2.0f; }, "D");
    for (const bool reads_both : {true, false}) {
      for (const std::string step : {"none", "split", "software_pipeline"}) {
        Schedule sch(te::create_prim_func({a, reads_both ? both : one}));
        const Loop i = loops_of(sch, "B")[0];
        sch.reverse_compute_at(sch.get_block("C"), i);
        if (step == "split") sch.split_factor(i, 3, "guard");
        if (step == "software_pipeline") sch.software_pipeline(i, {0, 1});
        INFO(sch.show());
        // B is one iteration ahead of C: i < 1 and i >= 1 for the only element.
        const size_t depth = step == "split" ? 1 : 0;  // both guards of the split are the same
        const bool done = bool(
            sch.apply({"reverse_compute_at", {sch.get_block("D"), loops_of(sch, "C")[depth]}, {}}));
        CHECK(done == !(reads_both && step == "software_pipeline"));
        check_schedule(sch, known ? std::vector<Sizes>{{}}
                                  : std::vector<Sizes>{{{"n", 0}}, {{"n", 1}}, {{"n", 4}}});
      }
    }
  }
}

TEST_CASE("software_pipeline: refusals", "[schedule]") {
  Schedule sch = row_by_row(false);
  const Loop y = loops_of(sch, "D")[0];
  const auto refused = [&](const std::string& code, const std::vector<int64_t>& stages) {
    refusal(sch, "schedule.software_pipeline." + code,
            [&](Schedule& s) { s.software_pipeline(y, stages); });
  };
  refused("stage_count", {0, 1});
  refused("stage", {0, 0, 0});
  refused("stage", {1, 1, 2});
  refused("stage", {0, 1, 9});
  refused("stage_order", {1, 0, 1});
  refusal(sch, "schedule.software_pipeline.stage_count",
          [&](Schedule& s) { s.software_pipeline(loops_of(s, "D")[1], {0}); });
  {
    Schedule reg = sch;
    reg.set_scope(reg.get_block("B"), "register");
    refusal(reg, "schedule.software_pipeline.scope", [&](Schedule& s) {
      s.software_pipeline(y, {0, 1, 1});
    });
  }
  {
    Schedule parallel = sch;
    parallel.parallel(y);
    refusal(parallel, "schedule.software_pipeline.loop_kind", [&](Schedule& s) {
      s.software_pipeline(y, {0, 1, 1});
    });
  }
  {
    // C looks back at what B made two rows earlier: B may not run ahead over the same, shared buffer.
    te::Tensor a = te::placeholder({9}, kFloat32, "A");
    te::Tensor b = te::compute(
        {9}, [&](te::Var i) { return a(i) * 2.0f; }, "B");
    te::Tensor c = te::compute(
        {9}, [&](te::Var i) { return b(i) + 1.0f; }, "C");
    Schedule joined(te::create_prim_func({a, b, c}, "joined"));
    const Loop i = joined.merge({loops_of(joined, "B")[0], loops_of(joined, "C")[0]});
    joined.software_pipeline(i, {0, 1});
    check_schedule(joined);
  }
}

TEST_CASE("prefetch: a hint that lowering turns into prefetches", "[schedule]") {
  for (int distance : {1, 4, 100}) {
    Schedule sch(programs::matmul().func);
    const auto l = loops_of(sch, "C");
    sch.reorder({l[0], l[2], l[1]});
    sch.prefetch(sch.get_block("C"), "B", l[2], distance);
    sch.prefetch(sch.get_block("C"), "A", l[0], distance);
    sch.vectorize(sch.split_factor(l[1], 8)[1]);
    check_schedule(sch);
    const std::string text = ir::to_text(lower::lower(sch.func(), Target()));
    CHECK(text.find("prefetch(B[") != std::string::npos);
    CHECK(text.find("prefetch(A[") != std::string::npos);
    sch.split_factor(l[2], 4);
    check_schedule(sch);
  }
  Schedule symbolic(programs::layernorm().func);
  symbolic.prefetch(symbolic.get_block("layernorm"), "X", loops_of(symbolic, "layernorm")[0], 2);
  check_schedule(symbolic, programs::layernorm());
}

TEST_CASE("prefetch: refusals", "[schedule]") {
  Schedule sch = row_by_row(false);
  const auto d = loops_of(sch, "D");
  const auto refused = [&](const std::string& code, const char* block, const char* buffer,
                           Loop loop, int distance) {
    refusal(sch, "schedule.prefetch." + code,
            [&](Schedule& s) { s.prefetch(s.get_block(block), buffer, loop, distance); });
  };
  refused("unknown_buffer", "D", "A", d[0], 1);
  refused("distance", "B", "A", d[0], 0);
  refused("distance", "B", "A", d[0], 5000);
  refused("not_around", "B", "A", d[1], 1);
  refused("local_buffer", "D", "B", d[0], 1);
  sch.parallel(d[0]);
  refused("loop_kind", "B", "A", d[0], 1);
  Schedule matmul(programs::matmul().func);
  refusal(matmul, "schedule.prefetch.same_elements",
          [](Schedule& s) { s.prefetch(s.get_block("C"), "A", loops_of(s, "C")[1], 1); });
}

TEST_CASE("reverse_compute_at: a block keeps the iteration that a pipeline gave it", "[schedule]") {
  Schedule sch(chain(true));  // conditions instead of a prologue
  const std::vector<Loop> d = loops_of(sch, "D");
  sch.compute_at(sch.get_block("C"), d[1]);
  sch.compute_at(sch.get_block("B"), d[0]);
  sch.software_pipeline(d[0], {0, 1});
  // B runs an iteration ahead of C and D; beside B, C would leave D behind.
  refusal(sch, "schedule.reverse_compute_at.order",
          [&](Schedule& s) { s.reverse_compute_at(s.get_block("C"), loops_of(s, "D")[0]); });
  check_schedule(sch, kSizes);
}

}  // namespace tilewright::testing
