// Whole texts of the refusals of block primitives.

#include "golden/errors_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

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
      {"compute_at.opaque_block", opaque,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("P");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_at.write_index", strided,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_at.ordered_loop", recurrence,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("S");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_at.no_consumer", unread,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.compute_at(b, at); };
       }},
      {"compute_inline.no_consumer", unread,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"reverse_compute_at.opaque_block", opaque,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("P");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.several_writers", halves,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         const Loop at = loops_of(s, "second")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.write_index", strided,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop at = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.vectorized_place", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         const Loop at = loops_of(s, "B")[1];
         s.vectorize(at);
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"reverse_compute_at.read_index", stencil,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("blur_y");
         const Loop at = loops_of(s, "blur_x")[0];
         return [=](Schedule& t) { t.reverse_compute_at(b, at); };
       }},
      {"compute_inline.opaque_block", opaque,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("P");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"compute_inline.several_writers", halves,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("first");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"compute_inline.write_index", strided,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"compute_inline.masked", masked,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.compute_inline(b); };
       }},
      {"reverse_compute_inline.opaque_block", opaque,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.masked", masked,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.write_index", strided,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.several_writers", halves,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("second");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.several_readers", two_readers,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"reverse_compute_inline.parameter",
       +[] {
         te::Tensor a = te::placeholder({8}, kFloat32, "A");
         te::Tensor b = te::compute(
             {8}, [&](te::Var i) { return a(i) * 2.0f; }, "B");
         te::Tensor c = te::compute(
             {8}, [&](te::Var i) { return b(i) + 1.0f; }, "C");
         return te::create_prim_func({a, b, c});
       },
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         return [=](Schedule& t) { t.reverse_compute_inline(b); };
       }},
      {"decompose_reduction.opaque_block", opaque,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("P");
         const Loop i = s.get_loops(b)[0];
         return [=](Schedule& t) { t.decompose_reduction(b, i); };
       }},
      {"decompose_reduction.repeated_terms", repeated,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("C");
         const Loop r = s.get_loops(b)[1];
         return [=](Schedule& t) { t.decompose_reduction(b, r); };
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of block primitives", "[golden]") { check_refusals(block_refusals()); }

}  // namespace tilewright::testing
