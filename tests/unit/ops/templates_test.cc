#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tilewright/api/testing.h"
#include "tilewright/ops/definition.h"
#include "tilewright/ops/templates.h"
#include "tilewright/schedule/error.h"
#include "unit/ops/random_instances.h"

// Every point that a template can draw, for every legal parameter set, builds and is right.

namespace tilewright::ops {
namespace {

std::string describe(const OpInstance& op, const std::string& where, const schedule::Trace& trace) {
  std::string text = op.op;
  for (const auto& [name, value] : op.args) text += fmt::format(" {}={}", name, value);
  text += fmt::format(" ({})", where);
  for (const schedule::Decision& d : trace.decisions) {
    if (const auto* number = std::get_if<int64_t>(&d.value.data)) {
      text += fmt::format(" {}={}", d.name, *number);
    }
  }
  return text;
}

// "" or how the point fails.
std::string failure_of(const OpInstance& op, const NamedTemplate& sketch, const Target& hints,
                       int threads, uint64_t seed) {
  schedule::Schedule sch(op.func, seed);
  const std::string where = fmt::format("{}, {} bits, {} threads, seed {}", sketch.name,
                                        hints.vector_bits, threads, seed);
  try {
    sketch.apply(sch, hints, threads);
    testing::CheckOptions options;
    options.threads = {threads};
    options.interpret_steps = seed % 4 == 0;
    testing::assert_allclose(sch, options);
  } catch (const Error& error) {
    return fmt::format("{}: {}: {}", describe(op, where, sch.trace()), error.code(), error.what());
  }
  return "";
}

// Machines as the templates see them; the code runs on this one.
Target random_hints(Rng& rng) {
  Target target = Target::host();
  const int64_t kind = rng.between(0, 3);
  if (kind == 0) target.vector_bits = 128, target.vector_registers = 16;
  if (kind == 1) target.vector_bits = 256, target.vector_registers = 16;
  if (kind == 2) target.vector_bits = 512, target.vector_registers = 32;
  return target;
}

// Draws `points` points of each template; gives how those fail that do.
std::vector<std::string> failures_of(const OpInstance& op, int points, Rng& rng) {
  std::vector<std::string> failures;
  for (const NamedTemplate& sketch : templates_for(op.op)) {
    for (int p = 0; p < points; ++p) {
      const Target hints = random_hints(rng);
      const int threads = rng.below(2) ? 1 : 3;
      std::string failure = failure_of(op, sketch, hints, threads, rng.next() % 10000);
      if (!failure.empty()) failures.push_back(std::move(failure));
    }
  }
  return failures;
}

void check_instances(const std::string& op_name, TextValues (*draw)(Rng&), int count, int points,
                     uint64_t seed) {
  Rng rng(seed);
  for (int i = 0; i < count; ++i) {
    CHECK(failures_of(instantiate(op_name, draw(rng)), points, rng) == std::vector<std::string>{});
  }
}

TEST_CASE("each point of the templates builds and is right", "[ops][templates]") {
  check_instances("matmul", testing::random_matmul, 40, 1, 1);
  check_instances("conv2d", testing::random_conv2d, 40, 1, 2);
}

TEST_CASE("each point of the templates builds and is right, many", "[ops][templates][slow]") {
  check_instances("matmul", testing::random_matmul, 200, 4, 3);
  check_instances("conv2d", testing::random_conv2d, 250, 4, 4);
}

TEST_CASE("templates at shapes that leave little choice", "[ops][templates]") {
  const std::vector<std::pair<std::string, TextValues>> shapes = {
      {"matmul", {{"m", "512"}, {"n", "1"}, {"k", "64"}}},
      {"matmul", {{"m", "1"}, {"n", "60"}, {"k", "64"}, {"trans_b", "1"}}},
      {"matmul", {{"m", "1"}, {"n", "1"}, {"k", "1"}, {"dtype", "bf16"}}},
      {"matmul", {{"m", "1"}, {"n", "1"}, {"k", "100"}, {"batch", "3"}}},
      {"matmul", {{"m", "24"}, {"n", "20"}, {"k", "16"}}},
      {"conv2d", {{"ci", "16"}, {"co", "1"}, {"h", "14"}, {"w", "14"}}},
      {"conv2d", {{"ci", "1"}, {"co", "1"}, {"h", "14"}, {"w", "14"}, {"layout", "NHWC"}}},
      {"conv2d", {{"ci", "4"}, {"co", "1"}, {"h", "1"}, {"w", "1"}, {"kernel", "1"}, {"pad", "0"}}},
      {"conv2d", {{"ci", "8"}, {"co", "8"}, {"groups", "8"}, {"h", "9"}, {"w", "1"}}},
      {"conv2d",
       {{"ci", "24"}, {"co", "24"}, {"groups", "2"}, {"h", "7"}, {"w", "7"}, {"layout", "NHWC"}}},
      {"conv2d", {{"ci", "2"}, {"co", "3"}, {"h", "4"}, {"w", "40"}, {"kernel", "1x20"}}},
  };
  Rng rng(5);
  for (const auto& [op, values] : shapes) {
    CHECK(failures_of(instantiate(op, values), 3, rng) == std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace tilewright::ops
