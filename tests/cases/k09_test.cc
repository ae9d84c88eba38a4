#include "case_support.h"

namespace tilewright::testing {
namespace {

constexpr int64_t kSize = 8;
constexpr int64_t kValues[kSize] = {0, 3, 2, 0, 4, 0, 2, 0};

template <typename T>
NDArray rows(DType dtype) {
  return filled<T>({kSize, kSize}, dtype, [](int64_t i) {
    return static_cast<T>(0 - static_cast<T>(kValues[i / kSize]));
  });
}

NDArray expected_rows(DType dtype) {
  switch (dtype.bits) {
    case 8: return rows<uint8_t>(dtype);
    case 16: return rows<uint16_t>(dtype);
    case 32: return rows<uint32_t>(dtype);
    default: return rows<uint64_t>(dtype);
  }
}

NDArray values_array(DType dtype) {
  const NDArray result = NDArray::zeros({kSize}, dtype);
  for (int64_t i = 0; i < kSize; ++i) {
    result.data_as<uint8_t>()[i * dtype.bytes()] = static_cast<uint8_t>(kValues[i]);
  }
  return result;
}

struct Program9 {
  te::Tensor t1, t2;
  ir::PrimFunc func;
  CheckOptions options;
};

Program9 make_program(DType dtype, bool argument) {
  Program9 program;
  te::Tensor t0 = te::placeholder({kSize}, dtype, "T0");
  if (argument) {
    program.options.inputs["T0"] = values_array(dtype);
  } else {
    t0 = te::compute(
        {kSize},
        [&](te::Var i) {
          te::Expr value = ir::make_int(dtype, kValues[0]);
          for (int64_t v = 1; v < kSize; ++v) {
            value = te::select(i == v, ir::make_int(dtype, kValues[v]), value);
          }
          return value;
        },
        "T0");
  }
  program.t1 = te::compute(
      {kSize}, [&](te::Var) { return ir::make_int(dtype, 0); }, "T1");
  program.t2 = te::compute(
      {kSize, kSize}, [&](te::Var i, te::Var) { return program.t1(i) - t0(i); }, "T2");
  program.func =
      argument ? te::create_prim_func({t0, program.t2}) : te::create_prim_func({program.t2});
  program.options.expected["T2"] = expected_rows(dtype);
  return program;
}

}  // namespace

TEST_CASE("K09_unsigned_subtraction_below_zero", "[cases]") {
  for (DType dtype : {kUInt8, kUInt16, kUInt32, kUInt64}) {
    for (bool argument : {false, true}) {
      const Program9 program = make_program(dtype, argument);
      for (const char* how :
           {"plain", "inlined", "at i", "at j", "vectorized", "inlined, vectorized"}) {
        DYNAMIC_SECTION(to_string(dtype) << (argument ? ", argument, " : ", constants, ") << how) {
          const std::string name = how;
          Schedule sch(program.func);
          Stages stages(sch);
          const Stage stage = stages[program.t2];
          if (name.find("inlined") == 0) stages[program.t1].compute_inline();
          if (name == "at i") stages[program.t1].compute_at(stage.axis(0));
          if (name == "at j") stages[program.t1].compute_at(stage.axis(1));
          if (name.find("vectorized") != std::string::npos) stage.vectorize(stage.axis(1));
          check_case(sch, program.options);
        }
      }
    }
  }
  SECTION("no promise that data does not wrap") {
    const std::string text = get_source(make_program(kUInt32, true).func, "llvm");
    for (const char* promise : {"sub nuw i32", "sub nsw i32", "sub nuw nsw i32"}) {
      INFO(promise);
      CHECK(text.find(promise) == std::string::npos);
    }
    CHECK(text.find("sub i32") != std::string::npos);
  }
  device_paths();
}

}  // namespace tilewright::testing
