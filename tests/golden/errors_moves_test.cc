// Whole texts of the refusals of primitives that partition, join, pipeline and roll loops.

#include "golden/errors_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

// B is read in windows of three rows.
ir::PrimFunc windows() {
  te::Tensor a = te::placeholder({12, 8}, kFloat32, "A");
  te::Tensor b = te::compute(
      {12, 8}, [&](te::Var i, te::Var j) { return a(i, j) * 2.0f; }, "B");
  te::Tensor c = te::compute(
      {10, 8}, [&](te::Var i, te::Var j) { return b(i, j) + b(i + 1, j) + b(i + 2, j); }, "C");
  return te::create_prim_func({a, c}, "windows");
}

// B, C and D row by row: D reads C, C reads B.
ir::PrimFunc rows() {
  te::Tensor a = te::placeholder({6, 8}, kFloat32, "A");
  const auto next = [](const te::Tensor& t, const char* name) {
    return te::compute(
        {6, 8}, [&](te::Var i, te::Var j) { return t(i, j) + 1.0f; }, name);
  };
  const te::Tensor b = next(a, "B"), c = next(b, "C"), d = next(c, "D");
  return te::create_prim_func({a, d}, "rows");
}

ir::PrimFunc symbolic() {
  const te::Var n = te::var("n");
  te::Tensor a = te::placeholder({n}, kFloat32, "A");
  te::Tensor c = te::compute(
      {n}, [&](te::Var i) { return a(i) * 2.0f; }, "C");
  return te::create_prim_func({a, c}, "doubled");
}

void rows_in_one_loop(Schedule& s) {
  const Loop y = loops_of(s, "D")[0];
  s.compute_at(s.get_block("C"), y);
  s.compute_at(s.get_block("B"), y);
}

Step partition(Schedule& s, std::vector<schedule::Factor> extents) {
  const Loop i = loops_of(s, "C")[0];
  return [=](Schedule& t) { t.loop_partition(i, extents); };
}

Step pipeline(Schedule& s, std::vector<int64_t> stages) {
  rows_in_one_loop(s);
  const Loop y = loops_of(s, "D")[0];
  return [=](Schedule& t) { t.software_pipeline(y, stages); };
}

Step fetch(Schedule& s, const char* block, const char* buffer, size_t loop, int distance) {
  const BlockRef b = s.get_block(block);
  const Loop y = loops_of(s, "D")[loop];
  const std::string name = buffer;
  return [=](Schedule& t) { t.prefetch(b, name, y, distance); };
}

Step roll(Schedule& s) {
  const BlockRef b = s.get_block("B");
  return [=](Schedule& t) { t.rolling_buffer(b); };
}

Step doubled(Schedule& s, const char* block) {
  const BlockRef b = s.get_block(block);
  return [=](Schedule& t) { t.double_buffer(b); };
}

Step special(Schedule& s, const char* condition) {
  const BlockRef c = s.get_block("C");
  const std::string text = condition;
  return [=](Schedule& t) { t.specialize(c, text); };
}

const std::vector<Refused>& partition_refusals() {
  static const std::vector<Refused> table = {
      {"loop_partition.extent", matmul,
       [](Schedule& s) {
         return partition(s, {0, std::nullopt});
       }},
      {"loop_partition.extent_count", matmul,
       [](Schedule& s) {
         return partition(s, {std::nullopt, std::nullopt});
       }},
      {"loop_partition.too_few_iterations", matmul,
       [](Schedule& s) {
         return partition(s, {4, 4});
       }},
      {"loop_partition.empty_part", matmul,
       [](Schedule& s) {
         return partition(s, {20, std::nullopt});
       }},
      {"loop_partition.loop_kind", matmul,
       [](Schedule& s) {
         s.parallel(loops_of(s, "C")[0]);
         return partition(s, {4, std::nullopt});
       }},
      {"specialize.condition", symbolic, [](Schedule& s) { return special(s, "i < 8"); }},
      {"specialize.always", symbolic, [](Schedule& s) { return special(s, "n >= 0"); }},
      {"specialize.never", symbolic, [](Schedule& s) { return special(s, "n < 0"); }},
  };
  return table;
}

const std::vector<Refused>& join_refusals() {
  static const std::vector<Refused> table = {
      {"merge.count", rows,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0];
         return [=](Schedule& t) { t.merge({b}); };
       }},
      {"merge.duplicate", rows,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0];
         return [=](Schedule& t) { t.merge({b, b}); };
       }},
      {"merge.not_siblings", rows,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0], c = loops_of(s, "C")[1];
         return [=](Schedule& t) { t.merge({b, c}); };
       }},
      {"merge.loop_kind", rows,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0], c = loops_of(s, "C")[0];
         s.parallel(c);
         return [=](Schedule& t) { t.merge({b, c}); };
       }},
      {"merge.extent", rows,
       [](Schedule& s) -> Step {
         const Loop b = s.split_factor(loops_of(s, "B")[0], 4)[0], c = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.merge({b, c}); };
       }},
      {"merge.between", layernorm,
       [](Schedule& s) -> Step {
         const Loop a = loops_of(s, "row_sum")[0], b = loops_of(s, "layernorm")[0];
         return [=](Schedule& t) { t.merge({a, b}); };
       }},
      {"merge.dependence", windows,
       [](Schedule& s) -> Step {
         const Loop b = s.loop_partition(loops_of(s, "B")[0], {10, std::nullopt})[0];
         const Loop c = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.merge({b, c}); };
       }},
      {"compute_with.inside", rows,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop at = s.get_loops(b)[1];
         return [=](Schedule& t) { t.compute_with(b, at); };
       }},
      {"compute_with.depth", rows,
       [](Schedule& s) -> Step {
         const Loop b = s.split_factor(loops_of(s, "B")[1], 4)[1];
         const BlockRef c = s.get_block("C");
         return [=](Schedule& t) { t.compute_with(c, b); };
       }},
      {"compute_with.loop_kind", rows,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0];
         const BlockRef c = s.get_block("C");
         s.parallel(b);
         return [=](Schedule& t) { t.compute_with(c, b); };
       }},
      {"compute_with.extent", windows,
       [](Schedule& s) -> Step {
         const Loop b = loops_of(s, "B")[0];
         const BlockRef c = s.get_block("C");
         return [=](Schedule& t) { t.compute_with(c, b); };
       }},
      {"compute_with.between", layernorm,
       [](Schedule& s) -> Step {
         const Loop a = loops_of(s, "row_sum")[0];
         const BlockRef b = s.get_block("layernorm");
         return [=](Schedule& t) { t.compute_with(b, a); };
       }},
      {"compute_with.dependence", softmax,
       [](Schedule& s) -> Step {
         const Loop a = loops_of(s, "row_max")[1];
         const BlockRef b = s.get_block("row_exp");
         return [=](Schedule& t) { t.compute_with(b, a); };
       }},
  };
  return table;
}

const std::vector<Refused>& pipeline_refusals() {
  static const std::vector<Refused> table = {
      {"software_pipeline.stage_count", rows,
       [](Schedule& s) {
         return pipeline(s, {0, 1});
       }},
      {"software_pipeline.stage", rows,
       [](Schedule& s) {
         return pipeline(s, {0, 0, 0});
       }},
      {"software_pipeline.stage_order", rows,
       [](Schedule& s) {
         return pipeline(s, {1, 0, 1});
       }},
      {"software_pipeline.scope", rows,
       [](Schedule& s) {
         const Step step = pipeline(s, {0, 1, 1});
         s.set_scope(s.get_block("B"), "register");
         return step;
       }},
      {"software_pipeline.loop_kind", rows,
       [](Schedule& s) {
         const Step step = pipeline(s, {0, 1, 1});
         s.parallel(loops_of(s, "D")[0]);
         return step;
       }},
      {"prefetch.unknown_buffer", rows, [](Schedule& s) { return fetch(s, "D", "A", 0, 1); }},
      {"prefetch.distance", rows, [](Schedule& s) { return fetch(s, "D", "C", 0, 0); }},
      {"prefetch.not_around", rows, [](Schedule& s) { return fetch(s, "B", "A", 0, 1); }},
      {"prefetch.local_buffer", rows,
       [](Schedule& s) {
         rows_in_one_loop(s);
         return fetch(s, "D", "C", 0, 1);
       }},
      {"prefetch.loop_kind", rows,
       [](Schedule& s) {
         s.parallel(loops_of(s, "D")[0]);
         return fetch(s, "D", "C", 0, 1);
       }},
      {"prefetch.same_elements", matmul,
       [](Schedule& s) -> Step {
         const BlockRef c = s.get_block("C");
         const Loop j = s.get_loops(c)[1];
         return [=](Schedule& t) { t.prefetch(c, "A", j, 1); };
       }},
      {"compute_at.inputs_not_made", windows,
       [](Schedule& s) -> Step {
         const BlockRef c = s.get_block("C"), copy = s.cache_write(c);
         s.compute_at(s.get_block("B"), s.get_loops(c)[0]);
         s.split_factor(s.get_loops(c)[0], 4, "shift_inwards");
         const Loop y = s.get_loops(copy)[0];
         return [=](Schedule& t) { t.compute_at(c, y); };
       }},
      {"rolling_buffer.not_in_loop", windows, [](Schedule& s) { return roll(s); }},
      {"rolling_buffer.no_overlap", windows,
       [](Schedule& s) {
         s.compute_at(s.get_block("B"), loops_of(s, "C")[1]);
         return roll(s);
       }},
      {"rolling_buffer.loop_kind", windows,
       [](Schedule& s) {
         s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
         s.parallel(loops_of(s, "C")[0]);
         return roll(s);
       }},
      {"rolling_buffer.scope", windows,
       [](Schedule& s) {
         s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
         s.set_scope(s.get_block("B"), "register");
         return roll(s);
       }},
      {"rolling_buffer.window", windows,
       [](Schedule& s) {
         s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
         s.split_factor(loops_of(s, "B")[1], 2);
         return roll(s);
       }},
      {"rolling_buffer.write_index", windows,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.rolling_buffer(b, 1); };
       }},
      {"split.fold", windows,
       [](Schedule& s) -> Step {
         s.compute_at(s.get_block("B"), loops_of(s, "C")[0]);
         s.rolling_buffer(s.get_block("B"));
         const Loop i = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.split_factor(i, 4, "shift_inwards"); };
       }},
      {"double_buffer.not_in_loop", windows, [](Schedule& s) { return doubled(s, "B"); }},
      {"double_buffer.parameter", windows, [](Schedule& s) { return doubled(s, "C"); }},
      {"double_buffer.versions", rows,
       [](Schedule& s) {
         rows_in_one_loop(s);
         s.double_buffer(s.get_block("B"));
         return doubled(s, "B");
       }},
      {"double_buffer.scope", rows,
       [](Schedule& s) {
         rows_in_one_loop(s);
         s.set_scope(s.get_block("B"), "register");
         return doubled(s, "B");
       }},
      {"double_buffer.write_index", rows,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.double_buffer(b, 1); };
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of partitions", "[golden]") { check_refusals(partition_refusals()); }
TEST_CASE("refusals of joined loops", "[golden]") { check_refusals(join_refusals()); }
TEST_CASE("refusals of pipelines", "[golden]") { check_refusals(pipeline_refusals()); }

}  // namespace tilewright::testing
