#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "case_support.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kM = 4, kK = 6, kN = 5;

// A folder for the library, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-k26-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string export_matmul(const Folder& folder) {
  te::Tensor a = te::placeholder({kM, kK}, kFloat32, "A");
  te::Tensor b = te::placeholder({kK, kN}, kFloat32, "B");
  const te::ReduceAxis k = te::reduce_axis(kK, "k");
  te::Tensor c = te::compute(
      {kM, kN}, [&](te::Var i, te::Var j) { return te::sum(a(i, k) * b(k, j), k); }, "C");
  Schedule sch = default_schedule(te::create_prim_func({a, b, c}, "matmul"));
  return compile_library({Program(sch)}, folder.file("libmm.so")).library;
}

NDArray a_array(std::vector<int64_t> shape = {kM, kK}) {
  return filled<float>(std::move(shape), kFloat32, [](int64_t i) { return i % 7 - 3; });
}
NDArray b_array(std::vector<int64_t> shape = {kK, kN}) {
  return filled<float>(std::move(shape), kFloat32, [](int64_t i) { return i % 5 - 2; });
}

NDArray product() {
  const NDArray a = a_array(), b = b_array();
  return filled<float>({kM, kN}, kFloat32, [&](int64_t n) {
    float sum = 0;
    for (int64_t k = 0; k < kK; ++k) {
      sum += a.data_as<float>()[n / kN * kK + k] * b.data_as<float>()[k * kN + n % kN];
    }
    return sum;
  });
}

struct BadCall {
  const char* name;
  std::vector<Arg> args;  ///< all but the output
  std::string code;
  std::vector<std::string> parts;
};

std::vector<BadCall> bad_calls() {
  const NDArray b = b_array();
  const NDArray a64 =
      filled<double>({kM, kK}, kFloat64, [](int64_t i) { return static_cast<double>(i); });
  return {
      {"A float64", {a64, b}, "call.dtype", {"A", "float32", "float64"}},
      {"A (6, 4)", {a_array({6, 4}), b}, "call.shape", {"A", "(4, 6)", "(6, 4)"}},
      {"A (24,)", {a_array({24}), b}, "call.rank", {"A", "2", "1"}},
      {"B (5, 6)", {a_array(), b_array({5, 6})}, "call.shape", {"B", "(6, 5)", "(5, 6)"}},
      {"B missing", {a_array()}, "call.arg_count", {"3", "2"}},
      {"B null", {a_array(), NDArray()}, "call.null", {"B"}},
      {"B a number", {a_array(), int64_t{7}}, "call.kind", {"B", "tensor", "scalar"}},
      {"an extra argument", {a_array(), b, b}, "call.arg_count", {"3", "4"}},
  };
}

std::string run_program(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[512];
  while (const size_t count = fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, count);
  const int status = pclose(pipe);
  return status == 0 ? text : fmt::format("{}\nexit status {}", text, status);
}

}  // namespace

TEST_CASE("K26_wrong_arguments_at_call_time", "[cases]") {
  const Folder folder;
  const std::string path = export_matmul(folder);
  const NDArray right = product();

  SECTION("from C++") {
    const Function matmul = Module::load(path).get("matmul");
    const auto right_call = [&] {
      const std::vector<Arg> inputs = {a_array(), b_array()};
      CHECK(difference(matmul.invoke(inputs).at(0), right) == "");
    };
    right_call();
    for (const BadCall& bad : bad_calls()) {
      INFO(bad.name);
      const GuardedArray out({kM, kN}, kFloat32);
      const NDArray before = out.array().to_host();
      std::vector<Arg> args = bad.args;
      args.emplace_back(out.array());
      expect_error(bad.code, bad.parts, [&] { matmul.call(args); });
      CHECK(difference(out.array(), before) == "");
      CHECK(out.canaries_intact());
      right_call();
    }
    {
      INFO("output of a wrong shape");
      const GuardedArray out({kN, kM}, kFloat32);
      const NDArray before = out.array().to_host();
      const std::vector<Arg> args = {a_array(), b_array(), out.array()};
      expect_error("call.shape", {"C", "(4, 5)", "(5, 4)"}, [&] { matmul.call(args); });
      CHECK(difference(out.array(), before) == "");
      right_call();
    }
    {
      INFO("read-only output");
      const NDArray out = NDArray::zeros({kM, kN}, kFloat32).as_read_only();
      const std::vector<Arg> args = {a_array(), b_array(), out};
      expect_error("call.read_only", {"C"}, [&] { matmul.call(args); });
      right_call();
    }
    {
      INFO("read-only inputs are fine");
      const std::vector<Arg> inputs = {a_array().as_read_only(), b_array().as_read_only()};
      CHECK(difference(matmul.invoke(inputs).at(0), right) == "");
    }
  }
  SECTION("from C") {
    if (std::system("cc --version > /dev/null 2>&1") != 0) TW_SKIP("there is no C compiler");
    const std::string program = folder.file("calls");
    const std::string built = run_program(
        fmt::format("cc -std=c99 -Wall -Wextra -Werror -I{0} '{1}/k26_calls.c' -o {2} -L{0} -lmm "
                    "-Wl,-rpath,{0}",
                    folder.file("."), TW_TEST_DATA_DIR, program));
    CHECK(built == "");
    CHECK(run_program(program) ==
          "right: status 0, 0 wrong\n"
          "A float64: status 6: matmul: argument A: expected dtype float32, got float64\n"
          "A (6, 4): status 8: matmul: argument A: expected shape (4, 6), got (6, 4)\n"
          "A (24,): status 7: matmul: argument A: expected rank 2, got 1\n"
          "B (5, 6): status 8: matmul: argument B: expected shape (6, 5), got (5, 6)\n"
          "B missing: status 4: matmul: argument B: is missing (null)\n"
          "two arguments: status 2: matmul: expected 3 arguments, got 2\n"
          "four arguments: status 2: matmul: expected 3 arguments, got 4\n"
          "A read-only: status 0\n"
          "C read-only: status 11: matmul: argument C: is written, but the array is read-only\n"
          "C (5, 4): status 8: matmul: argument C: expected shape (4, 5), got (5, 4)\n"
          "C of a short call: status 1\n"
          "no error text: status 8\n"
          "no array of arguments: status 4: matmul: the array of arguments is null\n"
          "A without shape: status 4: matmul: argument A: shape pointer is null\n"
          "no call: status 1\n");
  }
}

}  // namespace tilewright::testing
