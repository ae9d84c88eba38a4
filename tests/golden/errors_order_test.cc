// Whole texts of refusals that need several nests in an order that te does not give, and of what ends every primitive:
// loops that run at once, tail policies and buffers that roll.

#include "golden/errors_schedule.h"
#include "golden/errors_texts.h"
#include "tilewright/ir/builder.h"

namespace tilewright::testing {
namespace {

using schedule::BlockRef;
using schedule::Loop;
using schedule::Schedule;
using te::Expr;
using te::Tensor;
using te::Var;

using Move = void (*)(Schedule&, BlockRef, Loop);

Step move(Schedule& s, const char* block, const char* loops, size_t at, Move run) {
  const BlockRef b = s.get_block(block);
  const Loop loop = loops_of(s, loops)[at];
  return [=](Schedule& t) { run(t, b, loop); };
}

Step compute_at(Schedule& s, const char* block, const char* loops, size_t at) {
  return move(s, block, loops, at,
              [](Schedule& t, BlockRef b, Loop loop) { t.compute_at(b, loop); });
}

Step reverse_compute_at(Schedule& s, const char* block, const char* loops, size_t at) {
  return move(s, block, loops, at,
              [](Schedule& t, BlockRef b, Loop loop) { t.reverse_compute_at(b, loop); });
}

// Block `name` #`id`: `to`[v] = `value`, over v in 0..8 at `at`.
std::string element(const std::string& name, int id, const std::string& at, const std::string& to,
                    const std::string& from, const std::string& guard = "") {
  return fmt::format(R"(
      block "{0}" #{1} compute (
          spatial v{1}: int64 in 0 +: 8 = {2})
          {5}
          reads {4}[v{1}]
          writes {3}[v{1}]
        body {{
          {3}[v{1}] = {4}[v{1}] * float32(0x1p+1)
        }})",
                     name, id, at, to, from, guard);
}

std::string loop(const std::string& var, int id, const std::string& body, int extent = 8) {
  return fmt::format("\n    for {}: int64 #{} in 0..{} serial {{{}\n    }}", var, id, extent, body);
}

// C and D are results, B and X intermediate.
ir::PrimFunc lines(const std::string& body) {
  return ir::parse_func(R"(func "lines" scheduled {
  param n: int64 shape
  param S: float32[n] global at param input
  param A: float32[8] global at param input
  param C: float32[8] global at param output
  param D: float32[8] global at param output
  alloc B: float32[8] global
  alloc X: float32[8] global
  body {)" + body + "\n  }\n}");
}

// B = 2 X is to move to C, before which X is made once more only later.
ir::PrimFunc overwritten() {
  return lines(loop("h", 1, element("X", 2, "h", "X", "A")) +
               loop("i", 3, element("B", 4, "i", "B", "X")) +
               loop("j", 5,
                    element("C", 6, "j", "C", "B") + element("X2", 7, "j", "X", "A") +
                        element("D", 8, "j", "D", "X")));
}

// B from the front, X from the back; C reads both.
ir::PrimFunc opposite() {
  return lines(loop("i", 1, element("B", 2, "i", "B", "A") + element("X", 3, "7 - i", "X", "A")) +
               loop("j", 4, R"(
      block "C" #5 compute (
          spatial vc: int64 in 0 +: 8 = j)
          reads B[vc], X[vc]
          writes C[vc]
        body {
          C[vc] = B[vc] + X[vc]
        })") + loop("k", 6, element("D", 7, "k", "D", "A")));
}

// A guard over both loops that is no bound of the element that is made.
ir::PrimFunc slanted() {
  return lines(
      loop(
          "i", 1,
          loop("r", 2, element("B", 3, "i * 2 + r", "B", "A", "guard(r * 3 + i < 5: guard #1)"), 2),
          4) +
      loop("j", 4, element("C", 5, "j", "C", "B")) + loop("k", 6, element("D", 7, "k", "D", "A")));
}

ir::PrimFunc conditional_nest() {
  return lines(loop("i", 1, element("C", 2, "i", "C", "A")) + "if n < 4 {" +
               loop("j", 3, element("D", 4, "j", "D", "A")) + "}");
}

// Column sums: each iteration over rows makes one term of each.
ir::PrimFunc column_sums() {
  const Tensor a = te::placeholder({6, 8}, kFloat32, "A");
  const Tensor b = te::compute(
      {6, 8}, [&](Var i, Var j) { return a(i, j) * 2.0f; }, "B");
  const te::ReduceAxis k = te::reduce_axis(6, "k");
  const Tensor c = te::compute(
      {8}, [&](Var j) { return te::sum(b(k, j), {k}); }, "C");
  return te::create_prim_func({a, c}, "column_sums");
}

const std::vector<Refused>& order_refusals() {
  static const std::vector<Refused> table = {
      {"compute_at.order", overwritten, [](Schedule& s) { return compute_at(s, "B", "C", 0); }},
      {"compute_at.own_loop", chain, [](Schedule& s) { return compute_at(s, "B", "B", 0); }},
      {"reverse_compute_at.reduction", column_sums,
       [](Schedule& s) { return reverse_compute_at(s, "C", "B", 0); }},
      {"reverse_compute_at.conflicting_ranges", opposite,
       [](Schedule& s) { return reverse_compute_at(s, "C", "B", 0); }},
      {"reverse_compute_at.guard", slanted,
       [](Schedule& s) { return reverse_compute_at(s, "C", "B", 0); }},
      {"compute_with.not_siblings", conditional_nest,
       [](Schedule& s) {
         return move(s, "D", "C", 0,
                     [](Schedule& t, BlockRef b, Loop loop) { t.compute_with(b, loop); });
       }},
  };
  return table;
}

// A vector that is read whole for each result.
ir::PrimFunc weighted() {
  const Tensor x = te::placeholder({7}, kFloat32, "X"), a = te::placeholder({7, 10}, kFloat32, "A");
  const Tensor b = te::compute(
      {7}, [&](Var k) { return x(k) * 2.0f; }, "B");
  const te::ReduceAxis k = te::reduce_axis(7, "k");
  const Tensor c = te::compute(
      {10}, [&](Var j) { return te::sum(b(k) * a(k, j), {k}); }, "C");
  return te::create_prim_func({x, a, c}, "weighted");
}

ir::PrimFunc pairs() {
  const Tensor a = te::placeholder({6, 12}, kFloat32, "A");
  const Tensor b = te::compute(
      {6, 12}, [&](Var i, Var j) { return a(i, j) * 2.0f; }, "B");
  const Tensor c = te::compute(
      {6, 10}, [&](Var i, Var j) { return b(i, j) + b(i, j + 1); }, "C");
  return te::create_prim_func({a, c}, "pairs");
}

const std::vector<Refused>& final_refusals() {
  static const std::vector<Refused> table = {
      {"compute_at.balanced_tail", weighted,
       [](Schedule& s) -> Step {
         s.split_nparts(loops_of(s, "C")[0], 6, "balanced");
         return compute_at(s, "B", "C", 0);
       }},
      {"split.shift_inwards_tail", chain,
       [](Schedule& s) -> Step {
         const Loop outer = s.split_factor(loops_of(s, "B")[1], 3, "shift_inwards")[0];
         return [=](Schedule& t) { t.split_factor(outer, 2); };
       }},
      {"compute_at.overlapping_writes", pairs,
       [](Schedule& s) -> Step {
         const BlockRef b = s.get_block("B");
         const std::vector<Loop> c = loops_of(s, "C");
         s.compute_at(b, c[0]);
         s.store_at(b, c[0]);
         s.parallel(c[1]);
         return compute_at(s, "B", "C", 1);
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("refusals of nests in the wrong order", "[golden]") { check_refusals(order_refusals()); }
TEST_CASE("refusals of what ends a primitive", "[golden]") { check_refusals(final_refusals()); }

TEST_CASE("texts of errors: programs that no primitive gives", "[golden]") {
  // U = X, T = U, U = 1, S = T + U.
  const auto overwritten = [](const std::function<void(Schedule&)>& step) {
    ir::IRBuilder b("overwritten");
    const ir::Buffer x = b.input("X", kFloat32, {4}), s = b.output("S", kFloat32, {4}),
                     u = b.temporary("U", kFloat32, {4}), t = b.temporary("T", kFloat32, {4});
    const auto each = [&](const char* name, const ir::Buffer& to,
                          const std::function<ir::Expr(const ir::Expr&)>& value) {
      b.loop("i", 4, [&](const ir::Var& i) {
        b.block(name, {{"vi", 4, i}},
                [&](const std::vector<ir::Var>& v) { b.store(to, {v[0]}, value(v[0])); });
      });
    };
    each("U", u, [&](const ir::Expr& v) { return ir::load(x, {v}); });
    each("T", t, [&](const ir::Expr& v) { return ir::load(u, {v}); });
    each("again", u, [&](const ir::Expr&) { return ir::Expr(1.0f); });
    each("S", s, [&](const ir::Expr& v) { return ir::load(t, {v}) + ir::load(u, {v}); });
    Schedule sch(b.finish());
    step(sch);
  };
  check_triggers({
      {"schedule.compute_inline.overwritten_input",
       [&] { overwritten([](Schedule& s) { s.compute_inline(s.get_block("T")); }); }},
      {"schedule.compute_at.overwritten_input",
       [&] {
         overwritten([](Schedule& s) { s.compute_at(s.get_block("T"), loops_of(s, "S")[0]); });
       }},
      {"schedule.software_pipeline.write_index",
       [] {
         ir::IRBuilder b("rows");
         const ir::Buffer x = b.input("X", kFloat32, {4}), c = b.output("C", kFloat32, {4}),
                          t = b.temporary("T", kFloat32, {2});
         b.loop("i", 4, [&](const ir::Var& i) {
           b.loop("j", 2, [&](const ir::Var& j) {
             b.block("T", {{"vi", 4, i}, {"vj", 2, j}}, [&](const std::vector<ir::Var>& v) {
               b.store(t, {v[1]}, ir::load(x, {v[0]}));
             });
           });
           b.block("C", {{"vi", 4, i}},
                   [&](const std::vector<ir::Var>& v) { b.store(c, {v[0]}, ir::load(t, {1})); });
         });
         Schedule sch(b.finish());
         const Loop i = loops_of(sch, "C")[0];
         sch.store_at(sch.get_block("T"), i);
         sch.software_pipeline(i, {0, 1});
       }},
      {"schedule.reverse_compute_inline.overwritten_input",
       [] {
         ir::IRBuilder b("turned");
         const ir::Buffer a = b.inout("A", kFloat32, {4}), t = b.temporary("T", kFloat32, {4});
         b.loop("i", 4, [&](const ir::Var& i) {
           b.block("T", {{"vi", 4, i}}, [&](const std::vector<ir::Var>& v) {
             b.store(t, {v[0]}, ir::load(a, {3 - v[0]}));
           });
         });
         b.loop("i", 4, [&](const ir::Var& i) {
           b.block("A", {{"vi", 4, i}},
                   [&](const std::vector<ir::Var>& v) { b.store(a, {v[0]}, ir::load(t, {v[0]})); });
         });
         Schedule sch(b.finish());
         sch.reverse_compute_inline(sch.get_block("A"));
       }},
      {"schedule.split.rolling",
       [] {
         // B begins anew in each iteration.
         Schedule sch(window({{"guard", "guard(i == 0 || r >= 2: rolling #0)"}}));
         sch.split_factor(loops_of(sch, "B")[1], 2);
       }},
  });
}

}  // namespace tilewright::testing
