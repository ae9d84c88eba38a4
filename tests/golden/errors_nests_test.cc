// Whole texts of refusals of programs given as text: nests made blocks, padded blocks and reductions of forms that te
// does not make.

#include "golden/errors_schedule.h"
#include "golden/errors_texts.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

Step blockize(Schedule& s, const char* block, size_t at) {
  return on_loop(s, block, at, [](Schedule& t, Loop loop) { t.blockize(loop); });
}

// Y = X + 1 over rows of 8, in vectors or one by one.
Step tensorize(Schedule& s, const char* block, size_t at, bool vectors = false) {
  const te::Tensor x = te::placeholder({8}, kFloat32, "X");
  const te::Tensor y = te::compute(
      {8}, [&](te::Var i) { return x(i) + 1.0f; }, "Y");
  const ir::PrimFunc increment = te::create_prim_func({x, y}, "increment");
  Schedule implementation(increment);
  if (vectors) implementation.vectorize(loops_of(implementation, "Y")[0]);
  s.declare_instruction({"increment", increment, implementation.func()});
  return on_loop(s, block, at, [](Schedule& t, Loop loop) { t.tensorize(loop, "increment"); });
}

Step pad(Schedule& s, const char* block, std::vector<schedule::Int> padding) {
  const BlockRef b = s.get_block(block);
  return [=](Schedule& t) { t.pad_einsum(b, padding); };
}

Step fill(Schedule& s, const char* block) {
  const BlockRef b = s.get_block(block);
  const Loop loop = s.get_loops(b)[0];
  return [=](Schedule& t) { t.decompose_padding(b, loop); };
}

Step rfactor(Schedule& s) {
  return on_loop(s, "C", 1, [](Schedule& t, Loop loop) { t.rfactor(loop); });
}

ir::PrimFunc conditional() { return points({{"open", "if i < j {"}, {"close", "}"}}); }
ir::PrimFunc scattered() { return points({{"value", "i % 4"}, {"domain", "0 +: 4"}}); }
ir::PrimFunc masked_points() { return points({{"where", "where vj <= vi"}}); }
ir::PrimFunc lower_triangle() {
  return points({{"columns", "i + 1"},
                 {"open", "for u: int64 #3 in 0..1 serial {"},
                 {"close", "}"},
                 {"role", "inout"}});
}
constexpr const char* kZeroBelow = "T[vi, vj] = if_then_else(vi < 3, A[vi, vj], float32(0x0p+0))";

const std::vector<Refused>& nest_refusals() {
  static const std::vector<Refused> table = {
      {"blockize.conditional", conditional, [](Schedule& s) { return blockize(s, "T", 1); }},
      {"blockize.dependent_extent", lower_triangle,
       [](Schedule& s) { return blockize(s, "T", 2); }},
      {"blockize.mixed_kinds", [] { return mixed(); },
       [](Schedule& s) { return blockize(s, "C", 2); }},
      {"blockize.scattered", scattered, [](Schedule& s) { return blockize(s, "T", 1); }},
      {"tensorize.conditional", conditional, [](Schedule& s) { return tensorize(s, "T", 1); }},
      {"tensorize.dependent_extent", lower_triangle,
       [](Schedule& s) { return tensorize(s, "T", 2); }},
      {"tensorize.mixed_kinds",
       [] {
         return mixed({{"init", ""}, {"repeats", "2"}});
       },
       [](Schedule& s) { return tensorize(s, "C", 2); }},
      {"tensorize.scattered", scattered, [](Schedule& s) { return tensorize(s, "T", 1); }},
      {"tensorize.opaque_block",
       [] {
         return points({{"block", "opaque"}});
       },
       [](Schedule& s) { return tensorize(s, "T", 1); }},
      {"tensorize.masked", masked_points, [](Schedule& s) { return tensorize(s, "T", 1); }},
      {"tensorize.nested", [] { return points(); },
       [](Schedule& s) -> Step {
         s.vectorize(loops_of(s, "T")[0]);
         return tensorize(s, "T", 1, true);
       }},
      {"pad_einsum.conditional", conditional,
       [](Schedule& s) {
         return pad(s, "T", {3, 1});
       }},
      {"pad_einsum.axis",
       [] {
         return points({{"rows", "7"}, {"domain", "1 +: 7"}, {"value", "i + 1"}});
       },
       [](Schedule& s) {
         return pad(s, "T", {4, 1});
       }},
      {"pad_einsum.body",
       [] {
         return points({{"body", "T[vi, vj] = A[vi, vj] T[vi, vj] = A[vi, vj]"}});
       },
       [](Schedule& s) {
         return pad(s, "T", {3, 1});
       }},
      {"pad_einsum.decomposed",
       [] {
         return sums({{"init", ""}});
       },
       [](Schedule& s) {
         return pad(s, "C", {3, 1});
       }},
      {"reindex.conditional", conditional,
       [](Schedule& s) { return on(s, "T", [](Schedule& t, BlockRef b) { t.reindex(b, "T"); }); }},
      {"decompose_padding.conditional",
       [] {
         return points({{"open", "if i < j {"}, {"close", "}"}, {"body", kZeroBelow}});
       },
       [](Schedule& s) { return fill(s, "T"); }},
      {"decompose_padding.masked",
       [] {
         return points({{"where", "where vj <= vi"}, {"body", kZeroBelow}});
       },
       [](Schedule& s) { return fill(s, "T"); }},
      {"decompose_padding.folded",
       [] {
         return window({{"layout", "layout(fold(4) versions(1) swizzle(0))"},
                        {"home", "at root"},
                        {"made", "if_then_else(vi < 8, A[vi], float32(0x0p+0))"}});
       },
       [](Schedule& s) { return fill(s, "B"); }},
  };
  return table;
}

const std::vector<Refused>& reduction_refusals() {
  static const std::vector<Refused> table = {
      {"rfactor.body",
       [] {
         return sums({{"body",
                       "update C[vi] by sum(float32) with A[vi, vk] "
                       "update C[vi] by sum(float32) with A[vi, vk]"}});
       },
       rfactor},
      {"rfactor.guard",
       [] {
         return sums({{"rows", "5"}, {"guard", "guard(i < 4: guard #0, i + k < 10: guard #1)"}});
       },
       rfactor},
      {"rfactor.mixed_kinds", [] { return mixed(); }, rfactor},
      {"rfactor.opaque_block",
       [] {
         return sums({{"block", "opaque"}});
       },
       rfactor},
      {"rfactor.several_writers",
       [] {
         return sums({{"after", R"(
    for i_1: int64 #3 in 0..4 serial {
      block "D" #4 compute (
          spatial vi_1: int64 in 0 +: 4 = i_1)
          writes C[vi_1 + 4]
        body {
          C[vi_1 + 4] = float32(0x1p+0)
        }
    })"}});
       },
       rfactor},
      {"rfactor.several_reductions",
       [] {
         return sums({{"more", "param D: float32[4] global at param output"}, {"beside", R"(
        block "D" #3 compute (
            spatial vi_1: int64 in 0 +: 4 = i,
            reduce vk_1: int64 in 0 +: 8 = k)
            reads D[vi_1], A[vi_1, vk_1]
            writes D[vi_1]
            reducer max(float32)
          init {
            D[vi_1] = float32(-inf)
          }
          body {
            update D[vi_1] by max(float32) with A[vi_1, vk_1]
          })"}});
       },
       rfactor},
      {"rfactor.write_index",
       [] {
         return sums({{"at", "vi * 2"}});
       },
       rfactor},
      {"loop_partition.mixed_kinds", [] { return mixed(); },
       [](Schedule& s) {
         return on_loop(s, "C", 1, [](Schedule& t, Loop loop) {
           t.loop_partition(loop, {4, std::nullopt});
         });
       }},
      {"loop_partition.init_placement",
       [] {
         return mixed(
             {{"outer", "2"}, {"inner", "16"}, {"row", "f // 4"}, {"term", "k * 4 + f % 4"}});
       },
       [](Schedule& s) {
         return on_loop(s, "C", 0, [](Schedule& t, Loop loop) {
           t.loop_partition(loop, {1, std::nullopt});
         });
       }},
      {"decompose_reduction.init_placement", [] { return mixed(); },
       [](Schedule& s) -> Step {
         const BlockRef c = s.get_block("C");
         const Loop loop = s.get_loops(c)[1];
         return [=](Schedule& t) { t.decompose_reduction(c, loop); };
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of nests given as text", "[golden]") { check_refusals(nest_refusals()); }
TEST_CASE("refusals of reductions given as text", "[golden]") {
  check_refusals(reduction_refusals());
}

}  // namespace tilewright::testing
