// Whole texts of refusals of programs given as text: windows that roll, pipelines, and storage of opaque blocks.

#include "golden/errors_schedule.h"
#include "golden/errors_texts.h"
#include "tilewright/te/extern.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

Step roll(Schedule& s) {
  return on(s, "B", [](Schedule& t, BlockRef b) { t.rolling_buffer(b); });
}

Step pipeline(Schedule& s, std::vector<int64_t> stages) {
  const Loop loop = loops_of(s, "C")[0];
  return [=](Schedule& t) { t.software_pipeline(loop, stages); };
}

// B is read at one position in each iteration.
constexpr const char* kHere = "B[vc]";

ir::PrimFunc second_writer() {
  return window({{"between", R"(
      block "B2" #4 compute (
          spatial vb: int64 in 0 +: 10 = i)
          reads A[vb]
          writes B[vb]
        body {
          B[vb] = A[vb]
        })"}});
}
// B and E are made in the same loops.
ir::PrimFunc shared() {
  return window({{"more", "param E: float32[10, 3] global at param output"}, {"beside", R"(
        block "E" #4 compute (
            spatial ve: int64 in 0 +: 10 = i,
            spatial vr: int64 in 0 +: 3 = r)
            reads A[ve]
            writes E[ve, vr]
          body {
            E[ve, vr] = A[ve]
          })"}});
}
// B is an opaque block beside its reader.
ir::PrimFunc opaque_beside() {
  return window({{"block", "opaque"},
                 {"home", "at root"},
                 {"length", "1"},
                 {"reads", kHere},
                 {"value", kHere}});
}

// C reads what B has summed up so far, inside the loop over the terms.
ir::PrimFunc running_sum() {
  return ir::parse_func(R"(func "running_sum" scheduled {
  param A: float32[8] global at param input
  param C: float32[8] global at param output
  alloc B: float32[1] global
  body {
    for k: int64 #0 in 0..8 serial {
      block "B" #1 compute (
          spatial vi: int64 in 0 +: 1 = 0,
          reduce vk: int64 in 0 +: 8 = k)
          reads B[vi], A[vk]
          writes B[vi]
          reducer sum(float32)
        init {
          B[vi] = float32(0x0p+0)
        }
        body {
          update B[vi] by sum(float32) with A[vk]
        }
      block "C" #2 compute (
          spatial vc: int64 in 0 +: 8 = k)
          reads B[0]
          writes C[vc]
        body {
          C[vc] = B[0]
        }
    }
  }
})");
}
// A C function works on X.
ir::PrimFunc doubled_elsewhere() {
  const te::Tensor a = te::placeholder({8}, kFloat32, "A");
  const te::Tensor x = te::compute(
      {8}, [&](te::Var i) { return a(i) + 1.0f; }, "X");
  const te::Tensor y = te::extern_call({{{8}, kFloat32}}, {x}, "twice", {}, "Y")[0];
  return te::create_prim_func({a, y}, "doubled_elsewhere");
}

const std::vector<Refused>& window_refusals() {
  static const std::vector<Refused> table = {
      {"rolling_buffer.not_forward",
       [] {
         return window({{"position", "9 - i + r"},
                        {"reads", "B[9 - vc +: 3]"},
                        {"value", "B[9 - vc] + B[10 - vc] + B[11 - vc]"}});
       },
       roll},
      {"rolling_buffer.guard",
       [] {
         return window({{"guard", "guard(i + r < 11: guard #0)"}});
       },
       roll},
      {"rolling_buffer.opaque_block",
       [] {
         return window({{"block", "opaque"}});
       },
       roll},
      {"rolling_buffer.several_writers", second_writer, roll},
      {"rolling_buffer.shared_loops", shared, roll},
      {"rolling_buffer.parameter", chain,
       [](Schedule& s) {
         return on(s, "C", [](Schedule& t, BlockRef c) { t.rolling_buffer(c); });
       }},
      {"double_buffer.loop_kind",
       [] {
         return window({{"kind", "parallel"}});
       },
       [](Schedule& s) { return on(s, "B", [](Schedule& t, BlockRef b) { t.double_buffer(b); }); }},
      {"software_pipeline.dependent_extent",
       [] {
         return window(
             {{"length", "i + 1"}, {"position", "r"}, {"reads", kHere}, {"value", kHere}});
       },
       [](Schedule& s) {
         return pipeline(s, {0, 1});
       }},
      {"software_pipeline.tail",
       [] {
         return window(
             {{"guard", "guard(i + r < 11: pad #0)"}, {"reads", kHere}, {"value", kHere}});
       },
       [](Schedule& s) {
         return pipeline(s, {0, 1});
       }},
      {"software_pipeline.several_writers", second_writer,
       [](Schedule& s) {
         return pipeline(s, {0, 1, 1});
       }},
      {"software_pipeline.folded",
       [] {
         return window({{"layout", "layout(fold(4) versions(1) swizzle(0))"}});
       },
       [](Schedule& s) {
         return pipeline(s, {0, 1});
       }},
      {"software_pipeline.dependence",
       [] {
         return window({{"more", "param S: float32[12] global at param inout"},
                        {"between", R"(
      block "S" #4 compute (
          spatial vs: int64 in 0 +: 10 = i)
          reads A[vs]
          writes S[vs]
        body {
          S[vs] = A[vs]
        })"},
                        {"reads", "B[vc], S[vc + 1]"},
                        {"value", "B[vc] + S[vc + 1]"}});
       },
       [](Schedule& s) {
         return pipeline(s, {0, 0, 1});
       }},
  };
  return table;
}

const std::vector<Refused>& storage_refusals() {
  static const std::vector<Refused> table = {
      {"store_at.opaque_block", opaque_beside,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop loop = loops_of(s, "C")[0];
         return [=](Schedule& t) { t.store_at(b, loop); };
       }},
      {"store_at.reduction_loop", running_sum,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const Loop loop = s.get_loops(b)[0];
         return [=](Schedule& t) { t.store_at(b, loop); };
       }},
      {"cache_read.opaque_block", opaque,
       [](Schedule& s) {
         return on(s, "P", [](Schedule& t, BlockRef b) { t.cache_read(b, "A", "register"); });
       }},
      {"cache_write.opaque_block", opaque,
       [](Schedule& s) {
         return on(s, "P", [](Schedule& t, BlockRef b) { t.cache_write(b, "register"); });
       }},
      {"pack.opaque_block", opaque,
       [](Schedule& s) {
         return on(s, "P",
                   [](Schedule& t, BlockRef b) { t.pack(b, "A", "(i) -> (i)", {}, "register"); });
       }},
      {"set_scope.opaque_block", opaque,
       [](Schedule& s) {
         return on(s, "P", [](Schedule& t, BlockRef b) { t.set_scope(b, "register"); });
       }},
      {"transform_layout.opaque_block", doubled_elsewhere,
       [](Schedule& s) {
         return on(s, "X", [](Schedule& t, BlockRef b) {
           t.transform_layout(b, "(i) -> (i // 4, i % 4)");
         });
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of windows given as text", "[golden]") { check_refusals(window_refusals()); }
TEST_CASE("refusals of storage of opaque blocks", "[golden]") {
  check_refusals(storage_refusals());
}

}  // namespace tilewright::testing
