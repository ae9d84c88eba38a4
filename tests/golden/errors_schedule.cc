#include "golden/errors_schedule.h"

namespace tilewright::testing {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;

void check_refusals(const std::vector<Refused>& table) {
  for (const Refused& row : table) {
    INFO(row.code);
    const std::string code = std::string("schedule.") + row.code;
    Schedule sch(row.program());
    const Step step = row.prepare(sch);
    const std::string text = refusal(sch, code, step);
    if (!text.ends_with("[" + code + "]")) continue;  // reported above
    check_error_text(code, text);
    CHECK((text.find("\ninstead: ") != std::string::npos ||
           text.find("\nlegal: ") != std::string::npos));  // what to do
    // The loop nest is as wide as it is.
    const size_t nest = text.find("\n\nfunc "), end = text.find("\n\n", nest + 2);
    CHECK(width(text.substr(0, nest)) <= 80);
    if (end != std::string::npos) CHECK(width(text.substr(end)) <= 80);
    sch.add_unit_loop(sch.get_block(sch.block_names()[0]));
    CHECK(replay_difference(sch) == "");
  }
}

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

Step on(Schedule& s, const char* block, void (*run)(Schedule&, BlockRef)) {
  const BlockRef b = s.get_block(block);
  return [=](Schedule& t) { run(t, b); };
}

Step on_loop(Schedule& s, const char* block, size_t at, void (*run)(Schedule&, Loop)) {
  const Loop loop = loops_of(s, block)[at];
  return [=](Schedule& t) { run(t, loop); };
}

ir::PrimFunc matmul() { return programs::matmul().func; }
ir::PrimFunc conv2d() { return programs::conv2d().func; }
ir::PrimFunc stencil() { return programs::stencil().func; }
ir::PrimFunc softmax() { return programs::softmax().func; }
ir::PrimFunc layernorm() { return programs::layernorm().func; }
ir::PrimFunc vector_add() { return programs::vector_add().func; }

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

ir::PrimFunc two_readers() {
  te::Tensor a = te::placeholder({8}, kFloat32, "A");
  te::Tensor b = te::compute(
      {8}, [&](te::Var i) { return a(i) * 2.0f; }, "B");
  te::Tensor c = te::compute(
      {8}, [&](te::Var i) { return b(i) + 1.0f; }, "C");
  te::Tensor d = te::compute(
      {8}, [&](te::Var i) { return b(te::Expr(7) - i) + c(i); }, "D");
  return te::create_prim_func({a, c, d});
}

ir::PrimFunc triangular() {
  return ir::parse_func(R"(func "triangular" scheduled {
  param A: float32[8, 8] global at param input
  param T: float32[8, 8] global at param inout
  body {
    for i: int64 #0 in 0..8 serial {
      for j: int64 #1 in 0..i + 1 serial {
        block "T" #2 compute (
            spatial vi: int64 in 0 +: 8 = i,
            spatial vj: int64 in 0 +: 8 = j)
            reads A[vi, vj]
            writes T[vi, vj]
          body {
            T[vi, vj] = A[vi, vj] * float32(0x1p+1)
          }
      }
    }
  }
})");
}

ir::PrimFunc recurrence() {
  return ir::parse_func(R"(func "recurrence" scheduled {
  param A: float32[16, 4] global at param input
  param C: float32[16, 4] global at param output
  alloc S: float32[17, 4] global
  body {
    for t: int64 #0 in 0..16 ordered {
      for i: int64 #1 in 0..4 serial {
        block "S" #2 compute (
            ordered vt: int64 in 0 +: 16 = t,
            spatial vi: int64 in 0 +: 4 = i)
            reads S[vt, vi], A[vt, vi]
            writes S[vt + 1, vi]
          body {
            S[vt + 1, vi] = S[vt, vi] + A[vt, vi]
          }
      }
    }
    for i_1: int64 #3 in 0..16 serial {
      for j: int64 #4 in 0..4 serial {
        block "C" #5 compute (
            spatial vi_1: int64 in 0 +: 16 = i_1,
            spatial vj: int64 in 0 +: 4 = j)
            reads S[vi_1 + 1, vj]
            writes C[vi_1, vj]
          body {
            C[vi_1, vj] = S[vi_1 + 1, vj]
          }
      }
    }
  }
})");
}

ir::PrimFunc opaque() {
  return ir::parse_func(R"(func "opaque" scheduled {
  param A: float32[8] global at param input
  param C: float32[8] global at param output
  alloc B: float32[8] global
  body {
    for i: int64 #0 in 0..8 serial {
      block "P" #1 opaque (
          spatial vi: int64 in 0 +: 8 = i)
          reads A[vi]
          writes B[vi]
        body {
          B[vi] = A[vi] * float32(0x1p+1)
        }
    }
    for i_1: int64 #2 in 0..8 serial {
      block "C" #3 compute (
          spatial vi_1: int64 in 0 +: 8 = i_1)
          reads B[vi_1]
          writes C[vi_1]
        body {
          C[vi_1] = B[vi_1] + float32(0x1p+0)
        }
    }
  }
})");
}

ir::PrimFunc halves() {
  return ir::parse_func(R"(func "halves" scheduled {
  param A: float32[8] global at param input
  param C: float32[8] global at param output
  alloc B: float32[8] global
  body {
    for i: int64 #0 in 0..4 serial {
      block "first" #1 compute (
          spatial vi: int64 in 0 +: 4 = i)
          reads A[vi]
          writes B[vi]
        body {
          B[vi] = A[vi]
        }
    }
    for i_1: int64 #2 in 0..4 serial {
      block "second" #3 compute (
          spatial vi_1: int64 in 0 +: 4 = i_1)
          reads A[vi_1 + 4]
          writes B[vi_1 + 4]
        body {
          B[vi_1 + 4] = A[vi_1 + 4] * float32(0x1p+1)
        }
    }
    for i_2: int64 #4 in 0..8 serial {
      block "C" #5 compute (
          spatial vi_2: int64 in 0 +: 8 = i_2)
          reads B[vi_2]
          writes C[vi_2]
        body {
          C[vi_2] = B[vi_2] + float32(0x1p+0)
        }
    }
  }
})");
}

ir::PrimFunc repeated() {
  return ir::parse_func(R"(func "repeated" scheduled {
  param A: float32[4, 8] global at param input
  param C: float32[4] global at param output
  body {
    for i: int64 #0 in 0..4 serial {
      for r: int64 #1 in 0..3 serial {
        for k: int64 #2 in 0..8 serial {
          block "C" #3 compute (
              spatial vi: int64 in 0 +: 4 = i,
              reduce vk: int64 in 0 +: 8 = k)
              reads C[vi], A[vi, vk]
              writes C[vi]
              reducer sum(float32)
            init {
              C[vi] = float32(0x0p+0)
            }
            body {
              update C[vi] by sum(float32) with A[vi, vk]
            }
        }
      }
    }
  }
})");
}

ir::PrimFunc unread() {
  return ir::parse_func(R"(func "unread" scheduled {
  param A: float32[8] global at param input
  param C: float32[8] global at param output
  alloc B: float32[8] global
  body {
    for i: int64 #0 in 0..8 serial {
      block "B" #1 compute (
          spatial vi: int64 in 0 +: 8 = i)
          reads A[vi]
          writes B[vi]
        body {
          B[vi] = A[vi]
        }
    }
    for i_1: int64 #2 in 0..8 serial {
      block "C" #3 compute (
          spatial vi_1: int64 in 0 +: 8 = i_1)
          reads A[vi_1]
          writes C[vi_1]
        body {
          C[vi_1] = A[vi_1]
        }
    }
  }
})");
}

namespace {

// B made by `statement` from A in a block over `where`, then C[i, j] = B[i, j] + 1.
ir::PrimFunc made_by(const std::string& name, const std::string& where,
                     const std::string& statement) {
  return ir::parse_func(fmt::format(R"(func "{}" scheduled {{
  param A: float32[4, 4] global at param input
  param C: float32[4, 4] global at param output
  alloc B: float32[8, 4] global
  body {{
    for i: int64 #0 in 0..4 serial {{
      for j: int64 #1 in 0..4 serial {{
        block "B" #2 compute (
            spatial vi: int64 in 0 +: 4 = i,
            spatial vj: int64 in 0 +: 4 = j)
            {}
            reads A[vi, vj]
            writes B[{}, vj]
          body {{
            {}
          }}
      }}
    }}
    for i_1: int64 #3 in 0..4 serial {{
      for j_1: int64 #4 in 0..4 serial {{
        block "C" #5 compute (
            spatial vi_1: int64 in 0 +: 4 = i_1,
            spatial vj_1: int64 in 0 +: 4 = j_1)
            reads B[vi_1, vj_1]
            writes C[vi_1, vj_1]
          body {{
            C[vi_1, vj_1] = B[vi_1, vj_1] + float32(0x1p+0)
          }}
      }}
    }}
  }}
}})",
                                    name, where, name == "strided" ? "vi * 2" : "vi", statement));
}

}  // namespace

ir::PrimFunc masked() { return made_by("masked", "where vj <= vi", "B[vi, vj] = A[vi, vj]"); }
ir::PrimFunc strided() { return made_by("strided", "", "B[vi * 2, vj] = A[vi, vj]"); }
ir::PrimFunc twice() {
  return made_by("twice", "",
                 "B[vi, vj] = A[vi, vj]\n            B[vi, vj] = A[vi, vj] * float32(0x1p+1)");
}

}  // namespace tilewright::testing
