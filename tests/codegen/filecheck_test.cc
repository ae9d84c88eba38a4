// Emitted LLVM IR and assembly against the few lines of tests/codegen/*.check that matter.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/testing.h"
#include "unit/codegen/flat.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::Expr;

namespace {

constexpr int kLanes = 8;
constexpr const char* kFileCheck = "/usr/lib/llvm-19/bin/FileCheck";

void file_check(const std::string& name, const std::string& text) {
  if (!std::filesystem::exists(kFileCheck)) TW_SKIP("FileCheck is not installed");
  const std::string input = fmt::format("/tmp/tw_filecheck_{}_{}", getpid(), name);
  std::ofstream(input) << text;
  const std::string command =
      fmt::format("{} {}/{}.check --input-file={} 2>&1", kFileCheck, TW_TEST_DATA_DIR, name, input);
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  char line[512];
  while (fgets(line, sizeof line, pipe)) output += line;
  const int status = pclose(pipe);
  std::remove(input.c_str());
  INFO(output << "\n" << text);
  CHECK(status == 0);
}

Target avx2() { return Target::parse("cpu -arch=x86_64 -features=+avx2,+fma"); }

// z[i] = f(x[i], y[i]) over 64 elements, eight at a time.
template <typename F>
ir::PrimFunc elementwise(DType dtype, const F& f) {
  const ir::Buffer x = ir::make_buffer("x", dtype, {i64(64)});
  const ir::Buffer y = ir::make_buffer("y", dtype, {i64(64)});
  const ir::Buffer z = ir::make_buffer("z", dtype, {i64(64)});
  const ir::Var i("i");
  const Expr at = ramp_from(i * i64(kLanes), kLanes);
  return flat({input(x), input(y), output(z)},
              ir::make_for(0, i, i64(64 / kLanes),
                           ir::store(z, {at}, f(ir::load(x, {at}), ir::load(y, {at})))));
}

}  // namespace

TEST_CASE("arithmetic on data promises nothing about wrapping") {
  file_check(
      "wrapping",
      codegen::emit_text({elementwise(kUInt32, [](Expr x, Expr y) { return (x - y) * (x + y); })},
                         avx2(), "llvm"));
}

TEST_CASE("a product and a sum become one instruction") {
  file_check("contraction",
             codegen::emit_text({elementwise(kFloat32, [](Expr x, Expr y) { return x * y + y; })},
                                avx2(), "asm"));
}

TEST_CASE("a maximum that propagates NaN stays a vector") {
  file_check("maximum", codegen::emit_text(
                            {elementwise(kFloat32, [](Expr x, Expr y) { return ir::max(x, y); })},
                            avx2(), "asm"));
}

TEST_CASE("only the tail is masked") {
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(61)});
  const ir::Buffer z = ir::make_buffer("z", kFloat32, {i64(61)});
  const ir::Var i("i");
  const Expr at = ramp_from(i * i64(kLanes), kLanes);
  const Expr tail = ramp_from(i64(56), kLanes);
  const Expr inside = tail < ir::broadcast(i64(61), kLanes);
  const ir::Stmt body = ir::seq({ir::make_for(0, i, i64(7), ir::store(z, {at}, ir::load(x, {at}))),
                                 ir::store(z, {tail}, masked_load(x, tail, inside), inside)});
  file_check("tail", codegen::emit_text({flat({input(x), output(z)}, body)}, avx2(), "llvm"));
}

TEST_CASE("row bases are computed outside of the inner loop") {
  const ir::Var n("n"), i("i"), k("k");
  const ir::Buffer x = ir::make_buffer("x", kFloat32, {i64(16), n});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(16)});
  const ir::Stmt body = ir::make_for(
      0, i, i64(16),
      ir::make_for(1, k, n, ir::store(y, {i}, ir::load(y, {i}) + ir::load(x, {i * n + k}))));
  file_check("row_base", codegen::emit_text(
                             {flat({input(x), output(y), scalar(n, ir::ParamRole::kShape)}, body)},
                             avx2(), "llvm"));
}
