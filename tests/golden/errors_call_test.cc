// Whole texts of the errors of calls: wrong arguments of compiled functions.

#include "golden/errors_support.h"
#include "tilewright/api/build.h"
#include "tilewright/te/te.h"

namespace tilewright::testing {
namespace {

using runtime::Arg;
using runtime::NDArray;
using te::Tensor;
using te::Var;

NDArray zeros(std::vector<int64_t> shape, DType dtype = kFloat32) {
  return NDArray::zeros(std::move(shape), dtype);
}

/// The functions that are called, compiled once.
struct Kernels {
  runtime::Function matmul, sizes, scaled, gather, fixed;

  static runtime::Function compile(const ir::PrimFunc& func, bool checked = false) {
    BuildOptions options;
    options.checked = checked;
    return build(Program(func), Target::host(), options).function();
  }

  Kernels() {
    const Tensor a = te::placeholder({4, 6}, kFloat32, "A");
    const Tensor b = te::placeholder({6, 5}, kFloat32, "B");
    const te::ReduceAxis k = te::reduce_axis(6, "k");
    const Tensor c = te::compute(
        {4, 5}, [&](Var i, Var j) { return te::sum(a(i, k) * b(k, j), {k}); }, "C");
    matmul = compile(te::create_prim_func({a, b, c}, "matmul"));

    const Var n = te::var("n");
    const Tensor x = te::placeholder({n}, kFloat32, "x"), y = te::placeholder({n}, kFloat32, "y");
    const Tensor z = te::compute(
        {n}, [&](Var i) { return x(i) + y(i); }, "z");
    sizes = compile(te::create_prim_func({x, y, z}, "sizes", {te::floor_mod(n, 4) == te::Expr(0)}));

    const Var s = te::scalar("s", kInt8);
    const Tensor v = te::placeholder({8}, kInt8, "v");
    const Tensor w = te::compute(
        {8}, [&](Var i) { return v(i) * s; }, "w");
    scaled = compile(te::create_prim_func({v, s, w}, "scaled"));

    const Tensor table = te::placeholder({10}, kFloat32, "table");
    const Tensor index = te::placeholder({4}, kInt64, "index");
    const Tensor found = te::compute(
        {4}, [&](Var i) { return table(index(i)); }, "found");
    gather = compile(te::create_prim_func({table, index, found}, "gather"), true);

    const Var m = te::var("m");
    const Tensor one = te::placeholder({1}, kFloat32, "one");
    const Tensor many = te::compute(
        {m}, [&](Var) { return one(0); }, "many");
    fixed = compile(te::create_prim_func({one, many}, "repeat"));
  }
};

void call(const runtime::Function& function, std::vector<Arg> args,
          const runtime::CallOptions& options = {}) {
  function.call(args, options);
}

int32_t no_threads(void*, int64_t, int32_t, tw_parallel_body, void*) { return TW_ERR_NO_THREADS; }

// Rows in parallel, so that threads are asked for.
runtime::Function parallel_rows() {
  const Tensor x = te::placeholder({8, 8}, kFloat32, "x");
  const Tensor y = te::compute(
      {8, 8}, [&](Var i, Var j) { return x(i, j) * 2.0f; }, "y");
  schedule::Schedule sch(te::create_prim_func({x, y}, "rows"));
  sch.parallel(sch.get_loops(sch.get_block("y"))[0]);
  return build(Program(sch)).function();
}

}  // namespace

TEST_CASE("texts of errors: calls", "[golden]") {
  const Kernels f;
  const NDArray a = zeros({4, 6}), b = zeros({6, 5}), c = zeros({4, 5});
  static float storage[64];
  const NDArray on_gpu =
      NDArray::from_view(storage, {4, 6}, {}, kFloat32, nullptr, false, 0, {TW_DL_CUDA, 0});
  const NDArray indices = zeros({4}, kInt64);
  indices.data_as<int64_t>()[2] = 12;
  check_triggers({
      {"call.arg_count",
       [&] {
         call(f.matmul, {a, c});
       }},
      {"call.kind",
       [&] {
         call(f.matmul, {int64_t{3}, b, c});
       }},
      {"call.null",
       [&] {
         call(f.matmul, {a, NDArray(), c});
       }},
      {"call.device",
       [&] {
         call(f.matmul, {on_gpu, b, c});
       }},
      {"call.dtype",
       [&] {
         call(f.matmul, {zeros({4, 6}, kFloat64), b, c});
       }},
      {"call.rank",
       [&] {
         call(f.matmul, {zeros({24}), b, c});
       }},
      {"call.shape",
       [&] {
         call(f.sizes, {zeros({8}), zeros({12}), zeros({8})});
       }},
      {"call.stride",
       [&] {
         call(f.matmul, {zeros({6, 4}).view({4, 6}, {1, 4}), b, c});
       }},
      {"call.alignment",
       [&] {
         call(f.matmul,
              {NDArray::from_view(storage, {4, 6}, {}, kFloat32, nullptr, false, 2), b, c});
       }},
      {"call.read_only",
       [&] {
         call(f.matmul, {a, b, c.as_read_only()});
       }},
      {"call.alias",
       [&] {
         call(f.matmul, {a, b, a.view({4, 5}, {5, 1})});
       }},
      {"call.assumption",
       [&] {
         call(f.sizes, {zeros({6}), zeros({6}), zeros({6})});
       }},
      {"call.range",
       [&] {
         call(f.scaled, {zeros({8}, kInt8), int64_t{300}, zeros({8}, kInt8)});
       }},
      {"call.check",
       [&] {
         call(f.gather, {zeros({10}), indices, zeros({4})});
       }},
      {"call.no_threads",
       [&] {
         runtime::CallOptions options;
         options.num_threads = 4;
         options.parallel_for = no_threads;
         call(parallel_rows(), {zeros({8, 8}), zeros({8, 8})}, options);
       }},
      {"call.undefined", [&] { call(runtime::Function(), {}); }},
      {"call.output_shape",
       [&] {
         const std::vector<Arg> inputs = {zeros({1})};
         (void)f.fixed.invoke(inputs);
       }},
  });
}

}  // namespace tilewright::testing
