#include "tilewright/te/assume.h"

#include <catch2/catch.hpp>

#include "tilewright/ir/text.h"
#include "unit/te/programs.h"

namespace tilewright::testing {
namespace {

using te::Expr;
using te::Tensor;
using te::Var;

std::string code_of(const std::function<void()>& f, std::string* text = nullptr) {
  try {
    f();
  } catch (const Error& error) {
    if (text) *text = error.what();
    return error.code();
  }
  return "";
}

struct Gather {
  Var n = te::var("n"), rows = te::var("rows");
  Tensor table = te::placeholder({rows}, kFloat32, "T"), at = te::placeholder({n}, kInt32, "I");
  ir::PrimFunc func(Expr begin, Expr end) const {
    Tensor out = te::compute(
        {n}, [&](Var i) { return table(te::assume(at(i), begin, end)); }, "O");
    return te::create_prim_func({table, at, out}, "gather");
  }
};

}  // namespace

TEST_CASE("assumptions of sizes stand among the arguments or apart", "[te]") {
  Var n = te::var("n");
  Tensor a = te::placeholder({n}, kFloat32, "A");
  Tensor b = te::compute(
      {n}, [&](Var i) { return a(i) + 1.0f; }, "B");
  const ir::PrimFunc first =
      te::create_prim_func({a, b, te::assume(ir::floor_mod(n, 8) == 0)}, "f");
  const ir::PrimFunc second =
      te::create_prim_func({a, b}, "f", {te::assume(ir::floor_mod(n, 8) == 0)});
  CHECK(ir::structural_equal(first, second));
  CHECK(first->assumptions.size() == 1);
  // They are part of what results are kept by.
  CHECK(te::canonical_hash({b}) != te::canonical_hash({b}, {ir::floor_mod(n, 8) == 0}));
  CHECK(te::canonical_hash({b}, {ir::floor_mod(n, 4) == 0}) !=
        te::canonical_hash({b}, {ir::floor_mod(n, 8) == 0}));
  std::vector<HostTensor> tensors = make_arguments(first, {{"n", 5}});
  CHECK(code_of([&] { interpret_on(first, tensors); }) == "interp.assumption");
  CHECK(code_of([&] { te::assume(a(0) > 1.0f); }) == "te.bad_assumption");
  CHECK(code_of([&] { te::assume(n + 1); }) == "te.bad_assumption");
  CHECK(code_of([&] { te::assume(n < n); }) == "te.bad_assumption");
}

TEST_CASE("an assumed range of data is tested by the interpreter", "[te]") {
  const Gather g;
  const ir::PrimFunc func = g.func(0, g.rows);
  CHECK(ir::structural_equal(ir::parse_func(ir::to_text(func)), func));
  std::vector<HostTensor> tensors = make_arguments(func, {{"n", 3}, {"rows", 2}});
  for (size_t i = 0; i < 3; ++i) tensors[1].put(i, static_cast<double>(i % 2));
  interpret_on(func, tensors);
  for (size_t i = 0; i < 3; ++i) CHECK(tensors[2].get(i) == tensors[0].get(i % 2));
  tensors[1].put(1, 2);
  std::string text;
  CHECK(code_of([&] { interpret_on(func, tensors); }, &text) == "interp.assumption");
  CHECK(text.find("the value 2 of") != std::string::npos);
}

TEST_CASE("an assumed range must fit what it indexes", "[te]") {
  const Gather g;
  CHECK(code_of([&] { g.func(0, g.rows + 1); }) == "te.out_of_range");
  CHECK(code_of([&] { g.func(-1, g.rows); }) == "te.out_of_range");
  CHECK(code_of([&] { g.func(3, 3); }) == "te.bad_assumption");
  CHECK(code_of([&] { te::assume(te::constant(kFloat32, 1), 0, 3); }) == "ir.dtype");
  // What depends on sizes alone becomes a condition of the function.
  const ir::PrimFunc func = g.func(0, g.n);
  CHECK(ir::to_pretty(func).find("n <= rows") != std::string::npos);
  // The block reads no more than it promises.
  const ir::PrimFunc part = g.func(1, 3);
  CHECK(ir::to_text(part).find("reads T[1 +: 2]") != std::string::npos);
}

}  // namespace tilewright::testing
