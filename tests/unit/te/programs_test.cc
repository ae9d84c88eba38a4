#include "unit/te/programs.h"

#include <catch2/catch.hpp>

#include "support/golden.h"
#include "tilewright/ir/text.h"

namespace tilewright::testing {
namespace {

void check_against_reference(const Program& program) {
  for (const Sizes& sizes : program.sizes) {
    Program::Tensors tensors = make_arguments(program.func, sizes);
    Program::Tensors wanted = tensors;
    ir::InterpOptions options;
    options.check_init = true;
    interpret_on(program.func, tensors, {}, options);
    program.reference(wanted);
    for (size_t t = 0; t < tensors.size(); ++t) {
      INFO("tensor " << t);
      REQUIRE(first_difference(tensors[t], wanted[t], program.tolerance) == "");
    }
  }
}

}  // namespace

TEST_CASE("the twelve programs: values, text and well-formedness", "[te]") {
  for (const Program& program : all_programs()) {
    DYNAMIC_SECTION(program.name) {
      CHECK(ir::verify(program.func) == std::vector<std::string>{});
      check_against_reference(program);
      const std::string text = ir::to_text(program.func);
      CHECK(ir::structural_equal(ir::parse_func(text), program.func));
      CHECK(golden_difference("te/" + program.name + ".tw", text) == "");
    }
  }
}

TEST_CASE("writing a program twice gives the same function", "[te]") {
  std::vector<Program> first = all_programs(), second = all_programs();
  for (size_t p = 0; p < first.size(); ++p) {
    INFO(first[p].name);
    CHECK(ir::structural_equal(first[p].func, second[p].func));
    CHECK(ir::to_text(first[p].func) == ir::to_text(second[p].func));
    CHECK(ir::structural_hash(first[p].func) == ir::structural_hash(second[p].func));
  }
}

TEST_CASE("operation counts", "[te]") {
  CHECK(te::operation_count(programs::vector_add().func) == 1024);
  CHECK(te::operation_count(programs::matmul().func) == 2.0 * 20 * 24 * 17);
  CHECK(te::operation_count(programs::conv2d().func) == 2.0 * 4 * 10 * 9 * 3 * 9);
  CHECK(te::operation_count(programs::int8_dot().func) == 2.0 * 8 * 10 * 64);
  CHECK(te::operation_count(programs::argmax().func) == 6.0 * 20);
  CHECK_FALSE(te::operation_count(programs::layernorm().func).has_value());
}

}  // namespace tilewright::testing
