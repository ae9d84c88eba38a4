// Whole texts of refusals of opaque and masked blocks, of dependences between iterations, of tails that could not be
// carried out any more, of instructions, and of composite steps.

#include "golden/errors_schedule.h"
#include "tilewright/ir/builder.h"
#include "tilewright/schedule/composite.h"
#include "unit/schedule/small_programs.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using schedule::TensorInstruction;

const std::vector<Refused>& opaque_refusals() {
  static const std::vector<Refused> table = {
      {"reindex.opaque_block", opaque,
       [](Schedule& s) { return on(s, "P", [](Schedule& t, BlockRef b) { t.reindex(b, "A"); }); }},
      {"pad_einsum.opaque_block", opaque,
       [](Schedule& s) {
         return on(s, "P", [](Schedule& t, BlockRef b) { t.pad_einsum(b, {3}); });
       }},
      {"decompose_padding.opaque_block", opaque,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("P");
         const Loop loop = s.get_loops(b)[0];
         return [=](Schedule& t) { t.decompose_padding(b, loop); };
       }},
      {"blockize.opaque_block", opaque,
       [](Schedule& s) {
         return on_loop(s, "P", 0, [](Schedule& t, Loop loop) { t.blockize(loop); });
       }},
      {"vectorize.opaque_block", opaque,
       [](Schedule& s) {
         return on_loop(s, "P", 0, [](Schedule& t, Loop loop) { t.vectorize(loop); });
       }},
      {"pad_einsum.masked", masked,
       [](Schedule& s) {
         return on(s, "B", [](Schedule& t, BlockRef b) { t.pad_einsum(b, {3, 1}); });
       }},
      {"reindex.masked", masked,
       [](Schedule& s) { return on(s, "B", [](Schedule& t, BlockRef b) { t.reindex(b, "B"); }); }},
      {"parallel.dependence", flow,
       [](Schedule& s) {
         return on_loop(s, "T", 0, [](Schedule& t, Loop loop) { t.parallel(loop); });
       }},
      {"vectorize.dependence", flow,
       [](Schedule& s) {
         return on_loop(s, "T", 0, [](Schedule& t, Loop loop) { t.vectorize(loop); });
       }},
      {"split.pad_tail", matmul,
       [](Schedule& s) {
         return on_loop(s, "C", 1, [](Schedule& t, Loop loop) { t.split_factor(loop, 16, "pad"); });
       }},
      {"tensorize.guarded", matmul,
       [](Schedule& s) -> Step {
         s.declare_instruction(fma_row());
         const std::vector<Loop> c = loops_of(s, "C"), j = s.split_factor(c[1], 16);
         s.reorder({c[0], j[0], c[2], j[1]});
         s.decompose_reduction(s.get_block("C"), c[2]);
         return [=](Schedule& t) { t.tensorize(j[1], "fma_row"); };
       }},
      {"tensorize.mismatch", matmul,
       [](Schedule& s) -> Step {
         s.declare_instruction(fma_row());
         const std::vector<Loop> c = loops_of(s, "C"), j = s.split_factor(c[1], 12);
         s.reorder({c[0], j[0], c[2], j[1]});
         s.decompose_reduction(s.get_block("C"), c[2]);
         return [=](Schedule& t) { t.tensorize(j[1], "fma_row"); };
       }},
      {"tensorize.open_reduction", matmul,
       [](Schedule& s) -> Step {
         s.declare_instruction(fma_row());
         const std::vector<Loop> c = loops_of(s, "C"), j = s.split_factor(c[1], 12);
         s.reorder({c[0], j[0], c[2], j[1]});
         return [=](Schedule& t) { t.tensorize(j[1], "fma_row"); };
       }},
      {"tensorize.several_blocks", matmul,
       [](Schedule& s) -> Step {
         s.declare_instruction(fma_row());
         const std::vector<Loop> c = loops_of(s, "C");
         s.decompose_reduction(s.get_block("C"), c[2]);
         return [=](Schedule& t) { t.tensorize(c[0], "fma_row"); };
       }},
      {"tensorize.parallel_loop", matmul,
       [](Schedule& s) -> Step {
         s.declare_instruction(fma_row());
         const std::vector<Loop> c = loops_of(s, "C");
         s.parallel(c[1]);
         return [=](Schedule& t) { t.tensorize(c[0], "fma_row"); };
       }},
  };
  return table;
}

// A step of several primitives fails before the first of them.
void composite(void (*run)(Schedule&, BlockRef)) {
  Schedule sch(matmul());
  run(sch, sch.get_block("C"));
}

}  // namespace

TEST_CASE("refusals of opaque blocks, dependences and instructions", "[golden]") {
  check_refusals(opaque_refusals());
}

TEST_CASE("texts of errors: instructions and composite steps", "[golden]") {
  using schedule::multi_level_tile;
  check_triggers({
      {"schedule.instruction.mismatch", [] { Schedule(matmul()).declare_instruction(fma_row(2)); }},
      {"schedule.instruction.malformed",
       [] {
         TensorInstruction other = fma_row();
         other.implementation = matmul();
         Schedule(matmul()).declare_instruction(other);
       }},
      {"schedule.instruction.redeclared",
       [] {
         Schedule sch(matmul());
         sch.declare_instruction(fma_row());
         TensorInstruction other = fma_row();
         other.reference = other.implementation;
         sch.declare_instruction(other);
       }},
      {"schedule.multi_level_tile.structure",
       [] { composite([](Schedule& s, BlockRef c) { multi_level_tile(s, c, "SPS", {}); }); }},
      {"schedule.multi_level_tile.factors",
       [] { composite([](Schedule& s, BlockRef c) { multi_level_tile(s, c, "SRS", {{8}}); }); }},
      {"schedule.multi_level_tile.loop",
       [] {
         composite([](Schedule& s, BlockRef c) {
           s.split_factor(s.get_loops(c)[0], 4);
           multi_level_tile(s, c, "SRS", {{8}, {16}, {}});
         });
       }},
      {"schedule.parallelize_outer.count",
       [] { composite([](Schedule& s, BlockRef c) { schedule::parallelize_outer(s, c, 0); }); }},
      {"schedule.stage_panels.dimension",
       [] {
         composite([](Schedule& s, BlockRef c) {
           schedule::stage_panels(s, c, "A", s.get_loops(c)[0], 5, 6);
         });
       }},
      {"schedule.vectorize_inner.no_loop",
       [] {
         ir::IRBuilder builder("one");
         const ir::Buffer c = builder.output("C", kFloat32, {1});
         builder.block("C", {}, [&](const auto&) { builder.store(c, {0}, ir::Expr(1.0f)); });
         Schedule sch(builder.finish());
         schedule::vectorize_inner(sch, sch.get_block("C"), 8);
       }},
      {"schedule.regions",
       [] {
         std::string text = ir::to_text(opaque());
         text.replace(text.find("reads A[vi]"), 11, "reads A[0]");
         Schedule(ir::parse_func(text));
       }},
      {"schedule.race",
       [] {
         std::string text = ir::to_text(programs::matmul().func);
         const size_t at = text.find("serial", text.find("for k"));
         text.replace(at, 6, "parallel");
         Schedule(ir::parse_func(text));
       }},
      {"ir.builder", [] { ir::IRBuilder("f").close(); }},
  });
}

}  // namespace tilewright::testing
