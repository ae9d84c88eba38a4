#include "case_support.h"
#include "tilewright/support/half.h"

namespace tilewright::testing {
namespace {

template <typename F>
NDArray bytes(int64_t n, DType dtype, F value) {
  return filled<uint8_t>({n}, dtype, value);
}

// Y, Z, W, V of the float16 input 0, 1, 2, 3, 0, ...
ir::PrimFunc compare_program(const te::Expr& n) {
  te::Tensor x = te::placeholder({n}, kFloat16, "X");
  const te::Expr zero = te::constant(kFloat16, 0), two = te::constant(kFloat16, 2);
  te::Tensor y = te::compute(
      {n}, [&](te::Var i) { return x(i) == zero; }, "Y");
  te::Tensor z = te::compute(
      {n},
      [&](te::Var i) {
        return te::select(x(i) == zero, te::constant_int(kUInt8, 0), te::constant_int(kUInt8, 1));
      },
      "Z");
  te::Tensor w = te::compute(
      {n}, [&](te::Var i) { return y(i); }, "W");
  te::Tensor v = te::compute(
      {n}, [&](te::Var i) { return y(i) && x(i) < two; }, "V");
  return te::create_prim_func({x, y, z, w, v});
}

CheckOptions compare_options(int64_t n) {
  CheckOptions options;
  options.inputs["X"] =
      filled<uint16_t>({n}, kFloat16, [](int64_t i) { return float16_bits(double(i % 4)); });
  const auto is_zero = [](int64_t i) { return i % 4 == 0; };
  options.expected["Y"] = bytes(n, kBool, is_zero);
  options.expected["Z"] = bytes(n, kUInt8, [&](int64_t i) { return !is_zero(i); });
  options.expected["W"] = bytes(n, kBool, is_zero);
  options.expected["V"] = bytes(n, kBool, is_zero);
  return options;
}

void vectorize_all(Schedule& sch, int lanes, const std::string& tail) {
  for (const std::string& name : sch.block_names()) {
    const Loop i = sch.get_loops(sch.get_block(name))[0];
    sch.vectorize(sch.split_factor(i, lanes, tail)[1]);
  }
}

// Storage is one byte that holds 0 or 1, nothing else.
std::string odd_bytes(const Schedule& sch, const CheckOptions& options) {
  for (const NDArray& out : build(sch)(options.inputs.at("X"))) {
    for (int64_t i = 0; i < out.num_elements(); ++i) {
      const int byte = out.data_as<uint8_t>()[i];
      if (byte > 1) return fmt::format("byte {} is {}", i, byte);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("K14_half_compare_into_bool_with_a_vector_tail", "[cases]") {
  CHECK(kBool.bytes() == 1);
  for (int64_t n : {12, 13, 31}) {
    for (int lanes : {1, 2, 4, 8, 16}) {
      for (const char* tail : {"guard", "peel"}) {
        if (lanes == 1 && std::string(tail) == "peel") continue;
        DYNAMIC_SECTION("n " << n << ", " << lanes << " lanes, " << tail) {
          Schedule sch(compare_program(n));
          if (lanes > 1) vectorize_all(sch, lanes, tail);
          const CheckOptions options = compare_options(n);
          check_case(sch, options);
          CHECK(odd_bytes(sch, options) == "");
        }
      }
    }
  }
  SECTION("n symbolic") {
    Schedule sch(compare_program(te::var("n")));
    vectorize_all(sch, 8, "guard");
    const CompiledKernel kernel = build(sch);
    for (int64_t n : {0, 1, 12, 13, 31}) {
      INFO("n " << n);
      CHECK_NOTHROW(assert_allclose(kernel, sch.original(), compare_options(n)));
    }
  }
  device_paths();
}

}  // namespace tilewright::testing
