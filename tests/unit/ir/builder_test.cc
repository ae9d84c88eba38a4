#include "tilewright/ir/builder.h"

#include <catch2/catch.hpp>

#include "tilewright/ir/interpreter.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::ir;

namespace {

template <typename T>
InterpArg arg(std::vector<T>& data, std::vector<int64_t> shape) {
  InterpArg result;
  result.tensor = {data.data(), std::move(shape)};
  return result;
}

}  // namespace

TEST_CASE("a cumulative sum", "[builder]") {
  IRBuilder b("cumsum");
  Var n = b.size("n");
  Buffer x = b.input("X", kFloat32, {n}), y = b.output("Y", kFloat32, {n});
  b.loop("i", n, [&](const Var& i) {
    b.block("Y", {{"vi", n, i, IterKind::kOrdered}}, [&](const std::vector<Var>& v) {
      b.store(y, {v[0]}, load(x, {v[0]}) + if_then_else(v[0] > 0, load(y, {max(v[0] - 1, 0)}), 0));
    });
  });
  PrimFunc f = b.finish();
  std::vector<float> in{1, 2, 3, 4, 5}, out(5);
  interpret(f, {arg(in, {5}), arg(out, {5})});
  CHECK(out == std::vector<float>{1, 3, 6, 10, 15});
  CHECK(structural_equal(f, parse_func(to_text(f))));
}

TEST_CASE("a histogram scatters", "[builder]") {
  IRBuilder b("histogram");
  Buffer x = b.input("X", kUInt8, {8}), counts = b.output("H", kInt32, {4});
  b.loop("i", 4, [&](const Var& i) {
    b.block("zero", {{"vi", 4, i}}, [&](const std::vector<Var>& v) { b.store(counts, {v[0]}, 0); });
  });
  b.block(
      "count", {},
      [&](const std::vector<Var>&) {
        b.loop("i", 8, [&](const Var& i) {
          Var bin = b.let("bin", cast(kInt64, load(x, {i})));
          b.store(counts, {bin}, load(counts, {bin}) + 1);
        });
      },
      BlockKind::kOpaque);
  PrimFunc f = b.finish();
  std::vector<uint8_t> in{0, 1, 1, 3, 3, 3, 0, 3};
  std::vector<int32_t> out(4, -1);
  interpret(f, {arg(in, {8}), arg(out, {4})});
  CHECK(out == std::vector<int32_t>{2, 2, 0, 4});
  // Data-dependent indices touch the whole dimension.
  CHECK(to_text(f).find("writes H[0 +: 4]") != std::string::npos);
}

TEST_CASE("a reduction block gets reducer and init", "[builder]") {
  IRBuilder b("rows");
  Var n = b.size("n");
  Buffer x = b.input("X", kInt32, {n, 3}), y = b.output("Y", kInt32, {n});
  b.loop("i", n, [&](const Var& i) {
    b.loop("k", 3, [&](const Var& k) {
      b.block("Y", {{"vi", n, i}, {"vk", 3, k, IterKind::kReduce}}, [&](const std::vector<Var>& v) {
        b.update(reducers::sum(kInt32), {y}, {v[0]}, {load(x, {v[0], v[1]})});
      });
    });
  });
  PrimFunc f = b.finish();
  CHECK(to_pretty(f) == R"(func rows(n: int64 shape, X: int32[n, 3], Y: int32[n] output):
  for i in 0..n:
    for k in 0..3:
      block Y(vi = i, reduce vk = k):
        init:
          Y[vi] = 0
        Y[vi] += X[vi, vk]
)");
  std::vector<int32_t> in{1, 2, 3, 4, 5, 6}, out(2);
  interpret(f, {arg(in, {2, 3}), arg(out, {2})});
  CHECK(out == std::vector<int32_t>{6, 15});
}

TEST_CASE("lets and temporaries of a flat function last until their body ends", "[builder]") {
  IRBuilder b("flat", Level::kFlat);
  Buffer y = b.output("Y", kInt32, {4});
  b.loop("i", 4, [&](const Var& i) {
    Buffer t = b.temporary("T", kInt32, {1}, Scope::kLocal);
    Var twice = b.let("twice", cast(kInt32, i) * 2);
    b.when(
        i < 2, [&] { b.store(t, {0}, twice); }, [&] { b.store(t, {0}, -twice); });
    b.store(y, {i}, load(t, {0}) + 1);
  });
  PrimFunc f = b.finish();
  std::vector<int32_t> out(4);
  interpret(f, {arg(out, {4})});
  CHECK(out == std::vector<int32_t>{1, 3, -3, -5});
}

TEST_CASE("a malformed function names its faults", "[builder]") {
  IRBuilder b("bad");
  Buffer y = b.output("Y", kInt32, {4});
  b.loop("i", 4, [&](const Var& i) {
    b.block("Y", {{"vi", 4, i}}, [&](const std::vector<Var>&) { b.store(y, {i}, 0); });
  });
  try {
    b.finish();
    FAIL("nothing was thrown");
  } catch (const Error& e) {
    CHECK(e.code() == "ir.malformed");
    CHECK_THAT(e.what(), Catch::Contains("loop variable i is read in a block"));
  }
}

TEST_CASE("bodies opened and closed by hand are the same", "[builder]") {
  const auto code = [](const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return error.code();
    }
    return std::string();
  };
  IRBuilder a("f"), b("f");
  for (IRBuilder* builder : {&a, &b}) {
    Buffer x = builder->input("X", kInt32, {6}), y = builder->output("Y", kInt32, {6});
    const auto negative = [&](const Expr& i) { return load(x, {i}) < 0; };
    if (builder == &a) {
      a.loop("i", 6, [&](const Var& i) {
        a.block(
            "Y", {{"vi", 6, i}},
            [&](const std::vector<Var>& v) {
              a.when(
                  negative(v[0]), [&] { a.store(y, {v[0]}, -1); }, [&] { a.store(y, {v[0]}, 1); });
            },
            BlockKind::kOpaque);
      });
      continue;
    }
    const Var i = b.open_loop("i", 6);
    const std::vector<Var> v = b.open_block("Y", {{"vi", 6, i}}, BlockKind::kOpaque);
    b.open_if(negative(v[0]));
    b.store(y, {v[0]}, -1);
    b.close();
    b.open_else();
    b.store(y, {v[0]}, 1);
    CHECK(b.depth() == 3);
    CHECK(code([&] { b.take(); }) == "ir.builder");
    b.close();
    CHECK(code([&] { b.open_else(); }) == "ir.builder");
    b.close();
    b.close();
    CHECK(code([&] { b.close(); }) == "ir.builder");
  }
  CHECK(to_text(a.finish()) == to_text(b.finish()));
}

TEST_CASE("a C function may touch all of what it is given", "[builder]") {
  IRBuilder b("f");
  Buffer x = b.inout("X", kFloat32, {4, 4}), y = b.output("Y", kFloat32, {4, 4});
  b.loop("i", 4, [&](const Var& i) {
    b.block(
        "Y", {{"vi", 4, i}},
        [&](const std::vector<Var>& v) {
          b.call_extern("g", {load(x, {v[0], 0}), load(y, {v[0], 0}), v[0]});
        },
        BlockKind::kExtern);
  });
  CHECK(to_text(b.finish()).find("writes X[0 +: 4, 0 +: 4], Y[0 +: 4, 0 +: 4]") !=
        std::string::npos);
}
