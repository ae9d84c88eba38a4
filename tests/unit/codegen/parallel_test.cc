// Parallel loops: shares, per-slot storage, dynamic scheduling, failures.

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include "flat.h"
#include "support/expect_error.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::Expr;

namespace {

int32_t no_threads(void*, int64_t, int32_t, tw_parallel_body, void*) { return TW_ERR_NO_THREADS; }

std::atomic<int> failing_alloc_calls{0};

void* failing_alloc(void*, int64_t, int64_t) {
  ++failing_alloc_calls;
  return nullptr;
}

// y[i] = sum of x[i, :] through a buffer of one row that each slot has of its own.
ir::PrimFunc row_sums(int64_t rows, int64_t columns, ir::Attrs annotations = {}) {
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(rows), i64(columns)});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(rows)});
  const ir::Buffer t = ir::make_buffer("t", kFloat32, {i64(columns)});
  const ir::Var i("i"), j("j"), k("k");
  const ir::Stmt body =
      alloc(t, ir::seq({ir::make_for(1, j, i64(columns),
                                     ir::store(t, {j}, ir::load(x, {i * i64(columns) + j}))),
                        ir::store(y, {i}, ir::make_float(kFloat32, 0)),
                        ir::make_for(2, k, i64(columns),
                                     ir::store(y, {i}, ir::load(y, {i}) + ir::load(t, {k})))}));
  return flat({input(x), output(y)},
              ir::make_for(0, i, i64(rows), body, ir::ForKind::kParallel, std::move(annotations)));
}

}  // namespace

TEST_CASE("results do not depend on the number of threads") {
  const int64_t rows = GENERATE(1, 7, 64);
  const bool dynamic = GENERATE(false, true);
  ir::Attrs annotations;
  if (dynamic)
    annotations = {{"parallel_schedule", std::string("dynamic")}, {"parallel_chunk", int64_t{3}}};
  const ir::PrimFunc func = row_sums(rows, 5000, annotations);
  const runtime::Function function = compile(func);
  Rng rng(2);
  HostTensor x = random_integers(kFloat32, {rows, 5000}, rng), expected(kFloat32, {rows});
  interpret_on(func, {&x, &expected});
  for (int threads = 1; threads <= 8; ++threads) {
    HostTensor y(kFloat32, {rows});
    call(function, {&x, &y}, threads);
    CHECK(first_mismatch(expected, y) == -1);
  }
}

TEST_CASE("a parallel loop inside a parallel loop runs in its slot") {
  const ir::Buffer y = ir::make_buffer("y", kInt64, {i64(60)});
  const ir::Var i("i"), j("j");
  const ir::Stmt inner =
      ir::make_for(1, j, i64(10), ir::store(y, {i * i64(10) + j}, i * j), ir::ForKind::kParallel);
  const runtime::Function function =
      compile(flat({output(y)}, ir::make_for(0, i, i64(6), inner, ir::ForKind::kParallel)));
  HostTensor result(kInt64, {60});
  call(function, {&result}, 4);
  for (int64_t k = 0; k < 60; ++k) CHECK(result.get_int(size_t(k)) == (k / 10) * (k % 10));
}

TEST_CASE("a failed assert in a parallel loop reports its values") {
  const ir::Buffer x = ir::make_buffer("x", kInt32, {i64(100)});
  const ir::Buffer y = ir::make_buffer("y", kInt32, {i64(100)});
  const ir::Var i("i");
  const Expr value = ir::load(x, {i});
  const ir::Stmt body =
      ir::seq({assert_that(value < ir::make_int(kInt32, 50), "x[{}] = {} is 50% too large: {}",
                           {i, value, value < ir::make_int(kInt32, 50)}),
               ir::store(y, {i}, value)});
  const bool parallel = GENERATE(false, true);
  const runtime::Function function =
      compile(flat({input(x), output(y)},
                   ir::make_for(0, i, i64(100), body,
                                parallel ? ir::ForKind::kParallel : ir::ForKind::kSerial)));
  HostTensor a(kInt32, {100}), b(kInt32, {100});
  for (int j = 0; j < 100; ++j) a.put_int(size_t(j), j == 77 ? 51 : 1);
  for (int threads : {1, 4}) {
    expect_error("call.check", {"f: x[77] = 51 is 50% too large: false"}, [&] {
      call(function, {&a, &b}, threads);
    });
  }
  a.put_int(77, 2);
  call(function, {&a, &b}, 4);
  CHECK(first_mismatch(a, b) == -1);
}

TEST_CASE("failures of threads and memory are statuses") {
  const runtime::Function function = compile(row_sums(64, 20000));
  HostTensor x(kFloat32, {64, 20000}), y(kFloat32, {64});
  for (float& value : std::span(reinterpret_cast<float*>(x.bytes.data()), 64 * 20000)) value = 1;
  const std::vector<runtime::Arg> args = {view(x), view(y)};
  runtime::CallOptions options;
  options.num_threads = 4;
  options.parallel_for = no_threads;
  expect_error("call.no_threads", {"f: 4 threads asked, but no thread library is available"},
               [&] { function.call(args, options); });
  CHECK(function.workspace_bytes(args, options) == 4 * 80000);
  call(function, {&x, &y}, 2);
  CHECK(y.get(63) == 20000);
}

TEST_CASE("a workspace that is too small or cannot be had is a status") {
  // By the raw call, since the runtime brings its own workspace.
  const std::string stem = fmt::format("/tmp/tw_parallel_test_{}", getpid());
  const std::vector<char> object = codegen::emit_object({row_sums(4, 20000)}, Target::host());
  std::ofstream(stem + ".o", std::ios::binary).write(object.data(), std::streamsize(object.size()));
  codegen::link_shared({stem + ".o"}, stem + ".so");
  void* library = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  std::remove((stem + ".o").c_str());
  std::remove((stem + ".so").c_str());
  REQUIRE(library);
  const auto entry = reinterpret_cast<tw_entry_fn>(dlsym(library, "tw_f"));
  REQUIRE(entry);
  HostTensor x(kFloat32, {4, 20000}), y(kFloat32, {4});
  runtime::NDArray xs = view(x), ys = view(y);
  tw_arg raw[2] = {};
  raw[0].kind = raw[1].kind = TW_ARG_TENSOR;
  raw[0].value.tensor = xs.dl_tensor();
  raw[1].value.tensor = ys.dl_tensor();
  char text[256] = "";
  tw_call call{};
  call.struct_size = sizeof call;
  call.abi_version = TW_ABI_VERSION;
  call.num_args = 2;
  call.args = raw;
  call.error_text = text;
  call.error_text_size = sizeof text;
  CHECK(entry(&call) == TW_OK);
  alignas(64) static char space[1024];
  call.workspace = space;
  call.workspace_size = sizeof space;
  CHECK(entry(&call) == TW_ERR_WORKSPACE);
  CHECK(std::string(text) == "f: needs 80000 bytes of workspace, got 1024");
  call.workspace = nullptr;
  call.alloc = failing_alloc;
  CHECK(entry(&call) == TW_ERR_OUT_OF_MEMORY);
  CHECK(std::string(text) == "f: cannot allocate 80000 bytes of workspace");
  CHECK(failing_alloc_calls == 1);
  call.abi_version = 2;
  CHECK(entry(&call) == TW_ERR_ABI);
  CHECK(std::string(text) ==
        "f: call has ABI version 2 and size 120, expected version 1 and size at least 120");
}
