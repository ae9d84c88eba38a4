// store_at and storage_align.

#include "unit/schedule/check_schedule.h"
#include "unit/schedule/small_programs.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

// Blur of n x m points in two steps: P is read at three rows by B.
Program two_steps(bool symbolic) {
  te::Var n = te::var("n");
  const te::Expr rows = symbolic ? te::Expr(n) : te::Expr(14);
  te::Tensor a = te::placeholder({rows + 2, 11}, kFloat32, "A");
  te::Tensor p = te::compute(
      {rows + 2, 11}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "P");
  te::Tensor b = te::compute(
      {rows, 11}, [&](te::Var i, te::Var j) { return p(i, j) + p(i + 1, j) + p(i + 2, j); }, "B");
  te::Tensor c = te::compute(
      {rows, 11}, [&](te::Var i, te::Var j) { return b(i, j) - 1.0f; }, "C");
  Program result;
  result.func = te::create_prim_func({a, c}, "two_steps");
  result.sizes =
      symbolic ? std::vector<Sizes>{{{"n", 9}}, {{"n", 1}}, {{"n", 0}}} : std::vector<Sizes>{{}};
  return result;
}

ir::AllocAt place_of(const Schedule& sch, const std::string& name) {
  for (const ir::Buffer& buffer : sch.func()->allocs) {
    if (buffer->name == name) return buffer->alloc_at;
  }
  return {};
}

}  // namespace

TEST_CASE("store_at: further out, further in, kept by compute_at, split and reorder",
          "[schedule]") {
  for (bool symbolic : {false, true}) {
    for (const char* tail : {"guard", "peel", "shift_inwards"}) {
      for (int variant = 0; variant < 6; ++variant) {
        const Program program = two_steps(symbolic);
        if (symbolic && std::string(tail) == "shift_inwards") continue;
        Schedule sch(program.func);
        const BlockRef p = sch.get_block("P"), b = sch.get_block("B");
        const std::vector<Loop> c = loops_of(sch, "C");
        const std::vector<Loop> i = sch.split_factor(c[0], 4, tail);
        INFO(symbolic << tail << variant);
        if (variant == 0) {
          sch.compute_at(b, i[1]);
          sch.store_at(b, i[0]);
        } else if (variant == 1) {  // fixed outside, then moved in
          sch.compute_at(b, i[0]);
          sch.store_at(b, i[0]);
          sch.compute_at(b, i[1]);
          CHECK(place_of(sch, "B").loop == i[0].id);
        } else if (variant == 2) {  // both producers, with the first shared by the rows of a tile
          sch.compute_at(b, i[1]);
          sch.compute_at(p, i[0]);
          sch.store_at(p, i[0]);
          sch.compute_at(p, i[1]);
          CHECK(place_of(sch, "P").loop == i[0].id);
          sch.parallel(i[0]);
        } else if (variant == 3) {  // the home is split: the inner part is the home
          sch.compute_at(b, i[0]);
          sch.store_at(b, i[0]);
          const std::vector<Loop> again = sch.split_factor(i[0], 2, tail);
          CHECK(place_of(sch, "B").loop == again[1].id);
          sch.compute_at(b, i[1]);
          CHECK(place_of(sch, "B").loop == again[1].id);
        } else if (variant == 4) {  // in and out
          sch.compute_at(b, i[1]);
          sch.store_at(b, i[1]);
          sch.store_at(b, i[0]);
          sch.store_at(b, i[1]);
          CHECK(place_of(sch, "B").loop == i[1].id);
        } else {  // and then reverse_compute_at of a copy
          const BlockRef copy = sch.cache_write(b, "local");
          sch.compute_at(copy, i[0]);
          sch.store_at(copy, i[0]);
          sch.compute_at(copy, i[1]);
          sch.compute_at(b, i[1]);
          sch.store_at(b, i[0]);
        }
        check_schedule(sch, program);
      }
    }
  }
}

TEST_CASE("store_at of a reduction, decomposed and not", "[schedule]") {
  const Program matmul = programs::matmul();
  for (bool decomposed : {false, true}) {
    Schedule sch(matmul.func);
    const BlockRef block = sch.get_block("C"), copy = sch.cache_write(block, "local");
    const std::vector<Loop> c = sch.get_loops(block);
    const std::vector<Loop> i = sch.split_factor(c[0], 6), j = sch.split_factor(c[1], 5);
    sch.reorder({i[0], j[0], c[2], i[1], j[1]});
    sch.reverse_compute_at(copy, j[0]);
    if (decomposed) sch.decompose_reduction(block, c[2]);
    sch.store_at(block, i[0]);
    sch.store_at(block, j[0]);
    check_schedule(sch, matmul);
    refusal(sch, "schedule.store_at.uses_outside", [&](Schedule& s) { s.store_at(block, c[2]); });
  }
}

TEST_CASE("store_at: what is refused", "[schedule]") {
  const Program program = two_steps(false);
  Schedule sch(program.func);
  const BlockRef p = sch.get_block("P"), b = sch.get_block("B"), c = sch.get_block("C");
  const std::vector<Loop> loops = sch.get_loops(c);
  refusal(sch, "schedule.store_at.parameter", [&](Schedule& s) { s.store_at(c, loops[0]); });
  refusal(sch, "schedule.store_at.uses_outside", [&](Schedule& s) { s.store_at(b, loops[0]); });
  refusal(sch, "schedule.store_at.write_index", [&](Schedule& s) { s.store_at(b, loops[0], 3); });
  sch.compute_at(b, loops[1]);
  sch.compute_at(p, loops[0]);
  {
    Schedule other = sch;  // rows of P are shared by iterations that run at once
    const std::vector<Loop> i = other.split_factor(loops[0], 4);
    other.parallel(i[1]);
    refusal(other, "schedule.store_at.overlapping_writes",
            [&](Schedule& s) { s.store_at(p, i[0]); });
  }
  {
    Schedule other = sch;
    other.store_at(b, loops[0]);
    other.vectorize(loops[1]);
    refusal(other, "schedule.store_at.vectorized_place",
            [&](Schedule& s) { s.store_at(b, loops[1]); });
  }
}

TEST_CASE("store_at: values that flow between iterations keep the buffer outside", "[schedule]") {
  Schedule sch(flow());
  const BlockRef writer = sch.get_block("T");
  const Loop loop = sch.get_loops(writer)[0];
  refusal(sch, "schedule.store_at.values_flow", [&](Schedule& s) { s.store_at(writer, loop); });
}

TEST_CASE("storage_align: strides with a remainder, also of buffers that shrink", "[schedule]") {
  struct Row {
    int64_t axis, factor, offset;
  };
  for (const Row& row : {Row{0, 32, 4}, Row{0, 7, 0}, Row{1, 4, 3}, Row{-1, 2, 1}, Row{-2, 1, 0}}) {
    for (bool symbolic : {false, true}) {
      for (int variant = 0; variant < 4; ++variant) {
        const Program program = two_steps(symbolic);
        Schedule sch(program.func);
        const BlockRef b = sch.get_block("B");
        const std::vector<Loop> i = sch.split_factor(loops_of(sch, "C")[0], 4);
        if (variant == 1) sch.compute_at(b, i[0]);
        sch.storage_align(b, row.axis, row.factor, row.offset);
        if (variant == 2) sch.compute_at(b, i[0]);
        if (variant == 3) {
          sch.transform_layout(b, "(i, j) -> (i // 4, j, i % 4)");
          sch.storage_align(b, row.axis, row.factor, row.offset);
          sch.storage_align(b, 0, 16, 1);
          sch.vectorize(loops_of(sch, "B")[1]);
        }
        INFO(row.axis << " " << row.factor << " " << row.offset << symbolic << variant);
        check_schedule(sch, program);
      }
    }
  }
}

TEST_CASE("storage_align: the flat offsets, and room that padding needs", "[schedule]") {
  const Program matmul = programs::matmul();
  Schedule sch(matmul.func);
  const BlockRef block = sch.get_block("C");
  const std::vector<Loop> c = sch.get_loops(block);
  const BlockRef a = sch.cache_read(block, "A");
  sch.storage_align(a, 0, 16, 3);  // rows of 17: 19 % 16 == 3
  CHECK(sch.show().find("strides") != std::string::npos);
  check_schedule(sch, matmul);
  Schedule padded(matmul.func);
  const BlockRef writer = padded.get_block("C"), copy = padded.cache_write(writer);
  const BlockRef pa = padded.pack(writer, "A", "(m, k) -> (m // 6, k, m % 6)", {{0, 6}});
  const BlockRef pb = padded.pack(writer, "B", "(k, n) -> (n // 16, k, n % 16)", {{1, 16}});
  const std::vector<Loop> w = padded.get_loops(writer);
  const std::vector<Loop> i = padded.split_factor(w[0], 6, "pad"),
                          j = padded.split_factor(w[1], 16, "pad");
  padded.reorder({i[0], j[0], w[2], i[1], j[1]});
  padded.storage_align(pa, 1, 8, 0);
  padded.storage_align(pb, 0, 5, 2);
  padded.storage_align(writer, 0, 3, 1);
  padded.reverse_compute_at(copy, j[0]);
  check_schedule(padded, matmul);
  refusal(sch, "schedule.storage_align.axis", [&](Schedule& s) { s.storage_align(a, 2, 4, 0); });
  refusal(sch, "schedule.storage_align.factor", [&](Schedule& s) { s.storage_align(a, 0, 4, 4); });
  refusal(sch, "schedule.storage_align.factor", [&](Schedule& s) { s.storage_align(a, 0, 0, 0); });
  refusal(sch, "schedule.storage_align.parameter",
          [&](Schedule& s) { s.storage_align(block, 0, 4, 0); });
}

}  // namespace tilewright::testing
