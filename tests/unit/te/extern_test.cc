#include "tilewright/te/extern.h"

#include <catch2/catch.hpp>

#include "tilewright/ir/text.h"
#include "unit/te/programs.h"

namespace tilewright::testing {
namespace {

using te::Expr;
using te::Tensor;
using te::Var;
using Buffers = std::vector<ir::Buffer>;

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}

ir::PrimFunc call_twice() {
  Var n = te::var("n");
  Tensor x = te::placeholder({n, 2}, kFloat32, "X");
  Tensor y = te::extern_call({{{n, 2}, kFloat32}}, {x}, "twice",
                             {n * 2, te::constant(kFloat64, 0.5)}, "y")[0];
  return te::create_prim_func({x, y}, "call_twice");
}

}  // namespace

TEST_CASE("an extern computation is one opaque block over whole tensors", "[te]") {
  Tensor x = te::placeholder({8}, kInt32, "X");
  Tensor y = te::extern_op(
      {{{8}, kInt32}}, {x},
      [](ir::IRBuilder& b, const Buffers& in, const Buffers& out) {
        b.loop("i", 8, [&](const Var& i) { b.store(out[0], {7 - i}, ir::load(in[0], {i})); });
      },
      "reversed")[0];
  const ir::PrimFunc func = te::create_prim_func({x, y}, "reverse");
  CHECK(ir::to_pretty(func).find("opaque block reversed") != std::string::npos);
  CHECK_FALSE(te::operation_count(func).has_value());
  std::vector<HostTensor> tensors = make_arguments(func, {});
  interpret_on(func, tensors);
  for (int64_t i = 0; i < 8; ++i) CHECK(tensors[1]({i}) == tensors[0]({7 - i}));
}

TEST_CASE("a body may use only what it declares", "[te]") {
  Tensor x = te::placeholder({8}, kInt32, "X"), other = te::placeholder({8}, kInt32, "Z");
  const auto run = [&](const te::ExternBody& body) {
    return code_of([&] { te::extern_op({{{8}, kInt32}}, {x}, body, "e"); });
  };
  using B = ir::IRBuilder;
  CHECK(run([](B&, const Buffers&, const Buffers&) {}) == "te.extern_body");
  CHECK(run([](B& b, const Buffers& in, const Buffers&) { b.store(in[0], {0}, 1); }) ==
        "te.extern_undeclared");
  CHECK(run([&](B& b, const Buffers&, const Buffers& out) { b.store(out[0], {0}, other(0)); }) ==
        "te.extern_undeclared");
  CHECK(run([](B& b, const Buffers&, const Buffers& out) { b.store(out[0], {Var("free")}, 1); }) ==
        "te.unbound_variable");
  CHECK(run([](B& b, const Buffers&, const Buffers& out) {
          b.block("inner", {}, [&](const std::vector<Var>&) { b.store(out[0], {0}, 1); });
        }) == "te.extern_body");
  CHECK(run([](B& b, const Buffers&, const Buffers&) { b.open_loop("i", 8); }) == "ir.builder");
  CHECK(code_of([&] { te::extern_op({}, {x}, {}, "e"); }) == "te.extern_body");
  CHECK(code_of([&] { te::extern_call({{{8}, kInt32}}, {x}, "no name"); }) == "te.bad_name");
  CHECK(code_of([&] {
          te::extern_call({{{8}, kInt32}}, {x}, "f", {te::constant(kFloat16, 1)});
        }) == "ir.argument");
}

TEST_CASE("the interpreter runs the reference of a C function", "[te]") {
  const ir::PrimFunc func = call_twice();
  CHECK(ir::verify(func).empty());
  CHECK(ir::structural_equal(ir::parse_func(ir::to_text(func)), func));
  std::vector<HostTensor> tensors = make_arguments(func, {{"n", 3}});
  CHECK(code_of([&] { interpret_on(func, tensors); }) == "interp.extern");
  ir::InterpOptions options;
  options.check_init = true;
  int64_t count = 0;
  double half = 0;
  options.externs["twice"] = [&](const std::vector<ir::ExternArg>& args) {
    REQUIRE(args.size() == 4);
    const auto* x = static_cast<const float*>(args[0].tensor.data);
    auto* y = static_cast<float*>(args[1].tensor.data);
    count = args[2].int_value;
    half = args[3].float_value;
    for (int64_t i = 0; i < args[1].tensor.shape[0]; ++i) y[i] = 2 * x[i];
  };
  interpret_on(func, tensors, {}, options);
  CHECK(count == 6);
  CHECK(half == 0.5);
  for (size_t i = 0; i < 6; ++i) CHECK(tensors[1].get(i) == 2 * tensors[0].get(i));
}

}  // namespace tilewright::testing
