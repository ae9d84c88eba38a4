// The sources that a deployed library carries: they need no C++ library, and a library made with them
// runs its parallel loops without the runtime.

#include <catch2/catch.hpp>
#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>

#include "c_library.h"
#include "expect_error.h"
#include "support/testing.h"
#include "tilewright/runtime/module.h"
#include "tilewright/runtime/standalone.h"

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::testing;

namespace {

const std::string kSources = TW_SOURCE_DIR "/src/runtime/standalone/";

std::string compile_object(const std::string& source, const std::string& name) {
  const std::string object = scratch_folder() + "/" + name + ".o";
  run_command(
      "c++ -std=c++20 -O2 -fPIC -fno-exceptions -fno-rtti -fvisibility=hidden -Wall -Werror "
      "-I" TW_SOURCE_DIR "/include -I" TW_SOURCE_DIR "/src -c -o " +
      object + " " + source);
  return object;
}

// Linked by the C driver and without undefined symbols.
std::string link_library(const std::string& objects, const std::string& output) {
  return build_c_library("handmade.c", output, "-DTW_WITH_STANDALONE " + objects + " -Wl,-z,defs");
}

// With the object that our programs carry.
std::string build_standalone(const std::string& output) {
  const std::string object = scratch_folder() + "/standalone.o";
  std::ofstream(object, std::ios::binary) << standalone_object();
  return link_library(object, output);
}

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Calls `scale` as a C program without our runtime does: no hook in the call.
int32_t call_scale(const Function& scale, int64_t n, int num_threads, std::vector<float>& y,
                   std::string* text = nullptr) {
  std::vector<float> x(static_cast<size_t>(n));
  std::iota(x.begin(), x.end(), 0.0f);
  const NDArray xs = NDArray::from_view(x.data(), {n}, {}, kFloat32);
  const NDArray ys = NDArray::from_view(y.data(), {2, n}, {}, kFloat32);
  tw_arg args[4] = {};
  args[0].kind = TW_ARG_TENSOR;
  args[0].value.tensor = xs.dl_tensor();
  args[1].kind = TW_ARG_FLOAT;
  args[1].value.float_value = 2;
  args[2].kind = TW_ARG_INT;
  args[2].value.int_value = n;
  args[3].kind = TW_ARG_TENSOR;
  args[3].value.tensor = ys.dl_tensor();
  char error_text[256] = "";
  tw_call call{};
  call.struct_size = sizeof(call);
  call.abi_version = TW_ABI_VERSION;
  call.num_args = 4;
  call.num_threads = num_threads;
  call.args = args;
  call.error_text = error_text;
  call.error_text_size = sizeof(error_text);
  const int32_t status = scale.entry()(&call);
  if (text) *text = error_text;
  return status;
}

}  // namespace

TEST_CASE("a deployed library needs libc alone and hides its own copies") {
  const std::string path = build_standalone("standalone.so");
  const std::string dynamic = run_command("readelf -d " + path);
  const std::regex needed("NEEDED[^\\[]*\\[([^\\]]*)\\]");
  for (std::sregex_iterator it(dynamic.begin(), dynamic.end(), needed), end; it != end; ++it) {
    CHECK((*it)[1].str() == "libc.so.6");
  }
  const std::string symbols = run_command("readelf --dyn-syms -W " + path);
  CHECK(symbols.find("tw_scale") != std::string::npos);
  CHECK(symbols.find("tw_default_parallel_for") == std::string::npos);
  CHECK(symbols.find("tw_missing_cpu_feature") == std::string::npos);
}

TEST_CASE("a deployed library runs threads by itself and can be unloaded after that") {
#if defined(TW_TSAN)
  TW_SKIP("ThreadSanitizer cannot see into an OpenMP library");
#endif
  const std::string path = build_standalone("standalone_cycled.so");
  std::vector<float> y(2 * 50);
  for (int i = 0; i < 1000; ++i) {
    const Function scale = Module::load(path).get("scale");
    std::fill(y.begin(), y.end(), -1.0f);
    REQUIRE(call_scale(scale, 50, 2, y) == TW_OK);
    REQUIRE(y[49] == 98);
    REQUIRE(y[99] == 99);
  }
  CHECK_FALSE(is_mapped(path));
}

TEST_CASE("without a thread library more than one thread is a status, one thread works") {
  const std::string source = read_file(kSources + "parallel_for.cc");
  const std::string renamed =
      std::regex_replace(source, std::regex("lib(gomp|omp|iomp5)\\.so"), "libtw_absent_$1.so");
  REQUIRE(renamed != source);
  const std::string changed = scratch_folder() + "/parallel_absent.cc";
  std::ofstream(changed) << renamed;
  const Function scale =
      Module::load(link_library(compile_object(changed, "absent"), "absent.so")).get("scale");
  std::vector<float> y(2 * 50, -1.0f);
  std::string text;
  CHECK(call_scale(scale, 50, 4, y, &text) == TW_ERR_NO_THREADS);
  CHECK(text == "scale: 4 threads asked, but no thread library is available");
  for (float value : y) REQUIRE(value == -1.0f);
  CHECK(call_scale(scale, 50, 1, y) == TW_OK);
  CHECK(y[49] == 98);
}
