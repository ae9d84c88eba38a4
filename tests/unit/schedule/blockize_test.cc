// blockize, tensorize and the declaration of instructions; sample_compute_location.

#include "support/expect_error.h"
#include "tilewright/ir/builder.h"
#include "unit/schedule/check_schedule.h"
#include "unit/schedule/small_programs.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Decision;
using schedule::Loop;
using schedule::Schedule;
using schedule::TensorInstruction;
using schedule::Trace;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

// C[0] += sum over 4 of int8 products.
TensorInstruction dot4() {
  te::Tensor a = te::placeholder({4}, kInt8, "A"), b = te::placeholder({4}, kInt8, "B");
  te::ReduceAxis k = te::reduce_axis(4, "k");
  te::Tensor c = te::compute(
      {1}, [&](te::Var) { return te::sum(te::cast(kInt32, a(k)) * te::cast(kInt32, b(k)), {k}); },
      "C");
  ir::IRBuilder builder("dot4_code");
  ir::Buffer x = builder.input("X", kInt8, {4}), y = builder.input("Y", kInt8, {4}),
             z = builder.inout("Z", kInt32, {1});
  builder.block("Z", {}, [&](const std::vector<ir::Var>&) {
    ir::Expr sum = ir::load(z, {0});
    for (int i = 0; i < 4; ++i) {
      sum = sum + ir::cast(kInt32, ir::load(x, {i})) * ir::cast(kInt32, ir::load(y, {i}));
    }
    builder.store(z, {0}, sum);
  });
  return {"dot4", te::create_prim_func({a, b, c}, "dot4"), builder.finish()};
}

}  // namespace

TEST_CASE("blockize: nests of every kind, scheduled on as one block", "[schedule]") {
  const Program matmul = programs::matmul();
  for (const char* tail : {"guard", "peel"}) {
    for (int variant = 0; variant < 6; ++variant) {
      INFO(tail << variant);
      Schedule sch(matmul.func);
      const BlockRef block = sch.get_block("C");
      const BlockRef copy = sch.cache_write(block, "local");
      const std::vector<Loop> c = sch.get_loops(block);
      const std::vector<Loop> i = sch.split_factor(c[0], 6, tail),
                              j = sch.split_factor(c[1], 8, tail),
                              k = sch.split_factor(c[2], 4, tail);
      const bool decomposed = variant % 2 == 1;
      if (decomposed) {
        sch.reorder({i[0], j[0], k[0], i[1], k[1], j[1]});
        sch.decompose_reduction(block, k[0]);
        if (variant >= 3) sch.vectorize(j[1]);
        CHECK(sch.blockize(i[1]) == block);
      } else {
        sch.reorder({i[0], j[0], i[1], j[1], k[0], k[1]});
        CHECK(sch.blockize(variant == 2 ? j[1] : i[1]) == block);
      }
      if (variant >= 2) sch.parallel(i[0]);
      if (variant == 4) sch.reorder({j[0], i[0]});
      if (variant == 5) {
        const BlockRef a = sch.cache_read(block, "A", "local");
        sch.compute_at(a, k[0]);
      }
      if (variant == 3) sch.unroll(k[0]);
      static_cast<void>(copy);
      check_schedule(sch, matmul);
    }
  }
}

TEST_CASE("blockize: symbolic sizes, inlined producers, a nest within a nest", "[schedule]") {
  te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n, 11}, kFloat32, "A");
  te::Tensor p = te::compute(
      {n, 11}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "P");
  te::Tensor c = te::compute(
      {n, 11}, [&](te::Var i, te::Var j) { return p(i, j) - 1.0f; }, "C");
  const ir::PrimFunc func = te::create_prim_func({a, c}, "chain");
  const std::vector<Sizes> sizes = {{{"n", 9}}, {{"n", 1}}, {{"n", 0}}};
  for (int variant = 0; variant < 5; ++variant) {
    INFO(variant);
    Schedule sch(func);
    const BlockRef block = sch.get_block("C"), producer = sch.get_block("P");
    const std::vector<Loop> loops = sch.get_loops(block);
    const std::vector<Loop> i = sch.split_factor(loops[0], 4), j = sch.split_factor(loops[1], 4);
    sch.reorder({i[0], j[0], i[1], j[1]});
    if (variant == 4) sch.compute_at(producer, j[0]);
    sch.blockize(variant == 1 ? j[1] : i[1]);
    if (variant == 1) sch.blockize(i[1]);
    if (variant == 2) sch.compute_inline(producer);
    if (variant == 3) {
      sch.compute_at(producer, j[0]);
      sch.split_factor(i[0], 2, "peel");
      sch.parallel(sch.get_loops(block)[0]);
    }
    refusal(sch, "schedule.reverse_compute_inline.not_injective",
            [&](Schedule& s) { s.reverse_compute_inline(block); });
    check_schedule(sch, sizes);
  }
}

TEST_CASE("blockize: what is refused", "[schedule]") {
  const Program matmul = programs::matmul();
  Schedule sch(matmul.func);
  const BlockRef block = sch.get_block("C");
  const std::vector<Loop> c = sch.get_loops(block);
  const std::vector<Loop> k = sch.split_factor(c[2], 4);
  refusal(sch, "schedule.blockize.open_reduction", [&](Schedule& s) { s.blockize(k[1]); });
  Schedule parallel = sch;
  parallel.parallel(c[1]);
  refusal(parallel, "schedule.blockize.parallel_loop", [&](Schedule& s) { s.blockize(c[0]); });
  Schedule two = sch;
  two.decompose_reduction(block, k[0]);
  refusal(two, "schedule.blockize.several_blocks", [&](Schedule& s) { s.blockize(c[0]); });
  Schedule lanes = sch;
  lanes.vectorize(c[1]);
  lanes.blockize(c[1]);
  refusal(lanes, "schedule.vectorize.nested", [&](Schedule& s) { s.vectorize(c[0]); });
}

TEST_CASE("tensorize: a row of fused multiply-adds, a dot product of four bytes", "[schedule]") {
  const Program matmul = programs::matmul();
  for (int variant = 0; variant < 4; ++variant) {
    Schedule sch(matmul.func);
    sch.declare_instruction(fma_row());
    sch.declare_instruction(fma_row());  // the same again
    const BlockRef block = sch.get_block("C");
    if (variant == 0) {  // 24 columns are no multiple of 16
      const std::vector<Loop> c = sch.get_loops(block);
      const std::vector<Loop> j = sch.split_factor(c[1], 16);
      sch.reorder({c[0], j[0], c[2], j[1]});
      sch.decompose_reduction(block, c[2]);
      const std::string text = refusal(sch, "schedule.tensorize.guarded",
                                       [&](Schedule& s) { s.tensorize(j[1], "fma_row"); });
      CHECK(text.find("pad_einsum") != std::string::npos);
      continue;
    }
    sch.pad_einsum(block, {1, 16, variant == 1 ? 1 : 4});
    const std::vector<Loop> c = sch.get_loops(block);
    const std::vector<Loop> j = sch.split_factor(c[1], 16);
    sch.reorder({c[0], j[0], c[2], j[1]});
    const BlockRef init = sch.decompose_reduction(block, c[2]);
    refusal(sch, "schedule.tensorize.mismatch", [&](Schedule& s) { s.tensorize(c[2], "fma_row"); });
    sch.tensorize(j[1], "fma_row");
    if (variant >= 2) sch.parallel(c[0]);
    if (variant == 3) {
      sch.split_factor(c[2], 2);
      sch.vectorize(sch.get_loops(init).back());
    }
    check_schedule(sch, matmul);
    expect_error("schedule.tensorize.unknown_instruction", {"fma_row"},
                 [&] { Schedule::replay(sch.original(), sch.trace()); });
  }
  const Program dot = programs::int8_dot();
  Schedule sch(dot.func);
  sch.declare_instruction(dot4());
  const BlockRef block = sch.get_block("C");
  const std::vector<Loop> c = sch.get_loops(block);
  const std::vector<Loop> k = sch.split_factor(c[2], 4);
  refusal(sch, "schedule.tensorize.open_reduction",
          [&](Schedule& s) { s.tensorize(k[1], "dot4"); });
  sch.decompose_reduction(block, k[0]);
  sch.tensorize(k[1], "dot4");
  sch.reorder({c[1], c[0]});
  check_schedule(sch, dot);
  refusal(sch, "schedule.tensorize.unknown_instruction",
          [&](Schedule& s) { s.tensorize(c[0], "dot8"); });
}

namespace {

// An instruction that runs the function as it is.
TensorInstruction same_code(const char* name, const ir::PrimFunc& func) {
  return {name, func, func};
}

}  // namespace

TEST_CASE("tensorize: a whole reduction, init included", "[schedule]") {
  te::Tensor p = te::placeholder({4}, kFloat32, "P");
  te::ReduceAxis r = te::reduce_axis(4, "r");
  te::Tensor q = te::compute(
      {}, [&]() { return te::sum(p(r), {r}); }, "Q");
  te::Tensor a = te::placeholder({3, 4}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(4, "k");
  te::Tensor b = te::compute(
      {3}, [&](te::Var i) { return te::sum(a(i, k), {k}); }, "B");
  te::Tensor c = te::compute(
      {3}, [&](te::Var i) { return b(i) + 1.0f; }, "C");
  Schedule sch(te::create_prim_func({a, c}, "rows"));
  sch.declare_instruction(same_code("sum4", te::create_prim_func({p, q}, "sum4")));
  const BlockRef block = sch.get_block("B");
  const std::vector<Loop> loops = sch.get_loops(block);
  sch.add_unit_loop(loops[1]);
  sch.tensorize(sch.get_loops(block)[1], "sum4");
  check_schedule(sch, std::vector<Sizes>{{}});
}

TEST_CASE("tensorize: two operands in one buffer, none outside of it", "[schedule]") {
  te::Tensor x = te::placeholder({4}, kFloat32, "X"), y = te::placeholder({4}, kFloat32, "Y");
  te::Tensor z = te::compute(
      {4}, [&](te::Var i) { return x(i) - y(i); }, "Z");
  const TensorInstruction sub4 = same_code("sub4", te::create_prim_func({x, y, z}, "sub4"));
  te::Tensor a = te::placeholder({9}, kFloat32, "A");
  te::Tensor b = te::compute(
      {8}, [&](te::Var i) { return a(i) - a(i + 1); }, "B");
  Schedule sch(te::create_prim_func({a, b}, "differences"));
  sch.declare_instruction(sub4);
  const std::vector<Loop> i = sch.split_factor(sch.get_loops(sch.get_block("B"))[0], 4);
  sch.tensorize(i[1], "sub4");
  check_schedule(sch, std::vector<Sizes>{{}});

  // Element -1 is never read by the program, but an instruction reads whole vectors.
  te::Tensor p = te::placeholder({4}, kFloat32, "P");
  te::Tensor q = te::compute(
      {4}, [&](te::Var v) { return te::if_then_else(te::Expr(v) - 1 >= 0, p(v), te::Expr(0.0f)); },
      "Q");
  te::Tensor d = te::compute(
      {4},
      [&](te::Var v) {
        return te::if_then_else(te::Expr(v) - 1 >= 0, x(te::Expr(v) - 1), te::Expr(0.0f));
      },
      "D");
  Schedule shift(te::create_prim_func({x, d}, "shift"));
  shift.declare_instruction(same_code("masked4", te::create_prim_func({p, q}, "masked4")));
  refusal(shift, "schedule.tensorize.mismatch",
          [&](Schedule& s) { s.tensorize(s.get_loops(s.get_block("D"))[0], "masked4"); });
}

TEST_CASE("declare_instruction: wrong and malformed instructions", "[schedule]") {
  Schedule sch(programs::matmul().func);
  expect_error("schedule.instruction.mismatch", {"fma_row", "C[0, "},
               [&] { sch.declare_instruction(fma_row(2)); });
  TensorInstruction swapped = fma_row();
  swapped.implementation = dot4().implementation;
  expect_error("schedule.instruction.malformed", {"must agree"},
               [&] { sch.declare_instruction(swapped); });
  sch.declare_instruction(fma_row());
  TensorInstruction other = dot4();
  other.name = "fma_row";
  expect_error("schedule.instruction.redeclared", {"fma_row"},
               [&] { sch.declare_instruction(other); });
  CHECK(sch.instructions().size() == 1);
}

TEST_CASE("sample_compute_location: legal places, replayed and changed", "[schedule]") {
  const Program stencil = programs::stencil();
  std::map<std::string, int> places;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Schedule sch(stencil.func, seed);
    sch.split_factor(loops_of(sch, "sharpen")[0], 4);
    sch.sample_compute_location(sch.get_block("blur_y"), "y");
    sch.sample_compute_location(sch.get_block("blur_x"), "x");
    places[sch.trace().to_json()]++;
    CHECK(replay_difference(sch) == "");
    if (seed < 6) check_schedule(sch, stencil);
  }
  CHECK(places.size() >= 5);
  Schedule sch(stencil.func, 1);
  sch.sample_compute_location(sch.get_block("blur_y"), "y");
  for (int64_t place : {-2, -1, 0, 1}) {
    Trace trace = sch.trace();
    trace.decisions[0].value = place;
    check_schedule(Schedule::replay(sch.original(), trace), stencil);
  }
  Trace trace = sch.trace();
  trace.decisions[0].value = int64_t{7};
  const auto refused = Schedule::try_replay(sch.original(), trace);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == "schedule.sample_compute_location.decision");
  const BlockRef other = sch.get_block("blur_x");
  refusal(sch, "schedule.sample_compute_location.name",
          [&](Schedule& s) { s.sample_compute_location(other, "y"); });
}

TEST_CASE("tensorize: a buffer that has to leave a vectorized loop is refused", "[schedule]") {
  const auto sums = [](const char* name, const te::Tensor& from) {
    te::ReduceAxis k = te::reduce_axis(2, "k");
    ir::Reducer horner = te::reducer(
        "horner", [](te::Expr x, te::Expr y) { return x * 3.0f + y; }, te::constant(kFloat32, 0));
    return te::compute(
        {2}, [&](te::Var) { return te::reduce(horner, from(k), {k}); }, name);
  };
  te::Tensor p = te::placeholder({2}, kFloat32, "P"), a = te::placeholder({2}, kFloat32, "A");
  te::Tensor b = sums("B", a);
  te::Tensor c = te::compute(
      {3}, [&](te::Var i) { return b(0) + b(1) * te::cast(kFloat32, i); }, "C");
  Schedule sch(te::create_prim_func({a, c}, "rows"));
  sch.declare_instruction(same_code("sums", te::create_prim_func({p, sums("Q", p)}, "sums")));
  const Loop i = loops_of(sch, "C")[0];
  sch.compute_at(sch.get_block("B"), i);
  const Loop lanes =
      sch.split_factor(i, 2)[1];  // the condition makes the instruction's step one of that loop
  Schedule serial = sch;
  sch.vectorize(lanes);
  // What an instruction leaves in B may be read in a later iteration, for all that is known of it.
  refusal(sch, "schedule.tensorize.ordered_loop",
          [&](Schedule& s) { s.tensorize(loops_of(s, "B")[2], "sums"); });
  check_schedule(sch);
  serial.tensorize(loops_of(serial, "B")[2], "sums");
  check_schedule(serial);
}

}  // namespace tilewright::testing
