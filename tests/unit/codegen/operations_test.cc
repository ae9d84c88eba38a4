// Every operation and cast, on scalars and vectors, against the interpreter.

#include <catch2/catch.hpp>
#include <functional>
#include <limits>

#include "flat.h"
#include "tilewright/ir/text.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::BinaryOp;
using ir::Expr;

namespace {

constexpr int64_t kCount = 720;
const std::vector<DType> kInts = {kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64};
const std::vector<DType> kFloats = {kFloat16, kBFloat16, kFloat32, kFloat64};

std::vector<DType> all_types() {
  std::vector<DType> types = kInts;
  types.insert(types.end(), kFloats.begin(), kFloats.end());
  types.push_back(kBool);
  return types;
}

// Limits, zeros, halves, NaN and random values.
HostTensor edge_values(DType dtype, uint64_t seed) {
  HostTensor tensor(dtype, {kCount});
  Rng rng(seed);
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> special = {
      0.0,   -0.0,  1.0,     -1.0,  0.5,    -0.5,    1.5,   2.5,          -2.5,  -4.5, 0.9,
      255.5, -129., 65519.0, 7e4,   3e9,    -3e9,    1e10,  -1e19,        1e30,  inf,  -inf,
      NAN,   6e-8,  3e-5,    1e-40, 2049.0, 8388609, 127.5, 4294967296.0, -0.999};
  for (size_t i = 0; i < tensor.size(); ++i) {
    if (dtype.is_float()) {
      const bool take = i < 2 * special.size() || rng.below(3) == 0;
      const double scale = std::ldexp(1.0, static_cast<int>(rng.between(-12, 20)));
      tensor.put(i, take ? special[rng.below(special.size())] : (rng.unit() - 0.5) * scale);
    } else if (dtype.is_bool()) {
      tensor.put_int(i, static_cast<int64_t>(rng.below(2)));
    } else {
      const uint64_t kind = rng.below(4);
      const auto wide = static_cast<int64_t>(rng.next());
      const uint64_t least = dtype.is_int() ? uint64_t{1} << (dtype.bits - 1) : 0;
      int64_t value = kind == 0 ? rng.between(-4, 4) : wide;
      if (kind == 1) value = static_cast<int64_t>(least - rng.below(2));
      tensor.put_int(i, value);
    }
  }
  return tensor;
}

// One function with a loop for each of the expressions: z[j, i] = rows_j(x[i], y[i]).
struct Batch {
  std::vector<std::function<Expr(Expr, Expr)>> rows;
  DType a, b, result;

  void run(int lanes, const Target& target = Target::host()) const {
    const auto num_rows = static_cast<int64_t>(rows.size());
    const ir::Buffer x = ir::make_buffer("x", a, {i64(kCount)});
    const ir::Buffer y = ir::make_buffer("y", b, {i64(kCount)});
    const ir::Buffer z = ir::make_buffer("z", result, {i64(num_rows), i64(kCount)});
    std::vector<ir::Stmt> loops;
    for (int64_t j = 0; j < num_rows; ++j) {
      const ir::Var i("i");
      const Expr at = ramp_from(i * i64(lanes), lanes);
      const Expr to = ramp_from(i64(j * kCount) + i * i64(lanes), lanes);
      const Expr value = rows[size_t(j)](ir::load(x, {at}), ir::load(y, {at}));
      loops.push_back(ir::make_for(j, i, i64(kCount / lanes), ir::store(z, {to}, value)));
    }
    const ir::PrimFunc func = flat({input(x), input(y), output(z)}, ir::seq(loops));
    HostTensor left = edge_values(a, 11), right = edge_values(b, 23);
    HostTensor expected(result, {num_rows, kCount}), actual(result, {num_rows, kCount});
    interpret_on(func, {&left, &right, &expected});
    call(compile(func, {}, target), {&left, &right, &actual});
    const int64_t at = first_mismatch(expected, actual);
    if (at < 0) return;
    const auto from = size_t(at % kCount);
    FAIL_CHECK(to_string(a) << " lanes " << lanes << ": " << ir::to_text(loops[size_t(at / kCount)])
                            << " at " << from << ": " << left.get(from) << ", " << right.get(from)
                            << " expected " << expected.get(size_t(at)) << " got "
                            << actual.get(size_t(at)));
  }
};

std::function<Expr(Expr, Expr)> row(BinaryOp op) {
  return [op](Expr x, Expr y) { return ir::binary(op, x, y); };
}

}  // namespace

TEST_CASE("binary operations on integers") {
  const int lanes = GENERATE(1, 8);
  for (DType dtype : kInts) {
    Batch batch{{}, dtype, dtype, dtype};
    for (BinaryOp op :
         {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kFloorDiv, BinaryOp::kFloorMod,
          BinaryOp::kTruncDiv, BinaryOp::kTruncMod, BinaryOp::kMin, BinaryOp::kMax,
          BinaryOp::kBitAnd, BinaryOp::kBitOr, BinaryOp::kBitXor, BinaryOp::kShl, BinaryOp::kShr}) {
      batch.rows.push_back(row(op));
    }
    batch.rows.push_back([](Expr x, Expr) { return ~x; });
    batch.rows.push_back([](Expr x, Expr) { return -x; });
    batch.rows.push_back([](Expr x, Expr y) { return ir::select(x < y, y, x); });
    batch.run(lanes);
  }
}

TEST_CASE("division by constants", "[slow]") {
  const int lanes = GENERATE(1, 8);
  for (DType dtype : kInts) {
    Batch batch{{}, dtype, dtype, dtype};
    for (int64_t divisor : {1, 2, 3, 7, 8, 64, -1, -2, -3, -8}) {
      if (divisor < 0 && dtype.is_uint()) continue;
      for (BinaryOp op :
           {BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kTruncDiv, BinaryOp::kTruncMod}) {
        batch.rows.push_back([op, divisor](Expr x, Expr) {
          return ir::binary(op, x, ir::make_int(x.dtype(), divisor));
        });
      }
    }
    batch.run(lanes);
  }
}

TEST_CASE("binary operations on floats") {
  const int lanes = GENERATE(1, 3, 8);
  for (DType dtype : kFloats) {
    Batch batch{{}, dtype, dtype, dtype};
    for (BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv,
                        BinaryOp::kMin, BinaryOp::kMax, BinaryOp::kFMin, BinaryOp::kFMax}) {
      batch.rows.push_back(row(op));
    }
    batch.rows.push_back([](Expr x, Expr) { return -x; });
    batch.rows.push_back([](Expr x, Expr) { return ir::abs(x); });
    batch.rows.push_back([](Expr x, Expr) { return ir::sqrt(x); });
    batch.rows.push_back([](Expr x, Expr) { return ir::floor(x); });
    batch.rows.push_back([](Expr x, Expr) { return ir::ceil(x); });
    batch.rows.push_back([](Expr x, Expr) { return ir::trunc(x); });
    batch.rows.push_back([](Expr x, Expr) { return ir::round(x); });
    batch.run(lanes);
  }
}

TEST_CASE("comparisons give bools") {
  const int lanes = GENERATE(1, 12);
  for (DType dtype : all_types()) {
    Batch batch{{}, dtype, dtype, kBool};
    for (BinaryOp op : {BinaryOp::kEq, BinaryOp::kNe, BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kGt,
                        BinaryOp::kGe}) {
      if (dtype.is_bool() && op != BinaryOp::kEq && op != BinaryOp::kNe) continue;
      batch.rows.push_back(row(op));
    }
    if (dtype.is_bool()) {
      batch.rows.push_back([](Expr x, Expr y) { return x && !y; });
      batch.rows.push_back([](Expr x, Expr y) { return x || y; });
    }
    if (dtype.is_float()) {
      batch.rows.push_back([](Expr x, Expr) { return ir::isnan(x); });
      batch.rows.push_back([](Expr x, Expr) { return ir::isinf(x); });
    }
    batch.run(lanes);
  }
}

TEST_CASE("casts between all dtypes") {
  const int lanes = GENERATE(1, 8);
  for (DType from : all_types()) {
    for (DType to : all_types()) {
      if (from == to) continue;
      Batch batch{
          {[&](Expr x, Expr) { return ir::cast(to.with_lanes(lanes), x); }}, from, from, to};
      batch.run(lanes);
    }
  }
}

TEST_CASE("operations and casts on targets with narrower vectors", "[slow]") {
  const Target target = Target::parse(GENERATE("cpu -arch=x86_64 -features=+sse2",
                                               "cpu -arch=x86_64 -features=+sse4.2",
                                               "cpu -arch=x86_64 -features=+avx2,+fma,+f16c"));
  const int lanes = GENERATE(1, 8);
  for (DType dtype : all_types()) {
    Batch batch{{}, dtype, dtype, dtype};
    if (dtype.is_float()) {
      for (BinaryOp op : {BinaryOp::kAdd, BinaryOp::kMul, BinaryOp::kMin, BinaryOp::kFMax}) {
        batch.rows.push_back(row(op));
      }
      batch.rows.push_back([](Expr x, Expr) { return ir::round(x); });
      batch.rows.push_back([](Expr x, Expr) { return ir::floor(x); });
    } else if (dtype.is_integer()) {
      for (BinaryOp op : {BinaryOp::kMul, BinaryOp::kFloorDiv, BinaryOp::kFloorMod, BinaryOp::kMax,
                          BinaryOp::kShl, BinaryOp::kShr}) {
        batch.rows.push_back(row(op));
      }
    } else {
      batch.rows.push_back([](Expr x, Expr y) { return x && y; });
    }
    batch.run(lanes, target);
    for (DType to : all_types()) {
      if (to == dtype) continue;
      Batch casts{
          {[&](Expr x, Expr) { return ir::cast(to.with_lanes(lanes), x); }}, dtype, dtype, to};
      casts.run(lanes, target);
    }
  }
}

TEST_CASE("float16 without conversion instructions") {
  const Target plain = Target::parse("cpu -arch=x86_64 -features=+sse2");
  const int lanes = GENERATE(1, 8);
  const ir::Buffer x = ir::make_buffer("x", kFloat16, {i64(65536)});
  const ir::Buffer y = ir::make_buffer("y", kFloat32, {i64(65536)});
  const ir::Buffer z = ir::make_buffer("z", kFloat16, {i64(65536)});
  const ir::Var i("i");
  const Expr at = ramp_from(i * i64(lanes), lanes);
  const Expr wide = ir::cast(kFloat32.with_lanes(lanes), ir::load(x, {at}));
  const Expr third = ir::load(y, {at}) * ir::make_float(kFloat32.with_lanes(lanes), 1.0 / 3);
  const ir::PrimFunc func = flat(
      {input(x), output(y), output(z)},
      ir::make_for(0, i, i64(65536 / lanes),
                   ir::seq({ir::store(y, {at}, wide),
                            ir::store(z, {at}, ir::cast(kFloat16.with_lanes(lanes), third))})));
  HostTensor a(kFloat16, {65536}), b(kFloat32, {65536}), c(kFloat16, {65536});
  for (int j = 0; j < 65536; ++j) a.put_int(size_t(j), j);
  call(compile(func, {}, plain), {&a, &b, &c});
  HostTensor want_b = b, want_c = c;
  for (size_t j = 0; j < 65536; ++j) {
    want_b.put(j, float16_value(static_cast<uint16_t>(j)));
    want_c.put(j, static_cast<float>(want_b.get(j)) * static_cast<float>(1.0 / 3));
  }
  CHECK(first_mismatch(want_b, b) == -1);
  CHECK(first_mismatch(want_c, c) == -1);
}

TEST_CASE("maths functions of the C library, lane by lane") {
  const int lanes = GENERATE(1, 4);
  const DType dtype = GENERATE(kFloat32, kFloat64);
  const std::vector<std::function<Expr(Expr)>> functions = {
      [](Expr x) { return ir::exp(x); },    [](Expr x) { return ir::log(ir::abs(x)); },
      [](Expr x) { return ir::tanh(x); },   [](Expr x) { return ir::erf(x); },
      [](Expr x) { return ir::sin(x); },    [](Expr x) { return ir::pow(ir::abs(x), x); },
      [](Expr x) { return ir::sigmoid(x); }};
  for (const auto& function : functions) {
    const ir::Buffer x = ir::make_buffer("x", dtype, {i64(64)});
    const ir::Buffer y = ir::make_buffer("y", dtype, {i64(64)});
    const ir::Var i("i");
    const Expr at = ramp_from(i * i64(lanes), lanes);
    const ir::PrimFunc func =
        flat({input(x), output(y)},
             ir::make_for(0, i, i64(64 / lanes), ir::store(y, {at}, function(ir::load(x, {at})))));
    HostTensor a(dtype, {64}), expected(dtype, {64}), actual(dtype, {64});
    for (int j = 0; j < 64; ++j) a.put(size_t(j), (j - 31.5) / 8);
    interpret_on(func, {&a, &expected});
    call(compile(func), {&a, &actual});
    for (size_t j = 0; j < 64; ++j) {
      CHECK(actual.get(j) == Approx(expected.get(j)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a 64-bit value stays one: cast before the multiplication") {
  const ir::Buffer y = ir::make_buffer("y", kInt64, {i64(11)});
  const ir::Var i("i", kInt32);
  const ir::PrimFunc func = flat(
      {output(y)},
      ir::make_for(0, i, ir::make_int(kInt32, 11),
                   ir::store(y, {ir::cast(kInt64, i)}, ir::cast(kInt64, i) * i64(1000000000))));
  HostTensor result(kInt64, {11});
  call(compile(func), {&result});
  for (int64_t j = 0; j < 11; ++j) CHECK(result.get_int(size_t(j)) == j * 1000000000);
}
