#include <catch2/catch.hpp>

#include "support/expect_error.h"
#include "support/host_tensor.h"
#include "tilewright/ir/text.h"
#include "tilewright/ops/definition.h"

namespace tilewright::ops {
namespace {

using testing::expect_error;
using testing::HostTensor;

std::vector<HostTensor> run(const OpInstance& op) {
  CHECK(ir::verify(op.func) == std::vector<std::string>{});
  std::vector<HostTensor> tensors = testing::make_arguments(op.func, {});
  testing::interpret_on(op.func, tensors);
  return tensors;
}

void check_matmul(const TextValues& values) {
  const OpInstance op = instantiate("matmul", values);
  const auto integer = [&](const char* name) { return std::stoll(op.args.at(name)); };
  const int64_t m = integer("m"), n = integer("n"), k = integer("k"), batch = integer("batch");
  const bool ta = integer("trans_a"), tb = integer("trans_b");
  const std::vector<HostTensor> t = run(op);
  CHECK(op.operation_count == 2.0 * static_cast<double>(m * n * k * batch));
  REQUIRE(t[2].size() == static_cast<size_t>(batch * m * n));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t r = 0; r < k; ++r) {
          sum += t[0].get(b * m * k + (ta ? r * m + i : i * k + r)) *
                 t[1].get(b * k * n + (tb ? j * k + r : r * n + j));
        }
        REQUIRE(t[2].get((b * m + i) * n + j) == sum);
      }
    }
  }
}

TEST_CASE("matmul", "[ops]") {
  const std::map<std::string, std::string> out_dtype = {{"f32", "float32"},
                                                        {"float64", "float64"},
                                                        {"f16", "float16"},
                                                        {"bf16", "bfloat16"},
                                                        {"int8", "int32"}};
  for (const auto& [dtype, out] : out_dtype) {
    INFO(dtype);
    const TextValues values = {{"m", "5"}, {"n", "4"}, {"k", "7"}, {"dtype", dtype}};
    check_matmul(values);
    const OpInstance op = instantiate("matmul", values);
    CHECK(op.dtypes[2] == out);
    // 16-bit floats: one rounding, after the sum in float32.
    CHECK(op.func->allocs.size() == (dtype == "f16" || dtype == "bf16" ? 1 : 0));
  }
  for (const char* a : {"0", "1"}) {
    for (const char* b : {"false", "true"}) {
      for (const char* batch : {"1", "3"}) {
        check_matmul(
            {{"m", "3"}, {"n", "5"}, {"k", "2"}, {"batch", batch}, {"trans-a", a}, {"trans_b", b}});
      }
    }
  }
  const OpInstance op = instantiate("matmul", {});
  CHECK(op.args == TextValues{{"batch", "1"},
                              {"dtype", "float32"},
                              {"k", "512"},
                              {"m", "512"},
                              {"n", "512"},
                              {"trans_a", "0"},
                              {"trans_b", "0"}});
  CHECK(op.operation_count == 2.0 * 512 * 512 * 512);
  CHECK(op.func->name == "matmul");
}

TEST_CASE("a 16-bit sum is rounded once", "[ops]") {
  // 2048 + 1 is 2048 in float16, so rounding at each step would stay at 2048.
  const OpInstance op =
      instantiate("matmul", {{"m", "1"}, {"n", "1"}, {"k", "9"}, {"dtype", "float16"}});
  std::vector<HostTensor> t = testing::make_arguments(op.func, {});
  for (size_t i = 0; i < 9; ++i) {
    t[0].put(i, i == 0 ? 2048 : 1);
    t[1].put(i, 1);
  }
  testing::interpret_on(op.func, t);
  CHECK(t[2].get(0) == 2056);
}

void check_conv2d(const TextValues& values) {
  const OpInstance op = instantiate("conv2d", values);
  const auto integer = [&](const char* name) { return std::stoll(op.args.at(name)); };
  const auto pair = [&](const char* name) {
    const std::string text = op.args.at(name);
    return std::pair<int64_t, int64_t>(std::stoll(text),
                                       std::stoll(text.substr(text.find('x') + 1)));
  };
  const int64_t batch = integer("batch"), ci = integer("ci"), co = integer("co"), h = integer("h"),
                w = integer("w"), groups = integer("groups");
  const auto [kh, kw] = pair("kernel");
  const auto [sh, sw] = pair("stride");
  const auto [ph, pw] = pair("pad");
  const auto [dh, dw] = pair("dilation");
  const bool nchw = op.args.at("layout") == "NCHW";
  const int64_t oh = (h + 2 * ph - dh * (kh - 1) - 1) / sh + 1;
  const int64_t ow = (w + 2 * pw - dw * (kw - 1) - 1) / sw + 1;
  const int64_t gi = ci / groups, go = co / groups;
  const std::vector<HostTensor> t = run(op);
  CHECK(t[2].shape ==
        (nchw ? std::vector<int64_t>{batch, co, oh, ow} : std::vector<int64_t>{batch, oh, ow, co}));
  CHECK(op.operation_count == 2.0 * static_cast<double>(batch * co * oh * ow * gi * kh * kw));
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t o = 0; o < co; ++o) {
      for (int64_t y = 0; y < oh; ++y) {
        for (int64_t x = 0; x < ow; ++x) {
          double sum = 0;
          for (int64_t c = 0; c < gi; ++c) {
            for (int64_t r = 0; r < kh; ++r) {
              for (int64_t s = 0; s < kw; ++s) {
                const int64_t iy = y * sh + r * dh - ph, ix = x * sw + s * dw - pw;
                if (iy < 0 || iy >= h || ix < 0 || ix >= w) continue;
                const int64_t ic = o / go * gi + c;
                const double in = nchw ? t[0]({n, ic, iy, ix}) : t[0]({n, iy, ix, ic});
                sum += in * (nchw ? t[1]({o, c, r, s}) : t[1]({r, s, c, o}));
              }
            }
          }
          REQUIRE((nchw ? t[2]({n, o, y, x}) : t[2]({n, y, x, o})) == sum);
        }
      }
    }
  }
}

TEST_CASE("conv2d", "[ops]") {
  const TextValues base = {{"ci", "4"}, {"co", "6"}, {"h", "7"}, {"w", "6"}};
  const std::vector<TextValues> cases = {
      {},
      {{"kernel", "1"}, {"pad", "0"}},
      {{"kernel", "3x5"}, {"pad", "1x2"}, {"batch", "2"}},
      {{"stride", "2"}},
      {{"stride", "2x1"}, {"dilation", "1x2"}, {"pad", "0x2"}},
      {{"groups", "2"}},
      {{"co", "4"}, {"groups", "4"}, {"stride", "2"}},
      {{"dtype", "int8"}},
      {{"dtype", "bf16"}, {"groups", "2"}},
      {{"kernel", "9x8"}, {"pad", "1"}},
  };
  for (const char* layout : {"NCHW", "NHWC"}) {
    for (size_t i = 0; i < cases.size(); ++i) {
      INFO(layout << " case " << i);
      TextValues values = base;
      for (const auto& [name, value] : cases[i]) values[name] = value;
      values["layout"] = layout;
      check_conv2d(values);
    }
  }
  const OpInstance op = instantiate("conv2d", {});
  CHECK(op.operation_count == 2.0 * 64 * 56 * 56 * 64 * 9);
  CHECK(op.args.at("kernel") == "3x3");
  CHECK(op.layouts == std::vector<std::string>{"NCHW", "OIHW", "NCHW"});
  CHECK(op.func->allocs.size() == 1);
  CHECK(instantiate("conv2d", {{"pad", "0"}}).func->allocs.empty());
}

TEST_CASE("bad operator parameters", "[ops][error]") {
  expect_error("ops.unknown_op", {"'matmull'", "did you mean 'matmul'"},
               [] { instantiate("matmull", {}); });
  expect_error("ops.unknown_op", {"'qq'", "conv2d, matmul"}, [] { instantiate("qq", {}); });
  expect_error("ops.unknown_parameter", {"conv2d", "'kernal'", "did you mean 'kernel'"}, [] {
    instantiate("conv2d", {{"kernal", "3"}});
  });
  expect_error("ops.unknown_parameter", {"'trans-aa'", "trans-a"}, [] {
    instantiate("matmul", {{"trans-aa", "1"}});
  });
  expect_error("ops.duplicate_parameter", {}, [] {
    instantiate("matmul", {{"trans-a", "1"}, {"trans_a", "1"}});
  });
  for (const char* bad : {"0", "-3", "", "x", "3.5", "12a", "0x10", " 4", "1e3"}) {
    expect_error("ops.bad_value", {"--m", "'" + std::string(bad) + "'", "at least 1"}, [&] {
      instantiate("matmul", {{"m", bad}});
    });
  }
  expect_error("ops.bad_value", {"--m", "9223372036854775807"}, [] {
    instantiate("matmul", {{"m", "99999999999999999999"}});
  });
  expect_error("te.shape_overflow", {"'A'"}, [] {
    instantiate("matmul", {{"m", "9223372036854775807"}, {"k", "9223372036854775807"}});
  });
  expect_error("ops.bad_value", {"--dtype", "'float23'", "did you mean 'float32'"}, [] {
    instantiate("matmul", {{"dtype", "float23"}});
  });
  expect_error("ops.bad_value", {"--dtype", "'uint8'", "int8"}, [] {
    instantiate("conv2d", {{"dtype", "uint8"}});
  });
  expect_error("ops.bad_value", {"--layout", "'NCWH'", "NCHW"}, [] {
    instantiate("conv2d", {{"layout", "NCWH"}});
  });
  for (const char* bad : {"0", "3x", "x3", "3x0", "3x3x3", "3X5", "-1x2"}) {
    expect_error("ops.bad_value", {"--kernel", "3x5"}, [&] {
      instantiate("conv2d", {{"kernel", bad}});
    });
  }
  expect_error("ops.bad_value", {"--pad", "at least 0"}, [] {
    instantiate("conv2d", {{"pad", "-1"}});
  });
  expect_error("ops.bad_value", {"--trans-a", "0 or 1"}, [] {
    instantiate("matmul", {{"trans-a", "yes"}});
  });
  expect_error("ops.bad_value", {"larger than the padded input in height", "covers 7", "has 6"},
               [] {
                 instantiate("conv2d", {{"h", "4"}, {"kernel", "7"}});
               });
  expect_error("ops.bad_value", {"in width", "dilation 3"}, [] {
    instantiate("conv2d", {{"w", "4"}, {"kernel", "3"}, {"dilation", "1x3"}});
  });
  expect_error("ops.bad_value", {"--ci 64", "--groups 3"}, [] {
    instantiate("conv2d", {{"groups", "3"}});
  });
  expect_error("ops.bad_value", {"--co 6", "--groups 4"}, [] {
    instantiate("conv2d", {{"groups", "4"}, {"co", "6"}});
  });
  expect_error("ops.bad_value", {"int64"}, [] {
    instantiate("conv2d", {{"pad", "9223372036854775807"}});
  });
  expect_error("te.shape_overflow", {"'data'"}, [] {
    instantiate("conv2d", {{"h", "4611686018427387904"}, {"w", "4611686018427387904"}});
  });
}

TEST_CASE("the table of operators is usable by the commands", "[ops]") {
  for (const OpDefinition& op : definitions()) {
    INFO(op.name);
    CHECK_FALSE(op.help.empty());
    for (const ParameterSpec& spec : op.parameters) {
      INFO(spec.name);
      CHECK_FALSE(spec.help.empty());
      CHECK(option_name(spec).substr(0, 2) == "--");
      // Giving the default changes nothing.
      CHECK(parse_values(op, {{spec.name, spec.default_value}}).canonical() ==
            parse_values(op, {}).canonical());
    }
    // Canonical values are their own canonical form.
    const TextValues canonical = parse_values(op, {}).canonical();
    CHECK(parse_values(op, canonical).canonical() == canonical);
  }
}

}  // namespace
}  // namespace tilewright::ops
