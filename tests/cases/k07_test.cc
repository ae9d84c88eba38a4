#include "case_support.h"
#include "tilewright/ir/interpreter.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kRows = 65537, kColumns = 32771;

// Pages cost memory only once they are touched: one row of 2.1 GB.
NDArray big_array() {
  const NDArray a = NDArray::zeros({kRows, kColumns}, kUInt8);
  for (int64_t j = 0; j < kColumns; ++j) {
    a.data_as<uint8_t>()[(kRows - 1) * kColumns + j] = static_cast<uint8_t>(j % 251);
  }
  return a;
}

void apply(Schedule& sch, const std::string& how) {
  for (const std::string& name : sch.block_names()) {
    const Loop j = sch.get_loops(sch.get_block(name))[0];
    if (how == "serial") continue;
    const std::vector<Loop> parts = sch.split_factor(j, 64);
    if (how == "vectorized") {
      sch.vectorize(parts[1]);
    } else {
      sch.parallel(parts[0]);
    }
  }
}

}  // namespace

TEST_CASE("K07_more_than_two_to_the_31_elements", "[cases]") {
  const NDArray a = big_array();
  const NDArray expected = filled<uint8_t>({kColumns}, kUInt8, [](int64_t j) { return j % 251; });
  te::Tensor in = te::placeholder({kRows, kColumns}, kUInt8, "A");
  const te::Var i0 = te::scalar("i0", kInt32);
  te::Tensor out = te::compute(
      {kColumns}, [&](te::Var j) { return in(kRows - 1, j); }, "out");
  te::Tensor out2 = te::compute(
      {kColumns}, [&](te::Var j) { return in(i0, j); }, "out2");
  const ir::PrimFunc func = te::create_prim_func({in, i0, out, out2});

  const auto check_row = [&](const char* path, const NDArray& row) {
    INFO(path);
    CHECK(difference(row, expected) == "");
  };
  SECTION("interpreter") {
    const NDArray rows[] = {NDArray::zeros({kColumns}, kUInt8), NDArray::zeros({kColumns}, kUInt8)};
    std::vector<ir::InterpArg> args(4);
    args[0].tensor = {a.data(), a.shape()};
    args[1].int_value = kRows - 1;
    args[2].tensor = {rows[0].data(), rows[0].shape()};
    args[3].tensor = {rows[1].data(), rows[1].shape()};
    ir::interpret(func, args);
    check_row("constant row", rows[0]);
    check_row("row given at the call", rows[1]);
  }
  for (const char* how : {"serial", "vectorized", "parallel"}) {
    DYNAMIC_SECTION("compiled, " << how) {
      Schedule sch(func);
      apply(sch, how);
      const CompiledKernel kernel = build(sch);
      CallOptions call;
      call.num_threads = 3;
      const std::vector<Arg> inputs = {a, kRows - 1};
      const std::vector<NDArray> rows = kernel.function().invoke(inputs, call);
      check_row("constant row", rows[0]);
      check_row("row given at the call", rows[1]);
    }
  }
  SECTION("checked, a row outside") {
    BuildOptions options;
    options.checked = true;
    const CompiledKernel kernel = build(Program(func), Target::host(), options);
    expect_error("call.check", {}, [&] { kernel(a, kRows); });
    check_row("right call after it", kernel(a, kRows - 1)[1]);
  }
  device_paths();
}

}  // namespace tilewright::testing
