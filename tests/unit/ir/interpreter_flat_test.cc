#include <catch2/catch.hpp>
#include <numeric>

#include "interp_support.h"

using namespace tilewright;
using namespace tilewright::ir;
using namespace tilewright::ir::testing;

namespace {

Expr i64(int64_t value) { return Expr(value); }

}  // namespace

TEST_CASE("interpreter, flat: vector load, arithmetic and store with a masked tail") {
  const int n = 13, lanes = 4;
  Buffer a = make_buffer("A", kFloat32, {n}), c = make_buffer("C", kFloat32, {n});
  Var i("i");
  const Expr index = ramp(i * lanes, i64(1), lanes);
  const Expr mask = index < broadcast(i64(n), lanes);
  Stmt body = make_for(
      0, i, 4,
      vector_store(c, index, vector_load(a, index, mask) * broadcast(Expr(2.0), lanes), mask));
  std::vector<float> x(n), z(n + 3, -1);
  std::iota(x.begin(), x.end(), 1.0f);
  interpret(make_func({input(a), output(c)}, body, Level::kFlat), {arg(x), arg(z, {n})});
  for (int e = 0; e < n; ++e) CHECK(z[e] == 2 * x[e]);
  for (int e = n; e < n + 3; ++e) CHECK(z[e] == -1);

  Stmt unmasked = make_for(0, i, 4, vector_store(c, index, vector_load(a, index, mask)));
  std::string text;
  CHECK(error_code(
            [&] {
              interpret(make_func({input(a), output(c)}, unmasked, Level::kFlat),
                        {arg(x), arg(z, {n})});
            },
            &text) == "interp.out_of_bounds");
  CHECK(text == "write of buffer 'C' out of bounds: index [13], shape [13] (flat offset) at i = 3");
}

TEST_CASE("interpreter, flat: masked lanes give 0") {
  Buffer a = make_buffer("A", kInt32, {2}), c = make_buffer("C", kInt32, {4});
  const Expr index = ramp(i64(0), i64(1), 4);
  Stmt body = vector_store(c, index, vector_load(a, index, index < broadcast(i64(2), 4)));
  std::vector<int32_t> x = {7, 8}, z(4, -1);
  interpret(make_func({input(a), output(c)}, body, Level::kFlat), {arg(x), arg(z)});
  CHECK(z == std::vector<int32_t>{7, 8, 0, 0});
}

TEST_CASE("interpreter, flat: a scalar predicate switches a whole access") {
  Buffer a = make_buffer("A", kInt32, {1}), c = make_buffer("C", kInt32, {3});
  Var i("i");
  const Expr past(new LoadNode(kInt32, a, {Expr(i)}, i < 1));
  Stmt body = make_for(0, i, 3, vector_store(c, i, past + 1, i < 2));
  std::vector<int32_t> x = {5}, z(3, -1);
  interpret(make_func({input(a), output(c)}, body, Level::kFlat), {arg(x), arg(z)});
  CHECK(z == std::vector<int32_t>{6, 1, -1});
}

TEST_CASE("interpreter, flat: gather, scatter, select, extract, strided ramps") {
  Buffer a = make_buffer("A", kInt32, {8}), at = make_buffer("at", kInt64, {4});
  Buffer c = make_buffer("C", kInt32, {8}), s = make_buffer("S", kInt32, {1});
  const Expr four = ramp(i64(0), i64(1), 4);
  const Expr gathered = vector_load(a, vector_load(at, four));
  const Expr chosen = select(gathered > broadcast(Expr(3), 4), gathered, -gathered);
  Stmt body = seq({vector_store(c, ramp(i64(7), i64(-2), 4), chosen),
                   vector_store(s, i64(0), Expr(new ExtractNode(chosen, 2)))});
  std::vector<int32_t> x = {0, 1, 2, 3, 4, 5, 6, 7}, z(8, 99), e(1);
  std::vector<int64_t> index = {7, 2, 0, 4};
  interpret(make_func({input(a), input(at), output(c), output(s)}, body, Level::kFlat),
            {arg(x), arg(index), arg(z), arg(e)});
  CHECK(z == std::vector<int32_t>{99, 4, 99, 0, 99, -2, 99, 7});
  CHECK(e[0] == 0);
}

TEST_CASE("interpreter, flat: a lazy choice by a vector masks the loads of each side") {
  Buffer a = make_buffer("A", kInt32, {4}), b = make_buffer("B", kInt32, {1});
  Buffer c = make_buffer("C", kInt32, {8});
  const Expr index = ramp(i64(0), i64(1), 8);
  const Expr inside = index < broadcast(i64(4), 8);
  std::vector<int32_t> x = {1, 2, 3, 4}, one = {9}, z(8);
  const auto run = [&](Expr value) {
    interpret(
        make_func({input(a), input(b), output(c)}, vector_store(c, index, value), Level::kFlat),
        {arg(x), arg(one), arg(z)});
    return z;
  };
  const Expr zero = broadcast(Expr(0), 8);
  CHECK(run(if_then_else(inside, vector_load(a, index), zero)) ==
        std::vector<int32_t>{1, 2, 3, 4, 0, 0, 0, 0});
  // The else side is masked by the negation.
  CHECK(run(if_then_else(!inside, zero, vector_load(a, index))) ==
        std::vector<int32_t>{1, 2, 3, 4, 0, 0, 0, 0});
  // Nested choices: both masks hold.
  const Expr even = floor_mod(index, broadcast(i64(2), 8)) == broadcast(i64(0), 8);
  CHECK(run(if_then_else(even, if_then_else(inside, vector_load(a, index), zero),
                         broadcast(Expr(-1), 8))) ==
        std::vector<int32_t>{1, -1, 3, -1, 0, -1, 0, -1});
  // A scalar load within a side happens only if some lane takes it.
  const Expr never = index < broadcast(i64(0), 8);
  CHECK(run(if_then_else(never, broadcast(load(b, {i64(3)}), 8), zero)) ==
        std::vector<int32_t>(8, 0));
  CHECK(error_code([&] { run(if_then_else(inside, broadcast(load(b, {i64(3)}), 8), zero)); }) ==
        "interp.out_of_bounds");
  // An own predicate of the load is kept.
  CHECK(run(if_then_else(inside, vector_load(a, index, even), zero)) ==
        std::vector<int32_t>{1, 0, 3, 0, 0, 0, 0, 0});
}

TEST_CASE("interpreter, flat: lazy choice by a scalar, with a vector value") {
  Buffer a = make_buffer("A", kInt32, {4}), c = make_buffer("C", kInt32, {8});
  Var i("i");
  const Expr index = ramp(i * 4, i64(1), 4);
  Stmt body = make_for(
      0, i, 2,
      vector_store(c, index, if_then_else(i < 1, vector_load(a, index), broadcast(Expr(-1), 4))));
  std::vector<int32_t> x = {1, 2, 3, 4}, z(8);
  interpret(make_func({input(a), output(c)}, body, Level::kFlat), {arg(x), arg(z)});
  CHECK(z == std::vector<int32_t>{1, 2, 3, 4, -1, -1, -1, -1});
}

TEST_CASE("interpreter, flat: Alloc has its life in the body, fresh each time") {
  Buffer t = make_buffer("T", kFloat32, {2, 2}), c = make_buffer("C", kFloat32, {3});
  Var i("i");
  Stmt body = seq({store(c, {i}, load(t, {3})), store(t, {3}, 1.0)});
  PrimFunc f =
      make_func({output(c)}, make_for(0, i, 3, Stmt(new AllocNode(t, body))), Level::kFlat);
  std::vector<float> z(3);
  interpret(f, {arg(z)});
  for (float v : z) CHECK(v != v);
  Stmt outside = seq({Stmt(new AllocNode(t, nop())), store(t, {i64(0)}, 1.0)});
  CHECK(error_code([&] { interpret(make_func({}, outside, Level::kFlat), {}); }) ==
        "interp.malformed");
}

TEST_CASE("interpreter, flat: offsets are checked against the product of the shape") {
  Buffer a = make_buffer("A", kInt32, {2, 3}), c = make_buffer("C", kInt32, {6});
  std::vector<int32_t> x = {1, 2, 3, 4, 5, 6}, z(6);
  const auto copy = [&](int64_t count) {
    Var i("i");
    return make_func({input(a), output(c)},
                     make_for(0, i, Expr(count), vector_store(c, i, vector_load(a, i))),
                     Level::kFlat);
  };
  interpret(copy(6), {arg(x, {2, 3}), arg(z)});
  CHECK(z == x);
  // A one-dimensional parameter takes an argument of any shape.
  interpret(copy(6), {arg(x, {2, 3}), arg(z, {3, 2})});
  std::string text;
  CHECK(error_code(
            [&] {
              interpret(copy(7), {arg(x, {2, 3}), arg(z)});
            },
            &text) == "interp.out_of_bounds");
  CHECK(text == "read of buffer 'A' out of bounds: index [6], shape [2, 3] (flat offset) at i = 6");
}

TEST_CASE("interpreter, flat: narrow index types and ramps that wrap") {
  Buffer c = make_buffer("C", kUInt8, {4});
  Buffer z8 = make_buffer("z", kUInt8, {1});
  const Expr start = load(z8, {i64(0)});
  Stmt body = vector_store(c, ramp(i64(0), i64(1), 4), ramp(start, make_int(kUInt8, 100), 4));
  std::vector<uint8_t> x = {100}, z(4);
  interpret(make_func({input(z8), output(c)}, body, Level::kFlat), {arg(x), arg(z)});
  CHECK(z == std::vector<uint8_t>{100, 200, 44, 144});
}

TEST_CASE("interpreter, flat: prefetch and likely have no effect") {
  Buffer a = make_buffer("A", kInt32, {1}), c = make_buffer("C", kInt32, {1});
  const Expr hint(
      new CallNode(kInt32, Intrinsic::kPrefetch, {load(a, {i64(500)}), Expr(0), Expr(3)}));
  Stmt body = seq({evaluate(hint), if_then(call(Intrinsic::kLikely, {load(a, {i64(0)}) == 5}),
                                           store(c, {i64(0)}, Expr(1)))});
  std::vector<int32_t> x = {5}, z(1);
  interpret(make_func({input(a), output(c)}, body, Level::kFlat), {arg(x), arg(z)});
  CHECK(z[0] == 1);
}

TEST_CASE("interpreter, flat: float16 compare into bool and uint8 with a tail (K14)") {
  for (int n : {12, 13, 31}) {
    for (int lanes : {2, 4, 8, 16}) {
      Buffer x = make_buffer("X", kFloat16, {n}), y = make_buffer("Y", kBool, {n});
      Buffer z = make_buffer("Z", kUInt8, {n}), w = make_buffer("W", kBool, {n});
      Buffer v = make_buffer("V", kBool, {n});
      Var i("i");
      const Expr index = ramp(i * lanes, i64(1), lanes);
      const Expr mask = index < broadcast(i64(n), lanes);
      const auto constant = [&](double value) {
        return broadcast(make_float(kFloat16, value), lanes);
      };
      const Expr is_zero = vector_load(x, index, mask) == constant(0);
      Stmt body = make_for(0, i, (n + lanes - 1) / lanes,
                           seq({vector_store(y, index, is_zero, mask),
                                vector_store(z, index,
                                             select(is_zero, broadcast(make_int(kUInt8, 0), lanes),
                                                    broadcast(make_int(kUInt8, 1), lanes)),
                                             mask),
                                vector_store(w, index, vector_load(y, index, mask), mask),
                                vector_store(v, index,
                                             vector_load(y, index, mask) &&
                                                 vector_load(x, index, mask) < constant(2),
                                             mask)}));
      std::vector<uint16_t> xs(n);
      const uint16_t values[] = {0x0000, 0x3C00, 0x4000, 0x4200};
      for (int e = 0; e < n; ++e) xs[e] = values[e % 4];
      std::vector<uint8_t> ys(n + 16, 0xAA), zs(n + 16, 0xAA), ws(n + 16, 0xAA), vs(n + 16, 0xAA);
      interpret(
          make_func({input(x), output(y), output(z), output(w), output(v)}, body, Level::kFlat),
          {arg(xs), arg(ys, {n}), arg(zs, {n}), arg(ws, {n}), arg(vs, {n})});
      for (int e = 0; e < n + 16; ++e) {
        const int zero = e % 4 == 0;
        CHECK(ys[e] == (e < n ? zero : 0xAA));
        CHECK(zs[e] == (e < n ? !zero : 0xAA));
        CHECK(ws[e] == ys[e]);
        CHECK(vs[e] == ys[e]);
      }
    }
  }
}
