// Whole texts of the errors of tensor expressions, of IR built by hand, and of programs read from text.

#include "golden/errors_support.h"
#include "tilewright/ir/builder.h"
#include "tilewright/ir/intrinsics.h"
#include "tilewright/ir/text.h"
#include "tilewright/te/te.h"

namespace tilewright::te {
namespace {

using testing::Trigger;

const Tensor kNoTensor;

Tensor square() { return placeholder({8, 8}, kFloat32, "A"); }
Tensor line() { return placeholder({16}, kFloat32, "A"); }
ReduceAxis axis() { return reduce_axis(8, "k"); }

ir::Reducer minus(Algebra algebra) {
  return reducer(
      "minus", [](Expr x, Expr y) { return x - y; }, constant(kFloat32, 0), algebra);
}

const std::vector<Trigger>& tensor_errors() {
  static const std::vector<Trigger> table = {
      {"te.bad_name", [] { placeholder({4}, kFloat32, "row max"); }},
      {"te.bad_dtype", [] { placeholder({4}, kFloat32.with_lanes(8), "A"); }},
      {"te.bad_shape",
       [] {
         placeholder({2, -3}, kFloat32, "A");
       }},
      {"te.shape_overflow",
       [] {
         placeholder({int64_t{1} << 32, int64_t{1} << 32}, kFloat32, "A");
       }},
      {"te.rank_mismatch",
       [] {
         const Tensor a = square();
         compute(
             {8, 4}, [&](Var i) { return a(i, i); }, "C");
       }},
      {"te.index_dtype",
       [] {
         const Tensor a = line();
         compute(
             {16}, [&](Var i) { return a(a(i)); }, "C");
       }},
      {"te.out_of_range",
       [] {
         const Tensor a = line();
         compute(
             {16}, [&](Var i) { return a(i + 1); }, "C");
       }},
      {"te.expression_too_large",
       [] {
         const Tensor a = line();
         compute(
             {16},
             [&](Var i) {
               Expr power = a(i);
               for (int step = 0; step < 20; ++step) power = power * power;
               return power;
             },
             "C");
       }},
      {"te.unbound_variable",
       [] {
         const Tensor a = line();
         Var leaked;
         compute(
             {16}, [&](Var i) { return leaked = i, a(i); }, "B");
         compute(
             {16}, [&](Var) { return a(leaked); }, "C");
       }},
      {"te.foreign_buffer",
       [] {
         const ir::Buffer raw = ir::make_buffer("raw", kFloat32, {8});
         compute(
             {8}, [&](Var i) { return ir::load(raw, {i}); }, "C");
       }},
      {"te.division_by_zero",
       [] {
         const Var n = var("n");
         compute(
             {8}, [&](Var i) { return floor_mod(i, n - n); }, "C");
       }},
      {"te.effect",
       [] {
         const Tensor a = line();
         compute(
             {16},
             [&](Var i) {
               return ir::call(ir::Intrinsic::kPrefetch, {a(i), 0, 3});
             },
             "C");
       }},
      {"te.null_tensor",
       [] {
         compute(
             {8}, [&](Var i) { return kNoTensor(i); }, "C");
       }},
      {"te.null_expr",
       [] {
         compute(
             {8}, [&](Var) { return Expr(); }, "C");
       }},
      {"te.bad_constant", [] { constant(kUInt8, 256); }},
      {"te.empty_boundary",
       [] {
         const Boundary edge = repeat_edge(placeholder({0}, kFloat32, "A"));
         compute(
             {4}, [&](Var i) { return edge(i - 1); }, "C");
       }},
  };
  return table;
}

const std::vector<Trigger>& reduction_errors() {
  static const std::vector<Trigger> table = {
      {"te.unreduced_axis",
       [] {
         const Tensor a = square();
         compute(
             {8}, [&, k = axis()](Var i) { return a(i, k); }, "C");
       }},
      {"te.mixed_outputs",
       [] {
         const Tensor a = square();
         compute(
             {8},
             [&, k = axis()](Var i) {
               return std::vector<Expr>{sum(a(i, k), {k}), a(i, i)};
             },
             "C");
       }},
      {"te.nested_reduce",
       [] {
         const Tensor a = square();
         compute(
             {8}, [&, k = axis()](Var i) { return sum(a(i, k), {k}) / 8.0f; }, "mean");
       }},
      {"te.bad_range", [] { reduce_axis(range(5, 2), "k"); }},
      {"te.no_axes", [] { sum(square()(0, 0), Axes{}); }},
      {"te.duplicate_axis",
       [] {
         const ReduceAxis k = axis();
         sum(square()(0, k), {k, k});
       }},
      {"te.not_an_axis", [] { ReduceAxis axis{var("n")}; }},
      {"te.where_dtype",
       [] {
         const ReduceAxis k = axis();
         sum(square()(0, k), {k}, k);
       }},
      {"te.empty_argmax",
       [] {
         const Tensor a = placeholder({3, 0}, kFloat32, "A");
         const ReduceAxis k = reduce_axis(0, "k");
         compute(
             {3}, [&](Var i) { return argmax(k, a(i, k), {k}); }, "best");
       }},
      {"te.bad_reducer",
       [] {
         reducer(
             "r", [](Expr x, Expr) { return cast(kFloat64, x); }, constant(kFloat32, 0));
       }},
      {"te.reducer_dtype",
       [] {
         const ReduceAxis k = axis();
         reduce(minus({}), cast(kFloat16, square()(0, k)), {k});
       }},
      {"te.not_associative",
       [] {
         const ReduceAxis k = axis();
         reduce(minus({true, false}), square()(0, k), {k});
       }},
      {"te.not_commutative",
       [] {
         const ReduceAxis k = axis();
         reduce(minus({false, true}), square()(0, k), {k});
       }},
  };
  return table;
}

struct Arguments {
  Tensor a = placeholder({8}, kFloat32, "A"), b = placeholder({8}, kFloat32, "B");
  Var s = scalar("s", kFloat32), n = var("n");
  Tensor c = compute(
      {8}, [&](Var i) { return a(i) + b(i) * s; }, "C");
};

const std::vector<Trigger>& function_errors() {
  static const std::vector<Trigger> table = {
      {"te.bad_argument",
       [] {
         const Arguments x;
         create_prim_func({x.a, x.b, x.n, x.s, x.c});
       }},
      {"te.duplicate_argument",
       [] {
         const Arguments x;
         create_prim_func({x.a, x.b, x.a, x.s, x.c});
       }},
      {"te.missing_argument",
       [] {
         const Arguments x;
         create_prim_func({x.a, x.s, x.c});
       }},
      {"te.no_output",
       [] {
         const Arguments x;
         create_prim_func({x.a, x.b});
       }},
      {"te.unbound_size",
       [] {
         const Arguments x;
         const Tensor d = compute(
             {8}, [&](Var i) { return x.a(i) * cast(kFloat32, x.n); }, "D");
         create_prim_func({x.a, d});
       }},
      {"te.bad_assumption",
       [] {
         const Arguments x;
         create_prim_func({x.a, x.b, x.s, x.c}, "f", {x.n});
       }},
  };
  return table;
}

const std::vector<Trigger>& ir_errors() {
  static const std::vector<Trigger> table = {
      {"ir.dtype",
       [] {
         const Tensor a = placeholder({8}, kFloat32, "A"), b = placeholder({8}, kFloat64, "B");
         compute(
             {8}, [&](Var i) { return a(i) + b(i); }, "C");
       }},
      {"ir.division_by_zero", [] { floor_div(var("n"), 0); }},
      {"ir.null_expr", [] { (void)(Expr() + Expr(1)); }},
      {"ir.argument", [] { ir::call(ir::Intrinsic::kExp, {}); }},
      {"ir.rank",
       [] {
         ir::load(ir::make_buffer("A", kFloat32, {4, 4}), {0, 0, 0});
       }},
      {"ir.parse", [] { ir::parse_func("func \"f\" scheduled {\n  parm A: float32[8]\n}"); }},
      {"ir.malformed",
       [] {
         ir::IRBuilder builder("f");
         const ir::Buffer a = builder.output("A", kFloat32, {8});
         builder.store(a, {Var("i")}, Expr(1.0f));
         builder.finish();
       }},
  };
  return table;
}

}  // namespace

TEST_CASE("texts of errors: tensors", "[golden]") { testing::check_triggers(tensor_errors()); }
TEST_CASE("texts of errors: reductions", "[golden]") {
  testing::check_triggers(reduction_errors());
}
TEST_CASE("texts of errors: functions", "[golden]") { testing::check_triggers(function_errors()); }
TEST_CASE("texts of errors: IR", "[golden]") { testing::check_triggers(ir_errors()); }

}  // namespace tilewright::te
