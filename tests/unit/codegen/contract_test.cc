// What an entry checks before it runs, text by text, and that a right call works after each error.

#include <catch2/catch.hpp>

#include "flat.h"
#include "support/expect_error.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::Expr;
using runtime::Arg;
using runtime::NDArray;

namespace {

// C[4,5] = A[4,6] @ B[6,5]
ir::PrimFunc matmul() {
  const ir::Buffer a = ir::make_buffer("A", kFloat32, {i64(4), i64(6)});
  const ir::Buffer b = ir::make_buffer("B", kFloat32, {i64(6), i64(5)});
  const ir::Buffer c = ir::make_buffer("C", kFloat32, {i64(4), i64(5)});
  const ir::Var i("i"), j("j"), k("k");
  const Expr at = i * i64(5) + j;
  const Expr term = ir::load(a, {i * i64(6) + k}) * ir::load(b, {k * i64(5) + j});
  const ir::Stmt body =
      ir::seq({ir::store(c, {at}, ir::make_float(kFloat32, 0)),
               ir::make_for(2, k, i64(6), ir::store(c, {at}, ir::load(c, {at}) + term))});
  return flat({input(a), input(b), output(c)},
              ir::make_for(0, i, i64(4), ir::make_for(1, j, i64(5), body)), {}, "matmul");
}

NDArray filled(std::vector<int64_t> shape, DType dtype = kFloat32) {
  NDArray array = NDArray::zeros(std::move(shape), dtype);
  for (int64_t i = 0; dtype == kFloat32 && i < array.num_elements(); ++i) {
    array.data_as<float>()[i] = static_cast<float>(i % 7);
  }
  return array;
}

}  // namespace

TEST_CASE("wrong arguments of a matrix product") {
  const runtime::Function function = compile(matmul());
  const NDArray a = filled({4, 6}), b = filled({6, 5});
  const auto right_call = [&] {
    const NDArray c = filled({4, 5});
    const std::vector<Arg> args = {a.as_read_only(), b, c};
    function.call(args);
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < 6; ++k) {
          sum += a.data_as<float>()[i * 6 + k] * b.data_as<float>()[k * 5 + j];
        }
        REQUIRE(c.data_as<float>()[i * 5 + j] == sum);
      }
    }
  };
  NDArray c = filled({4, 5});
  const auto refused = [&](const std::string& code, const std::string& text,
                           std::vector<Arg> args) {
    INFO(text);
    expect_error(code, {text}, [&] { function.call(args); });
    for (int64_t i = 0; i < 20; ++i) REQUIRE(c.data_as<float>()[i] == static_cast<float>(i % 7));
    right_call();
  };
  refused("call.dtype", "matmul: argument A: expected dtype float32, got float64",
          {filled({4, 6}, kFloat64), b, c});
  refused("call.dtype", "matmul: argument A: expected dtype float32, got bool",
          {filled({4, 6}, kBool), b, c});
  refused("call.dtype", "matmul: argument A: expected dtype float32, got bfloat16",
          {filled({4, 6}, kBFloat16), b, c});
  refused("call.shape", "matmul: argument A: expected shape (4, 6), got (6, 4)",
          {filled({6, 4}), b, c});
  refused("call.rank", "matmul: argument A: expected rank 2, got 1", {filled({24}), b, c});
  refused("call.shape", "matmul: argument B: expected shape (6, 5), got (5, 6)",
          {a, filled({5, 6}), c});
  refused("call.null", "matmul: argument B: is missing (null)", {a, NDArray(), c});
  refused("call.arg_count", "matmul: expected 3 arguments, got 2", {a, c});
  refused("call.arg_count", "matmul: expected 3 arguments, got 4", {a, b, c, c});
  refused("call.kind", "matmul: argument A: expected a tensor, got a scalar", {int64_t{3}, b, c});
  refused("call.kind", "matmul: argument B: expected a tensor, got a scalar", {a, 3.0, c});
  refused("call.read_only", "matmul: argument C: is written, but the array is read-only",
          {a, b, c.as_read_only()});
  refused("call.shape", "matmul: argument C: expected shape (4, 5), got (5, 4)",
          {a, b, filled({5, 4})});
  refused("call.alias", "matmul: argument C: overlaps argument A", {a, b, a.view({4, 5}, {5, 1})});
  NDArray transposed = filled({6, 4}).view({4, 6}, {1, 4});
  refused("call.stride", "matmul: argument A: expected compact strides (6, 1), got (1, 4)",
          {transposed, b, c});
  static float storage[64];
  refused("call.alignment", "matmul: argument A: expected data aligned to 4 bytes",
          {NDArray::from_view(storage, {4, 6}, {}, kFloat32, nullptr, false, 2), b, c});
  refused("call.null", "matmul: argument A: data pointer is null",
          {NDArray::from_view(nullptr, {4, 6}, {}, kFloat32), b, c});
  refused("call.device", "matmul: argument A: expected device type 1, got 2",
          {NDArray::from_view(storage, {4, 6}, {}, kFloat32, nullptr, false, 0, {TW_DL_CUDA, 0}), b,
           c});
}

TEST_CASE("symbolic sizes are bound once and compared after") {
  const ir::Var m("m"), n("n");
  const ir::Buffer a = ir::make_buffer("A", kFloat32, {m, n});
  const ir::Buffer b = ir::make_buffer("B", kFloat32, {n, i64(2)});
  const ir::Buffer c = ir::make_buffer("C", kFloat32, {m * i64(2) + i64(1)});
  const ir::Var i("i");
  const ir::PrimFunc func =
      flat({input(a), input(b), output(c), scalar(m, ir::ParamRole::kShape),
            scalar(n, ir::ParamRole::kShape)},
           ir::make_for(0, i, m * i64(2) + i64(1), ir::store(c, {i}, ir::cast(kFloat32, m + n))),
           {ir::floor_mod(n, i64(4)) == i64(0)});
  const runtime::Function function = compile(func);
  CHECK(function.info().params.size() == 3);
  CHECK(function.info().params[2].shape[0].text() == "m * 2 + 1");
  const auto call_with = [&](int64_t rows, int64_t columns, int64_t b_rows, int64_t c_size) {
    const NDArray result = filled({c_size});
    const std::vector<Arg> args = {filled({rows, columns}), filled({b_rows, 2}), result};
    function.call(args);
    return result.data_as<float>()[c_size - 1];
  };
  CHECK(call_with(3, 8, 8, 7) == 11);
  CHECK(call_with(0, 4, 4, 1) == 4);
  expect_error("call.shape", {"f: argument B: expected shape (n=8, 2), got (5, 2)"},
               [&] { call_with(3, 8, 5, 7); });
  expect_error("call.shape", {"f: argument C: expected shape (m * 2 + 1=7,), got (8,)"},
               [&] { call_with(3, 8, 8, 8); });
  expect_error("call.assumption", {"f: assumption n % 4 == 0 does not hold (n = 6)"},
               [&] { call_with(3, 6, 6, 7); });
  CHECK(call_with(2, 4, 4, 5) == 6);
}

TEST_CASE("scalar arguments") {
  const ir::Var small("small", kInt8), x("x", kFloat32), flag("flag", kBool);
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(1)});
  const ir::PrimFunc func =
      flat({scalar(small), scalar(x), scalar(flag), output(y)},
           ir::store(y, {i64(0)}, ir::select(flag, x, ir::cast(kFloat32, small))));
  const runtime::Function function = compile(func);
  const auto call_with = [&](Arg first, Arg second, Arg third) {
    const NDArray result = filled({1});
    const std::vector<Arg> args = {std::move(first), std::move(second), std::move(third), result};
    function.call(args);
    return result.data_as<float>()[0];
  };
  CHECK(call_with(int64_t{-128}, 2.5, int64_t{0}) == -128);
  CHECK(call_with(int64_t{1}, 2.5, int64_t{1}) == 2.5);
  CHECK(call_with(int64_t{1}, int64_t{7}, int64_t{1}) == 7);
  expect_error("call.range", {"f: argument small: value 300 does not fit int8"},
               [&] { call_with(int64_t{300}, 1.0, int64_t{0}); });
  expect_error("call.kind", {"f: argument small: expected an integer"},
               [&] { call_with(1.5, 1.0, int64_t{0}); });
  expect_error("call.kind", {"f: argument x: expected a scalar, got a tensor"},
               [&] { call_with(int64_t{1}, filled({1}), int64_t{0}); });
}

TEST_CASE("an in-place argument may be its input") {
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(8)});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(8)});
  const ir::Var i("i");
  ir::Param out = output(y);
  out.alias_of = 0;
  const runtime::Function function = compile(
      flat({input(x), out},
           ir::make_for(0, i, i64(8),
                        ir::store(y, {i}, ir::load(x, {i}) + ir::make_float(kFloat32, 1)))));
  const NDArray a = filled({9});
  const NDArray low = a.view({8}, {1}), high = a.view({8}, {1}, 4);
  const std::vector<Arg> same = {low, low}, shifted = {low, high};
  function.call(same);
  CHECK(a.data_as<float>()[3] == 4);
  expect_error("call.alias", {"f: argument y: overlaps argument x"},
               [&] { function.call(shifted); });
}

TEST_CASE("strides of an argument may be sizes") {
  const ir::Var s0("s0"), s1("s1"), i("i"), j("j");
  const ir::Layout layout(new ir::LayoutNode({}, {}, {s0, s1}));
  const ir::Buffer x(
      new ir::BufferNode("x", kFloat32, {i64(4), i64(6)}, ir::Scope::kGlobal, layout));
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(4), i64(6)});
  ir::Param in = input(x);
  in.strides_any = true;
  const ir::Stmt copy = ir::store(y, {i * i64(6) + j}, ir::load(x, {i * s0 + j * s1}));
  const runtime::Function function = compile(
      flat({in, output(y), scalar(s0, ir::ParamRole::kShape), scalar(s1, ir::ParamRole::kShape)},
           ir::make_for(0, i, i64(4), ir::make_for(1, j, i64(6), copy))));
  const NDArray whole = filled({6, 4});
  const NDArray transposed = whole.view({4, 6}, {1, 4});
  for (const NDArray& array : {transposed, filled({4, 6})}) {
    const NDArray result = filled({4, 6});
    const std::vector<Arg> args = {array, result};
    function.call(args);
    for (int64_t k = 0; k < 24; ++k) {
      const int64_t at = k / 6 * array.strides()[0] + k % 6 * array.strides()[1];
      REQUIRE(result.data_as<float>()[k] == array.data_as<float>()[at]);
    }
  }
  const std::vector<Arg> overlapping = {transposed, whole.view({4, 6}, {6, 1})};
  expect_error("call.alias", {"f: argument y: overlaps argument x"},
               [&] { function.call(overlapping); });
}

TEST_CASE("what cannot be compiled says so") {
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(8)});
  const ir::Stmt body = ir::store(y, {i64(0)}, ir::make_float(kFloat32, 1));
  const ir::Var n("n");
  expect_error("codegen.unbound_size", {"'n'"}, [&] {
    compile(flat({output(y), scalar(n, ir::ParamRole::kShape)}, body));
  });
  expect_error("codegen.name", {"'a b'"}, [&] { compile(flat({output(y)}, body, {}, "a b")); });
  expect_error("codegen.name", {"tw_manifest"},
               [&] { compile(flat({output(y)}, body, {}, "manifest")); });
  expect_error("codegen.source_kind", {"'ptx'", "llvm, asm"},
               [&] { codegen::emit_text({flat({output(y)}, body)}, Target::host(), "ptx"); });
  expect_error("codegen.target", {"cuda"},
               [&] { compile(flat({output(y)}, body), {}, Target::parse("cuda -arch=sm_90")); });
}
