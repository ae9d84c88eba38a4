// Whole texts of the refusals of loop primitives.

#include "golden/errors_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

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
      {"unroll.extent_too_large", vector_add,
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
      {"vectorize.extent_too_large", vector_add,
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
      {"fuse.loop_kind", matmul,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         s.parallel(c[0]);
         return [=](Schedule& t) { t.fuse({c[0], c[1]}); };
       }},
      {"fuse.dependent_extent", triangular,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "T");
         return [=](Schedule& t) { t.fuse(c); };
       }},
      {"reorder.count", matmul,
       [](Schedule&) -> Step { return [](Schedule& t) { t.reorder({}); }; }},
      {"reorder.dependent_extent", triangular,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "T");
         return [=](Schedule& t) { t.reorder({c[1], c[0]}); };
       }},
      {"reorder.ordered_loop", recurrence,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = s.split_factor(loops_of(s, "S")[0], 4);
         return [=](Schedule& t) { t.reorder({c[1], c[0]}); };
       }},
      {"reorder.repeated_terms", repeated,
       [](Schedule& s) -> Step {
         const std::vector<Loop> c = loops_of(s, "C");
         return [=](Schedule& t) { t.reorder({c[2], c[1]}); };
       }},
      {"unroll.loop_kind", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.parallel(i);
         return [=](Schedule& t) { t.unroll(i); };
       }},
      {"vectorize.loop_kind", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.parallel(i);
         return [=](Schedule& t) { t.vectorize(i); };
       }},
      {"vectorize.symbolic_extent", layernorm,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "mean")[0];
         return [=](Schedule& t) { t.vectorize(i); };
       }},
      {"vectorize.ordered_loop", recurrence,
       [](Schedule& s) -> Step {
         const Loop t = loops_of(s, "S")[0];
         return [=](Schedule& other) { other.vectorize(t); };
       }},
      {"vectorize.overlapping_writes", repeated,
       [](Schedule& s) -> Step {
         const Loop r = loops_of(s, "C")[1];
         return [=](Schedule& t) { t.vectorize(r); };
       }},
      {"parallel.loop_kind", matmul,
       [](Schedule& s) -> Step {
         const Loop i = loops_of(s, "C")[0];
         s.unroll(i);
         return [=](Schedule& t) { t.parallel(i); };
       }},
      {"parallel.ordered_loop", recurrence,
       [](Schedule& s) -> Step {
         const Loop t = loops_of(s, "S")[0];
         return [=](Schedule& other) { other.parallel(t); };
       }},
      {"parallel.overlapping_writes", repeated,
       [](Schedule& s) -> Step {
         const Loop r = loops_of(s, "C")[1];
         return [=](Schedule& t) { t.parallel(r); };
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of loop primitives", "[golden]") { check_refusals(loop_refusals()); }

}  // namespace tilewright::testing
