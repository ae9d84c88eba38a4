// Every way to refuse: the code, the whole text (tests/golden/schedule/errors/<code>.txt), the schedule as it was,
// and a legal step afterwards.

#include "support/golden.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using Step = std::function<void(Schedule&)>;

/// Prepares a schedule and gives the step that must be refused; handles are fetched before it.
using Prepare = std::function<Step(Schedule&)>;

struct Refused {
  const char* code;
  ir::PrimFunc (*program)();
  Prepare prepare;
};

ir::PrimFunc matmul() { return programs::matmul().func; }
ir::PrimFunc conv2d() { return programs::conv2d().func; }
ir::PrimFunc stencil() { return programs::stencil().func; }
ir::PrimFunc softmax() { return programs::softmax().func; }
ir::PrimFunc layernorm() { return programs::layernorm().func; }

ir::PrimFunc chain() {
  te::Tensor a = te::placeholder({6, 8}, kFloat32, "A");
  te::Tensor b = te::compute(
      {6, 8}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  te::Tensor c = te::compute(
      {8, 6}, [&](te::Var j, te::Var i) { return b(i, j) + 1.0f; }, "C");
  return te::create_prim_func({a, c});
}

ir::PrimFunc subtracting() {
  const ir::Reducer minus = te::reducer(
      "minus", [](te::Expr acc, te::Expr v) { return acc - v; }, te::Expr(0.0f));
  te::Tensor a = te::placeholder({8, 24}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(24, "k");
  te::Tensor b = te::compute(
      {8}, [&](te::Var i) { return te::reduce(minus, a(i, k), {k}); }, "B");
  return te::create_prim_func({a, b});
}

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

const std::vector<Refused>& loop_refusals() {
  static const std::vector<Refused> table = {
      {"split.factor", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.split_factor(i, 0); };
       }},
      {"split.factor_count", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.split(i, {std::nullopt, std::nullopt, 2}); };
       }},
      {"split.too_few_iterations", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.split(i, {3, 6}); };
       }},
      {"split.tail", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.split_factor(i, 6, "cut"); };
       }},
      {"split.balanced", layernorm,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "mean")[0];
         return [=](Schedule& t) { t.split_factor(i, 4, "balanced"); };
       }},
      {"split.shift_inwards", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.split_factor(i, 6, "shift_inwards"); };
       }},
      {"split.loop_kind", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.parallel(i);
         return [=](Schedule& t) { t.split_factor(i, 4); };
       }},
      {"split.unknown_loop", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.split_factor(i, 4);
         return [=](Schedule& t) { t.split_factor(i, 2); };
       }},
      {"split.foreign_handle", matmul,
       [](Schedule& s) -> Step {
         Schedule other = s;
         const Loop i = loops_of(other, "C")[0];
         return [=](Schedule& t) { t.split_factor(i, 2); };
       }},
      {"fuse.count", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.fuse({i}); };
       }},
      {"fuse.not_nested", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         return [=](Schedule& t) { t.fuse({c[1], c[0]}); };
       }},
      {"fuse.mixed_kinds", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         return [=](Schedule& t) { t.fuse({c[1], c[2]}); };
       }},
      {"reorder.duplicate", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         return [=](Schedule& t) { t.reorder({c[1], c[0], c[1]}); };
       }},
      {"reorder.not_a_chain", chain,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0], c = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.reorder({c, b}); };
       }},
      {"reorder.reduction_order", subtracting,
       [](Schedule& s) -> Step {
         const std::vector<Loop> k = s.split_factor(loops_of(s, "B")[1], 8);
         return [=](Schedule& t) { t.reorder({k[1], k[0]}); };
       }},
      {"reorder.nested", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         s.parallel(c[0]);
         s.vectorize(c[1]);
         return [=](Schedule& t) { t.reorder({c[1], c[0]}); };
       }},
      {"unroll.extent_too_large", +[] { return programs::vector_add().func; },
       [](Schedule& s) -> Step {
         const std::vector<Loop> parts = s.split_nparts(loops_of(s, "C")[0], 2000);
         return [=](Schedule& t) { t.unroll(parts[0]); };
       }},
      {"unroll.symbolic_extent", layernorm,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "mean")[0];
         return [=](Schedule& t) { t.unroll(i); };
       }},
      {"vectorize.reduce_loop", matmul,
       [](Schedule& s) -> Step {
         const Loop k = loops_of(s, "C")[2];
         return [=](Schedule& t) { t.vectorize(k); };
       }},
      {"vectorize.nested", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         s.vectorize(c[1]);
         return [=](Schedule& t) { t.vectorize(c[0]); };
       }},
      {"vectorize.extent_too_large", +[] { return programs::vector_add().func; },
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.vectorize(i); };
       }},
      {"parallel.reduce_loop", matmul,
       [](Schedule& s) -> Step {
         const Loop k = loops_of(s, "C")[2];
         return [=](Schedule& t) { t.parallel(k); };
       }},
      {"parallel.schedule", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.parallel(i, "guided"); };
       }},
      {"parallel.chunk", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.parallel(i, "static", -1); };
       }},
      {"parallel.nested", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         s.parallel(c[1]);
         return [=](Schedule& t) { t.parallel(c[0]); };
       }},
  };
  return table;
}

const std::vector<Refused>& block_refusals() {
  static const std::vector<Refused> table = {
      {"compute_at.tail", softmax,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("row_max");
         const Loop at = loops_of(s, "row_exp")[0];
         return [=](Schedule& t) { t.compute_at(b, at, "peel"); };
       }},
      {"compute_at.parameter", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         const Loop at = s.get_loops(b)[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_at.consumer_outside", softmax,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("row_exp");
         const Loop at = loops_of(s, "row_sum")[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_at.several_writers", softmax,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("row_max");
         s.decompose_reduction(b, s.get_loops(b)[1]);
         const Loop at = loops_of(s, "row_exp")[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_at.vectorized_place", stencil,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("blur_y");
         const Loop at = loops_of(s, "sharpen")[1];
         s.vectorize(at);
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"reverse_compute_at.no_producer", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.order", stencil,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("sharpen");
         const Loop at = loops_of(s, "blur_x")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.reduction", softmax,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("row_sum");
         const Loop at = loops_of(s, "row_exp")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.incomplete", conv2d,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("conv"), copy = s.cache_write(b);
         const Loop at = s.get_loops(b)[4];
         return [=](Schedule& t) { t.reverse_compute_at(copy, at); };
       }},
      {"reverse_compute_at.scattered", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C"), copy = s.cache_write(b);
         const std::vector<Loop> c = s.get_loops(b);
         const std::vector<Loop> i = s.split_factor(c[0], 5);
         s.reorder({i[1], i[0]});
         return [=](Schedule& t) { t.reverse_compute_at(copy, i[1]); };
       }},
      {"reverse_compute_at.uncovered", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C"), copy = s.cache_write(b);
         const BlockRef padded = s.pack(copy, "C_global", "(m, n) -> (m, n)", {{0, 8}});
         const Loop at = s.get_loops(b)[0];
         return [=](Schedule& t) { t.reverse_compute_at(padded, at); };
       }},
      {"compute_inline.not_injective", softmax,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("row_max");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"compute_inline.parameter", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"reverse_compute_inline.not_injective", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.producer", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.read_index", stencil,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("blur_y");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"decompose_reduction.not_a_reduction", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop i = s.get_loops(b)[0];
         return [=](Schedule& t) { t.decompose_reduction(b, i); };
       }},
      {"decompose_reduction.not_around", softmax,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("row_max");
         const Loop i = loops_of(s, "row_exp")[0];
         return [=](Schedule& t) { t.decompose_reduction(b, i); };
       }},
      {"decompose_reduction.too_deep", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         const std::vector<Loop> k = s.split_factor(s.get_loops(b)[2], 4);
         return [=](Schedule& t) { t.decompose_reduction(b, k[1]); };
       }},
      {"rfactor.not_a_reduction", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.rfactor(i); };
       }},
      {"rfactor.reducer", subtracting,
       [](Schedule& s) -> Step {
         const std::vector<Loop> k = s.split_factor(loops_of(s, "B")[1], 8);
         return [=](Schedule& t) { t.rfactor(k[1]); };
       }},
      {"rfactor.decomposed", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         const Loop k = s.get_loops(b)[2];
         s.decompose_reduction(b, k);
         return [=](Schedule& t) { t.rfactor(k); };
       }},
      {"rfactor.factor_axis", matmul,
       [](Schedule& s) -> Step {
         const Loop k = loops_of(s, "C")[2];
         return [=](Schedule& t) { t.rfactor(k, 4); };
       }},
  };
  return table;
}

const std::vector<Refused>& storage_refusals() {
  static const std::vector<Refused> table = {
      {"cache_read.unknown_buffer", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_read(b, "D"); };
       }},
      {"cache_read.scope", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_read(b, "A", "cache"); };
       }},
      {"cache_read.shared_loops", chain,
       [](Schedule& s) -> Step {
         const BlockRef c = s.get_block("C");
         s.compute_at(s.get_block("B"), s.get_loops(c)[0]);
         return [=](Schedule& t) { t.cache_read(c, "B"); };
       }},
      {"cache_write.write_index", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.cache_write(b, "global", 1); };
       }},
      {"cache_write.several_writers", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         s.decompose_reduction(b, s.get_loops(b)[2]);
         return [=](Schedule& t) { t.cache_write(b); };
       }},
      {"cache_write.shared_loops", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         s.compute_at(b, loops_of(s, "C")[0]);
         return [=](Schedule& t) { t.cache_write(b); };
       }},
      {"set_scope.parameter", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.set_scope(b, "local"); };
       }},
      {"transform_layout.map", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.transform_layout(b, "(i, j) -> (i // 2, j)"); };
       }},
      {"pack.map", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.pack(b, "A", "(m, k) -> (m // n, k)"); };
       }},
      {"pack.pad", matmul,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.pack(b, "A", "(m, k) -> (k, m)", {{2, 4}}); };
       }},
      {"annotate.key", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.annotate(i, "pragma", 1); };
       }},
      {"annotate.place", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.annotate(i, "parallel_chunk", 4); };
       }},
      {"annotate.value", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.parallel(i);
         return [=](Schedule& t) { t.annotate(i, "parallel_chunk", "many"); };
       }},
      {"get_block.unknown", softmax,
       [](Schedule&) -> Step { return [](Schedule& t) { t.get_block("row_mean"); }; }},
      {"sample_perfect_tile.extent", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_perfect_tile(i, 2, 0, "tile"); };
       }},
      {"sample_perfect_tile.symbolic_extent", layernorm,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "mean")[0];
         return [=](Schedule& t) { t.sample_perfect_tile(i, 2, 8, "tile"); };
       }},
      {"sample_tile.count", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_tile(i, 1, {2, 4}, "tile"); };
       }},
      {"sample_tile.candidates", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.sample_tile(i, 2, {}, "tile"); };
       }},
      {"sample_categorical.weights", matmul,
       [](Schedule&) -> Step {
         return [](Schedule& t) { t.sample_categorical({1, 2}, {0, 0}, "choice"); };
       }},
      {"sample_categorical.name", matmul,
       [](Schedule& s) -> Step {
         s.sample_categorical({1, 2}, {}, "choice");
         return [](Schedule& t) { t.sample_categorical({1, 2}, {}, "choice"); };
       }},
  };
  return table;
}

void check_refusals(const std::vector<Refused>& table) {
  for (const Refused& row : table) {
    INFO(row.code);
    const std::string code = std::string("schedule.") + row.code;
    Schedule sch(row.program());
    const Step step = row.prepare(sch);
    const std::string text = refusal(sch, code, step);
    CHECK(golden_difference("schedule/errors/" + code + ".txt", text + "\n") == "");
    sch.add_unit_loop(sch.get_block(sch.block_names()[0]));
    CHECK(replay_difference(sch) == "");
  }
}

}  // namespace

TEST_CASE("refusals of loop primitives", "[schedule]") { check_refusals(loop_refusals()); }
TEST_CASE("refusals of block primitives", "[schedule]") { check_refusals(block_refusals()); }
TEST_CASE("refusals of storage, hint and sampling primitives", "[schedule]") {
  check_refusals(storage_refusals());
}

TEST_CASE("an unknown primitive is named with the nearest one", "[schedule]") {
  Schedule sch(matmul());
  try {
    (void)sch.apply({"splt", {}, {}});
    FAIL_CHECK("no error");
  } catch (const Error& error) {
    CHECK(error.code() == "schedule.unknown_primitive");
    CHECK(std::string(error.what()).find("'split'") != std::string::npos);
  }
}

}  // namespace tilewright::testing
