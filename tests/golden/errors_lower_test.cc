// Whole texts of the errors of lowering.

#include "golden/errors_support.h"
#include "golden/errors_texts.h"
#include "tilewright/ir/text.h"
#include "tilewright/ir/visitor.h"
#include "tilewright/lower/lower.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/extern.h"
#include "tilewright/te/te.h"

namespace tilewright::testing {
namespace {

using schedule::Loop;
using schedule::Schedule;
using te::Tensor;
using te::Var;

void lowered(const ir::PrimFunc& func) { lower::lower(func, Target::parse("cpu")); }

ir::PrimFunc matmul(int m, int n, int k) {
  const Tensor a = te::placeholder({m, k}, kFloat32, "A");
  const Tensor b = te::placeholder({k, n}, kFloat32, "B");
  const te::ReduceAxis rk = te::reduce_axis(k, "k");
  const Tensor c = te::compute(
      {m, n}, [&](Var i, Var j) { return te::sum(a(i, rk) * b(rk, j), {rk}); }, "C");
  return te::create_prim_func({a, b, c}, "matmul");
}

ir::PrimFunc doubled(te::Expr extent) {
  const Tensor a = te::placeholder({extent}, kFloat32, "A");
  return te::create_prim_func({a, te::compute(
                                      {extent}, [&](Var i) { return a(i) * 2.0f; }, "C")},
                              "doubled");
}

std::vector<Loop> loops_of(Schedule& sch, const char* block) {
  return sch.get_loops(sch.get_block(block));
}

// The outermost loop of a function with another kind, which no primitive would give it.
ir::PrimFunc with_kind(const ir::PrimFunc& func, ir::ForKind kind) {
  const auto* loop = func->body.as<ir::ForNode>();
  return ir::with_body(func, ir::make_for(loop->id, loop->var, loop->extent, loop->body, kind));
}

// The text of the function with another tail policy, kind of loops or layout, which no primitive would give it.
ir::PrimFunc changed(const ir::PrimFunc& func, const std::string& from, const std::string& to) {
  std::string text = ir::to_text(func);
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return ir::parse_func(text);
}

// X has `layout` and is read by a compute, or by a C function.
ir::PrimFunc with_layout(const Tensor& a, const Tensor& y, const std::string& layout) {
  return changed(te::create_prim_func({a, y}, "stored"), "alloc X: float32[8] global",
                 "alloc X: float32[8] global " + layout);
}
Tensor incremented(const Tensor& a) {
  return te::compute(
      {8}, [&](Var i) { return a(i) + 1.0f; }, "X");
}
ir::PrimFunc stored(const std::string& layout) {
  const Tensor a = te::placeholder({8}, kFloat32, "A"), x = incremented(a);
  return with_layout(a,
                     te::compute(
                         {8}, [&](Var i) { return x(i) * 2.0f; }, "Y"),
                     layout);
}
ir::PrimFunc given_away(const std::string& layout) {
  const Tensor a = te::placeholder({8}, kFloat32, "A");
  return with_layout(a, te::extern_call({{{8}, kFloat32}}, {incremented(a)}, "twice", {}, "Y")[0],
                     layout);
}

// A tile of C in registers, whose loops are still to be unrolled and vectorized.
struct Tile {
  Schedule sch{matmul(8, 16, 5)};
  Loop rows, columns, out_rows, out_columns;
  Tile() {
    const schedule::BlockRef c = sch.get_block("C");
    const std::vector<Loop> loops = sch.get_loops(c);
    const auto i = sch.split_factor(loops[0], 4), j = sch.split_factor(loops[1], 8);
    sch.reorder({i[0], j[0], loops[2], i[1], j[1]});
    const schedule::BlockRef copy = sch.cache_write(c, "register");
    sch.reverse_compute_at(copy, j[0]);
    const std::vector<Loop> out = sch.get_loops(copy);
    rows = i[1];
    columns = j[1];
    out_rows = out[out.size() - 2];
    out_columns = out.back();
  }
};

const std::vector<Trigger>& triggers() {
  static const std::vector<Trigger> table = {
      {"lower.target", [] { lower::lower(doubled(8), Target::parse("cuda")); }},
      {"lower.level", [] { lowered(lower::lower(doubled(8), Target::parse("cpu"))); }},
      {"lower.unknown_pass",
       [] {
         lower::LowerOptions options;
         options.skip = {"vectorise"};
         lower::lower(doubled(8), Target::parse("cpu"), options);
       }},
      {"lower.unroll_extent",
       [] { lowered(with_kind(doubled(te::var("n")), ir::ForKind::kUnrolled)); }},
      {"lower.vectorize_extent",
       [] { lowered(with_kind(doubled(te::var("n")), ir::ForKind::kVectorized)); }},
      {"lower.unroll_size",
       [] {
         Schedule sch(matmul(64, 64, 8));
         for (Loop loop : loops_of(sch, "C")) sch.unroll(loop);
         lowered(sch.func());
       }},
      {"lower.register_index",
       [] {
         Tile t;
         t.sch.vectorize(t.columns);
         t.sch.vectorize(t.out_columns);
         lowered(t.sch.func());
       }},
      {"lower.swizzle", [] { lowered(stored("layout(swizzle(3))")); }},
      {"lower.layout", [] { lowered(stored("layout(map(i: int64 -> i ^ 3))")); }},
      {"lower.versions",
       [] {
         lower::LowerOptions options;
         options.skip = {"expand_versions"};
         lower::lower(stored("layout(versions(2) swizzle(0))"), Target::parse("cpu"), options);
       }},
      {"lower.extern_layout",
       [] { lowered(given_away("layout(map(i: int64 -> i // 4, i % 4))")); }},
      {"lower.vectorize", [] { lowered(changed(matmul(4, 8, 8), "serial", "vectorized")); }},
      {"schedule.init_placement", [] { lowered(mixed()); }},
      {"lower.register_lanes",
       [] {
         Tile t;
         const std::vector<Loop> narrow = t.sch.split_factor(t.out_columns, 4);
         t.sch.unroll(narrow[0]);
         t.sch.vectorize(narrow[1]);
         for (Loop loop : {t.rows, t.out_rows}) t.sch.unroll(loop);
         t.sch.vectorize(t.columns);
         lowered(t.sch.func());
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("texts of errors: lowering", "[golden]") { check_triggers(triggers()); }

TEST_CASE("texts of errors: tails that no primitive gives", "[golden]") {
  Schedule sch(doubled(130));
  sch.split_factor(loops_of(sch, "C")[0], 8, "guard");
  Schedule sum(matmul(4, 4, 10));
  sum.split_factor(loops_of(sum, "C")[2], 4, "guard");
  const ir::PrimFunc beside = window({{"length", "4"},
                                      {"position", "i * 4 + r"},
                                      {"home", "at root"},
                                      {"guard", "guard(i * 4 + r < 10: guard #0)"}});
  check_triggers({
      {"lower.pad", [&] { lowered(changed(sch.func(), ": guard", ": pad")); }},
      {"lower.balanced", [&] { lowered(changed(beside, ": guard", ": balanced")); }},
      {"lower.shift_inwards", [&] { lowered(changed(sum.func(), ": guard", ": shift_inwards")); }},
  });
}

}  // namespace tilewright::testing
