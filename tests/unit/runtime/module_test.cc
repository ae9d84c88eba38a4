#include "tilewright/runtime/module.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "c_library.h"
#include "expect_error.h"

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::testing;

namespace {

const std::string& handmade() {
  static const std::string path = build_c_library("handmade.c", "libhandmade.so");
  return path;
}

std::string elementwise(const std::string& output, const std::string& expression,
                        const std::string& features = "") {
  return build_c_library("elementwise.c", output,
                         "'-DEXPRESSION=" + expression + "' '-DFEATURES=" + features + "'");
}

NDArray iota(std::vector<int64_t> shape) {
  NDArray array = NDArray::empty(std::move(shape), kFloat32);
  std::iota(array.data_as<float>(), array.data_as<float>() + array.num_elements(), 0.0f);
  return array;
}

std::vector<float> values(const NDArray& array) {
  return {array.data_as<float>(), array.data_as<float>() + array.num_elements()};
}

}  // namespace

TEST_CASE("a library tells what it holds") {
  const Module module = Module::load(handmade());
  CHECK(module.function_names() == std::vector<std::string>{"matmul", "scale", "fails"});
  CHECK(module.info().versions.at("tilewright") == "test");
  CHECK(module.get("matmul").info().signature() ==
        "matmul(A: float32 (4, 6), B: float32 (6, 5)) -> C: float32 (4, 5)");
  CHECK(error_of([&] { module.get("matmull"); }) ==
        "module.unknown_function: the library has no function 'matmull'; did you mean 'matmul'?");
  CHECK(error_of([&] { module.get(); }) ==
        "module.unknown_function: the library has 3 functions; name one; known: matmul, scale, "
        "fails");
  CHECK(code_of([] { Module().info(); }) == "module.undefined");
}

TEST_CASE("wrong calls are errors and the next right call works") {  // K26
  const Function matmul = Module::load(handmade()).get("matmul");
  const NDArray a = iota({4, 6}), b = iota({6, 5});
  const auto right_call = [&] {
    const NDArray c = matmul({a, b}).at(0);
    REQUIRE(c.shape() == std::vector<int64_t>{4, 5});
    CHECK(c.data_as<float>()[0] == 275);
    CHECK(c.data_as<float>()[19] == 2117);
  };
  right_call();
  const auto wrong = [&](const std::string& expected, std::vector<Arg> args) {
    CHECK(error_of([&] { matmul.call(args); }) == expected);
    right_call();
  };
  const NDArray c = NDArray::zeros({4, 5}, kFloat32);
  wrong("call.dtype: matmul: argument A: expected dtype float32, got float64",
        {NDArray::zeros({4, 6}, kFloat64), b, c});
  wrong("call.shape: matmul: argument A: expected shape (4, 6), got (6, 4)", {iota({6, 4}), b, c});
  wrong("call.rank: matmul: argument A: expected rank 2, got 1", {iota({24}), b, c});
  wrong("call.shape: matmul: argument B: expected shape (6, 5), got (5, 6)", {a, iota({5, 6}), c});
  wrong("call.arg_count: matmul: expected 3 arguments, got 2", {a, c});
  wrong("call.arg_count: matmul: expected 3 arguments, got 4", {a, b, b, c});
  wrong("call.null: matmul: argument B: is missing (null)", {a, NDArray(), c});
  wrong("call.kind: matmul: argument B: expected a tensor, got a scalar", {a, int64_t{3}, c});
  wrong("call.read_only: matmul: argument C: is written, but the array is read-only",
        {a, b, c.as_read_only()});
  wrong("call.shape: matmul: argument C: expected shape (4, 5), got (5, 4)",
        {a, b, NDArray::zeros({5, 4}, kFloat32)});
  wrong("call.stride: matmul: argument A: expected compact strides (6, 1), got (1, 4)",
        {iota({6, 4}).view({4, 6}, {1, 4}), b, c});
  wrong("call.alignment: matmul: argument A: expected data aligned to 4 bytes",
        {NDArray::zeros({100}, kUInt8).view({4, 6}, {}, 2, kFloat32), b, c});
  wrong("call.device: matmul: argument A: expected device type 1, got 2",
        {NDArray::from_view(nullptr, {4, 6}, {}, kFloat32, nullptr, false, 0, {TW_DL_CUDA, 0}), b,
         c});
  for (float value : values(c)) CHECK(value == 0);

  matmul.call(std::vector<Arg>{a.as_read_only(), b.as_read_only(), c});
  CHECK(c.data_as<float>()[19] == 2117);
}

TEST_CASE("invoke: inputs in, outputs out") {
  const Function matmul = Module::load(handmade()).get("matmul");
  const NDArray a = iota({4, 6}), b = iota({6, 5});
  const auto wrong = [&](const std::string& expected, std::vector<Arg> inputs) {
    CHECK(error_of([&] { matmul.invoke(inputs); }) == expected);
  };
  wrong(
      "call.arg_count: matmul: expected 2 inputs, got 1; the function is matmul(A: float32 (4, 6), "
      "B: float32 (6, 5)) -> C: float32 (4, 5)",
      {a});
  wrong("call.rank: matmul: argument A: expected rank 2, got 1", {iota({24}), b});
  wrong("call.null: matmul: argument B: is missing (null)", {a, NDArray()});
  wrong("call.kind: matmul: argument A: expected a tensor, got a scalar", {2.5, b});

  const NDArray out = NDArray::zeros({4, 5}, kFloat32);
  matmul.invoke_into(std::vector<Arg>{a, b}, std::vector<NDArray>{out});
  CHECK(out.data_as<float>()[0] == 275);
  CHECK(code_of([&] { matmul.invoke_into(std::vector<Arg>{a, b}, {}); }) == "call.arg_count");
}

TEST_CASE("symbolic sizes, scalars, workspace and threads") {
  const Function scale = Module::load(handmade()).get("scale");
  for (int64_t n : {0, 1, 5, 1000, 3}) {
    for (int threads : {0, 1, 2, 5}) {
      const NDArray y = scale({iota({n}), 3.0}, {.num_threads = threads}).at(0);
      REQUIRE(y.shape() == std::vector<int64_t>{2, n});
      for (int64_t i = 0; i < n; ++i) {
        REQUIRE(y.data_as<float>()[i] == 3.0f * static_cast<float>(i));
        REQUIRE(y.data_as<float>()[n + i] == 3.0f * static_cast<float>(i) + 1);
      }
    }
  }
  const std::vector<Arg> args = {iota({7}), int64_t{2}, int64_t{7},
                                 NDArray::zeros({2, 7}, kFloat32)};
  CHECK(scale.workspace_bytes(args) == 28);
  scale.call(args);
  CHECK(std::get<NDArray>(args[3]).data_as<float>()[6] == 12);
  CHECK(code_of([&] { scale({iota({2, 3}), 1.0}); }) == "call.rank");
}

TEST_CASE("a status without a text still says which function failed") {
  const Function fails = Module::load(handmade()).get("fails");
  CHECK(error_of([&] { fails({int64_t{8}}, {.num_threads = 2}); }) ==
        "call.check: fails: the call failed with status 19 and gave no reason; build the function "
        "anew with this version");
  CHECK(fails({int64_t{8}}, {.num_threads = 1}).empty());
}

TEST_CASE("files that are no libraries of ours") {
  const std::string folder = scratch_folder();
  std::ofstream(folder + "/text.so") << "not a library\n";
  CHECK(code_of([&] { Module::load(folder + "/absent.so"); }) == "module.not_found");
  CHECK(code_of([&] { Module::load(folder + "/text.so"); }) == "module.not_loadable");
  CHECK(code_of([&] { Module::load(folder); }) == "module.not_loadable");
  CHECK(code_of([&] { Module::load(""); }) == "module.not_found");
  std::ofstream(folder + "/plain.c") << "int f(void) { return 1; }\n";
  run_command("cc -shared -fPIC -o " + folder + "/plain.so " + folder + "/plain.c");
  CHECK(code_of([&] { Module::load(folder + "/plain.so"); }) == "module.no_manifest");
  const auto with_manifest = [&](const std::string& manifest) {
    std::ofstream(folder + "/m.c") << "const char tw_manifest[] = " << manifest << ";\n";
    run_command("cc -shared -fPIC -o " + folder + "/m.so " + folder + "/m.c");
    const std::string code = code_of([&] { Module::load(folder + "/m.so"); });
    std::filesystem::remove(folder + "/m.so");
    return code;
  };
  CHECK(with_manifest(R"("{\"abi\":9}")") == "module.abi_version");
  CHECK(with_manifest(R"("nonsense")") == "module.bad_manifest");
  CHECK(with_manifest(R"("{\"abi\":1,\"functions\":[{\"name\":\"f\",\"params\":[]}]}")") ==
        "module.bad_symbol");
}

TEST_CASE("two libraries with the same names in one process") {  // K27
  const std::string path1 = elementwise("lib1.so", "x + 1");
  const std::string path2 = elementwise("lib2.so", "2 * x");
  const std::string copy1 = scratch_folder() + "/lib1_copy.so";
  std::filesystem::copy_file(path1, copy1, std::filesystem::copy_options::overwrite_existing);
  const bool global = GENERATE(false, true);
  const LoadOptions options{.global_symbols = global};
  Module first = Module::load(path1, options);
  const Module second = Module::load(path2, options);
  Function add = first.get(), twice = second.get("main");
  const NDArray x = iota({100});
  for (int i = 0; i < 50; ++i) {
    REQUIRE(add({x}).at(0).data_as<float>()[99] == 100);
    REQUIRE(twice({x}).at(0).data_as<float>()[99] == 198);
  }
  const Function copied = Module::load(copy1, options).get();
  CHECK(copied({x}).at(0).data_as<float>()[7] == 8);
  first = Module();
  CHECK(is_mapped(path1));
  CHECK(add({x}).at(0).data_as<float>()[10] == 11);
  CHECK(twice({x}).at(0).data_as<float>()[10] == 20);
  add = Function();
  CHECK_FALSE(is_mapped(path1));
  CHECK(copied({x}).at(0).data_as<float>()[10] == 11);
}

TEST_CASE("a file that replaced a loaded one is loaded beside it") {
  const std::string path = elementwise("replaced.so", "x + 1");
  const Function old_function = Module::load(path).get();
  const std::string next = elementwise("next.so", "x + 2");
  std::filesystem::rename(next, path);
  const Function new_function = Module::load(path).get();
  const Function again = Module::load(path).get();
  const NDArray x = iota({3});
  CHECK(old_function({x}).at(0).data_as<float>()[0] == 1);
  CHECK(new_function({x}).at(0).data_as<float>()[0] == 2);
  CHECK(again({x}).at(0).data_as<float>()[0] == 2);
}

TEST_CASE("a missing CPU feature is reported by the call, not by the load") {
  const Module module = Module::load(elementwise("future.so", "x", R"("\"avx9000\"")"));
  CHECK(module.info().features == std::vector<std::string>{"avx9000"});
  CHECK(error_of([&] { module.get()({iota({2})}); }) ==
        "call.cpu_feature: main: needs CPU feature avx9000, which this CPU lacks");
}

TEST_CASE("loading, running a parallel region and unloading, 1000 times") {
  const std::string path = build_c_library("handmade.c", "cycled.so");
  const NDArray x = iota({64});
  for (int i = 0; i < 1000; ++i) {
    const NDArray y = Module::load(path).get("scale")({x, 2.0}, {.num_threads = 2}).at(0);
    REQUIRE(y.data_as<float>()[63] == 126);
    if (i % 100 == 0) REQUIRE_FALSE(is_mapped(path));
  }
  CHECK_FALSE(is_mapped(path));
}
