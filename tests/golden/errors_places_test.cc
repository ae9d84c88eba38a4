// Whole texts of the refusals of primitives that place, pad and reindex buffers, and make blocks of nests.

#include "golden/errors_schedule.h"
#include "unit/schedule/small_programs.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

// D = 2 C, C = A B: a product and an element-wise consumer.
ir::PrimFunc product() {
  te::Tensor a = te::placeholder({10, 7}, kFloat32, "A"),
             b = te::placeholder({7, 9}, kFloat32, "B");
  te::ReduceAxis k = te::reduce_axis(7, "k");
  te::Tensor c = te::compute(
      {10, 9}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
  te::Tensor d = te::compute(
      {10, 9}, [&](te::Var i, te::Var j) { return c(i, j) * 2.0f; }, "D");
  return te::create_prim_func({a, b, d}, "product");
}

ir::PrimFunc argmax() { return programs::argmax().func; }
ir::PrimFunc depthwise() { return programs::depthwise().func; }

// The terms beyond the end would be 2, no zero.
ir::PrimFunc plus_two() {
  te::Tensor a = te::placeholder({5, 6}, kFloat32, "A");
  te::ReduceAxis k = te::reduce_axis(6, "k");
  te::Tensor c = te::compute(
      {5}, [&](te::Var i) { return te::sum(a(i, k) + 2.0f, {k}); }, "C");
  return te::create_prim_func({a, c}, "plus_two");
}

Step store(Schedule& s, const char* block, const char* loops, size_t at, int64_t index = 0) {
  const BlockRef b = s.get_block(block);
  const Loop loop = loops_of(s, loops)[at];
  return [=](Schedule& t) { t.store_at(b, loop, index); };
}

Step align(Schedule& s, const char* block, int64_t axis, int factor, int64_t index = 0) {
  const BlockRef b = s.get_block(block);
  return [=](Schedule& t) { t.storage_align(b, axis, factor, 0, index); };
}

Step reindex(Schedule& s, const char* block, const std::string& buffer) {
  const BlockRef b = s.get_block(block);
  return [=](Schedule& t) { t.reindex(b, buffer); };
}

Step pad(Schedule& s, const char* block, std::vector<schedule::Int> padding) {
  const BlockRef b = s.get_block(block);
  return [=](Schedule& t) { t.pad_einsum(b, padding); };
}

Step fill(Schedule& s, const char* block, const char* loops) {
  const BlockRef b = s.get_block(block);
  const Loop loop = loops_of(s, loops)[0];
  return [=](Schedule& t) { t.decompose_padding(b, loop); };
}

Step blockize(Schedule& s, const char* block, size_t at) {
  const Loop loop = loops_of(s, block)[at];
  return [=](Schedule& t) { t.blockize(loop); };
}

const std::vector<Refused>& place_refusals() {
  static const std::vector<Refused> table = {
      {"store_at.parameter", chain, [](Schedule& s) { return store(s, "C", "C", 0); }},
      {"store_at.uses_outside", chain, [](Schedule& s) { return store(s, "B", "C", 0); }},
      {"store_at.write_index", chain, [](Schedule& s) { return store(s, "B", "C", 0, 3); }},
      {"store_at.vectorized_place", chain,
       [](Schedule& s) {
         const std::vector<Loop> c = loops_of(s, "C");
         s.compute_at(s.get_block("B"), c[1]);
         s.store_at(s.get_block("B"), c[0]);
         s.vectorize(c[1]);
         return store(s, "B", "C", 1);
       }},
      {"store_at.values_flow", flow, [](Schedule& s) { return store(s, "T", "T", 0); }},
      {"storage_align.axis", chain, [](Schedule& s) { return align(s, "B", 2, 4); }},
      {"storage_align.factor", chain, [](Schedule& s) { return align(s, "B", 0, 0); }},
      {"storage_align.parameter", chain, [](Schedule& s) { return align(s, "C", 0, 4); }},
      {"storage_align.write_index", chain, [](Schedule& s) { return align(s, "B", 0, 4, 1); }},
  };
  return table;
}

const std::vector<Refused>& padding_refusals() {
  static const std::vector<Refused> table = {
      {"reindex.access", stencil, [](Schedule& s) { return reindex(s, "blur_x", "A"); }},
      {"reindex.unknown_buffer", chain, [](Schedule& s) { return reindex(s, "C", "A"); }},
      {"reindex.several_outputs", argmax,
       [](Schedule& s) { return reindex(s, "argmax", "argmax_v0"); }},
      {"reindex.shared_loops", product,
       [](Schedule& s) {
         s.reverse_compute_at(s.get_block("D"), loops_of(s, "C")[0]);
         return reindex(s, "D", "C");
       }},
      {"reindex.several_writers", product,
       [](Schedule& s) {
         s.decompose_reduction(s.get_block("C"), loops_of(s, "C")[2]);
         return reindex(s, "C", "C");
       }},
      {"pad_einsum.padding", product,
       [](Schedule& s) {
         return pad(s, "C", {4, 4});
       }},
      {"pad_einsum.several_writers", product,
       [](Schedule& s) {
         s.decompose_reduction(s.get_block("C"), loops_of(s, "C")[2]);
         return pad(s, "C", {4, 4, 4});
       }},
      {"pad_einsum.bound_loops", product,
       [](Schedule& s) {
         s.split_factor(loops_of(s, "C")[0], 4);
         return pad(s, "C", {4, 4, 4});
       }},
      {"pad_einsum.shared_loops", product,
       [](Schedule& s) {
         s.reverse_compute_at(s.get_block("D"), loops_of(s, "C")[0]);
         return pad(s, "C", {1, 4, 1});
       }},
      {"pad_einsum.access", depthwise,
       [](Schedule& s) {
         return pad(s, "depthwise", {1, 1, 3, 1, 1, 1});
       }},
      {"pad_einsum.not_neutral", plus_two,
       [](Schedule& s) {
         return pad(s, "C", {1, 4});
       }},
      {"decompose_padding.not_around", conv2d, [](Schedule& s) { return fill(s, "pad", "conv"); }},
      {"decompose_padding.not_a_padding", chain, [](Schedule& s) { return fill(s, "B", "B"); }},
      {"decompose_padding.several_writers", conv2d,
       [](Schedule& s) {
         const Loop loop = loops_of(s, "pad")[0];
         s.decompose_padding(s.get_block("pad"), loop);
         return fill(s, "pad", "pad");
       }},
  };
  return table;
}

const std::vector<Refused>& nest_refusals() {
  static const std::vector<Refused> table = {
      {"blockize.open_reduction", matmul,
       [](Schedule& s) {
         s.split_factor(loops_of(s, "C")[2], 4);
         return blockize(s, "C", 3);
       }},
      {"blockize.parallel_loop", matmul,
       [](Schedule& s) {
         s.parallel(loops_of(s, "C")[1]);
         return blockize(s, "C", 0);
       }},
      {"blockize.several_blocks", matmul,
       [](Schedule& s) {
         s.decompose_reduction(s.get_block("C"), loops_of(s, "C")[2]);
         return blockize(s, "C", 0);
       }},
      {"tensorize.unknown_instruction", matmul,
       [](Schedule& s) -> Step {
         const Loop k = loops_of(s, "C")[2];
         return [=](Schedule& t) { t.tensorize(k, "dot8"); };
       }},
      {"sample_compute_location.name", chain,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.sample_compute_location(b, ""); };
       }},
      {"sample_compute_location.decision", chain,
       [](Schedule& s) -> Step {
         s.preset_decisions({{"place", 17}});
         const BlockRef b = s.get_block("B");
         return [=](Schedule& t) { t.sample_compute_location(b, "place"); };
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of places", "[golden]") { check_refusals(place_refusals()); }
TEST_CASE("refusals of padding", "[golden]") { check_refusals(padding_refusals()); }
TEST_CASE("refusals of nests made blocks", "[golden]") { check_refusals(nest_refusals()); }

}  // namespace tilewright::testing
