// The register tile: accumulators of a 6x16 micro-kernel stay in registers.

#include <time.h>

#include <catch2/catch.hpp>
#include <regex>

#include "flat.h"
#include "tilewright/support/error.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::Expr;

namespace {

constexpr int kRows = 6, kLanes = 8, kVectors = 2, kColumns = kLanes * kVectors;

// C[6,16] = A[k,6] * B[k,16], both packed.
ir::PrimFunc micro_kernel(int64_t depth, bool one_buffer) {
  const ir::Buffer a = ir::make_buffer("A", kFloat32, {i64(depth * kRows)});
  const ir::Buffer b = ir::make_buffer("B", kFloat32, {i64(depth * kColumns)});
  const ir::Buffer c = ir::make_buffer("C", kFloat32, {i64(kRows * kColumns)});
  std::vector<ir::Buffer> tiles;
  const auto tile = [&](int r, int v) { return tiles[one_buffer ? 0 : size_t(r * kVectors + v)]; };
  const auto place = [&](int r, int v) {
    return ir::ramp(i64(one_buffer ? r * kColumns + v * kLanes : 0), i64(1), kLanes);
  };
  if (one_buffer) {
    tiles.push_back(
        ir::make_buffer("acc", kFloat32, {i64(kRows * kColumns)}, ir::Scope::kRegister));
  } else {
    for (int j = 0; j < kRows * kVectors; ++j) {
      tiles.push_back(
          ir::make_buffer(fmt::format("acc{}", j), kFloat32, {i64(kLanes)}, ir::Scope::kRegister));
    }
  }
  std::vector<ir::Stmt> init, step, write;
  const ir::Var k("k");
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      const Expr at = place(r, v);
      init.push_back(ir::store(tile(r, v), {at}, ir::make_float(kFloat32.with_lanes(kLanes), 0)));
      const Expr b_value =
          ir::load(b, {ir::ramp(k * i64(kColumns) + i64(v * kLanes), i64(1), kLanes)});
      const Expr a_value = ir::broadcast(ir::load(a, {k * i64(kRows) + i64(r)}), kLanes);
      step.push_back(ir::store(tile(r, v), {at}, ir::load(tile(r, v), {at}) + a_value * b_value));
      write.push_back(ir::store(c, {ir::ramp(i64(r * kColumns + v * kLanes), i64(1), kLanes)},
                                ir::load(tile(r, v), {at})));
    }
  }
  ir::Stmt body =
      ir::seq({ir::seq(init), ir::make_for(0, k, i64(depth), ir::seq(step)), ir::seq(write)});
  for (const ir::Buffer& buffer : tiles) body = alloc(buffer, body);
  return flat({input(a), input(b), output(c)}, body, {}, "tile");
}

// Processor time of this thread: other work on the machine does not count.
double thread_secs() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

TEST_CASE("accumulators of a 6x16 tile are registers") {
  const bool one_buffer = GENERATE(false, true);
  const Target avx2 = Target::parse("cpu -arch=x86_64 -features=+avx2,+fma");
  const std::string text = codegen::emit_text({micro_kernel(64, one_buffer)}, avx2, "asm");
  const size_t begin = text.find("tile.body:"), end = text.find(".Lfunc_end", begin);
  REQUIRE(begin != std::string::npos);
  const std::string body = text.substr(begin, end - begin);
  INFO(body);
  CHECK(body.find("(%rsp)") == std::string::npos);
  CHECK(body.find("(%rbp)") == std::string::npos);
  const std::regex fused("vfmadd[0-9]+ps");
  CHECK(std::distance(std::sregex_iterator(body.begin(), body.end(), fused),
                      std::sregex_iterator()) == kRows * kVectors);
  const std::string ir = codegen::emit_text({micro_kernel(64, one_buffer)}, avx2, "llvm");
  CHECK(ir.find("fadd contract <8 x float>") != std::string::npos);
}

TEST_CASE("the tile computes a product") {
  const bool contract = GENERATE(false, true);
  HostTensor a(kFloat32, {64 * kRows}), b(kFloat32, {64 * kColumns}),
      c(kFloat32, {kRows * kColumns});
  Rng rng(3);
  a = random_integers(kFloat32, a.shape, rng);
  b = random_integers(kFloat32, b.shape, rng);
  codegen::LlvmOptions options;
  options.contract_fma = contract;
  call(compile(micro_kernel(64, true), options), {&a, &b, &c});
  for (int r = 0; r < kRows; ++r) {
    for (int j = 0; j < kColumns; ++j) {
      double sum = 0;
      for (int k = 0; k < 64; ++k) {
        sum += a.get(size_t(k * kRows + r)) * b.get(size_t(k * kColumns + j));
      }
      REQUIRE(c.get(size_t(r * kColumns + j)) == sum);
    }
  }
}

TEST_CASE("contraction is an option") {
  const Target avx2 = Target::parse("cpu -arch=x86_64 -features=+avx2,+fma");
  codegen::LlvmOptions options;
  options.contract_fma = false;
  const std::string text = codegen::emit_text({micro_kernel(8, false)}, avx2, "asm", options);
  CHECK(text.find("vfmadd") == std::string::npos);
  CHECK(text.find("vmulps") != std::string::npos);
}

TEST_CASE("time to compile a tile", "[slow]") {
  const ir::PrimFunc func = micro_kernel(64, false);
  compile(func);
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    const double start = thread_secs();
    compile(func);
    best = std::min(best, thread_secs() - start);
  }
  INFO("tile to callable: " << best * 1e3 << " ms");
  CHECK(best < 0.04);
}
