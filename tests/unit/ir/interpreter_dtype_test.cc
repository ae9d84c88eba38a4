#include <catch2/catch.hpp>
#include <functional>

#include "interp_reference.h"

using namespace tilewright;
using namespace tilewright::ir;
using namespace tilewright::ir::testing;

namespace {

using Make = std::function<Expr(Expr, Expr)>;

// R[i] = make(A[i], B[i]) for all i, serially or in vectors of `lanes` at the flat level.
void run_elements(int64_t count, DType in, const InterpArg& a, const InterpArg& b, DType out,
                  const InterpArg& r, const Make& make, int lanes) {
  Buffer ba = make_buffer("A", in, {count}), bb = make_buffer("B", in, {count});
  Buffer br = make_buffer("R", out, {count});
  Var i("i");
  const Expr index = lanes == 1 ? Expr(i) : ramp(i * lanes, Expr(int64_t{1}), lanes);
  const Expr value = make(vector_load(ba, index), vector_load(bb, index));
  Stmt body = make_for(0, i, count / lanes, vector_store(br, index, value));
  interpret(make_func({input(ba), input(bb), output(br)}, body, Level::kFlat), {a, b, r});
}

template <typename R, typename T>
std::vector<R> run_binary(std::vector<T> a, std::vector<T> b, const Make& make, int lanes) {
  const size_t count = a.size();
  const size_t padded = (count + lanes - 1) / lanes * lanes;
  a.resize(padded);
  b.resize(padded);
  std::vector<R> result(padded);
  run_elements(static_cast<int64_t>(padded), dtype_of<T>(), arg(a), arg(b), dtype_of<R>(),
               arg(result), make, lanes);
  result.resize(count);
  return result;
}

void report(const std::string& what, DType dtype, double a, double b, double got, double expected) {
  INFO(what << " on " << to_string(dtype) << ": " << a << ", " << b << " gave " << got
            << ", expected " << expected);
  CHECK(false);
}

template <typename T>
struct Pairs {
  std::vector<T> a, b;
};
template <typename T>
Pairs<T> all_pairs() {
  Pairs<T> pairs;
  for (T x : samples<T>()) {
    for (T y : samples<T>()) {
      pairs.a.push_back(x);
      pairs.b.push_back(y);
    }
  }
  return pairs;
}

template <typename T>
Expr literal(T x) {
  if constexpr (is_float_v<T>) {
    return make_float(dtype_of<T>(), number(x));
  } else {
    return make_int(dtype_of<T>(), static_cast<int64_t>(number(x)));
  }
}

template <typename T>
T literal_value(const Expr& e) {
  if constexpr (is_float_v<T>) {
    return from_double<T>(e.as<FloatImmNode>()->value);
  } else {
    return from_integer<T>(e.as<IntImmNode>()->value);
  }
}

// Null where `make` refuses the operands (division by a literal zero).
Expr try_fold(const Make& make, const Expr& a, const Expr& b) {
  try {
    return make(a, b);
  } catch (const Error&) {
    return {};
  }
}

template <typename R, typename T>
void check_element(const std::string& what, T a, T b, R got, R expected) {
  if (identical(got, expected)) return;
  const auto shown = [](auto x) { return static_cast<double>(number(x)); };
  report(what, dtype_of<T>(), shown(a), shown(b), shown(got), shown(expected));
}

// `make` gives the reference's value on all pairs of samples: in the interpreter, in scalars and
// vectors, and where it folds on literals.
template <typename R, typename T>
void check_binary(const std::string& what, const Make& make,
                  const std::function<R(T, T)>& reference) {
  const Pairs<T> pairs = all_pairs<T>();
  const std::vector<R> scalars = run_binary<R, T>(pairs.a, pairs.b, make, 1);
  const std::vector<R> vectors = run_binary<R, T>(pairs.a, pairs.b, make, 4);
  for (size_t i = 0; i < pairs.a.size(); ++i) {
    const T a = pairs.a[i], b = pairs.b[i];
    const R expected = reference(a, b);
    check_element(what, a, b, scalars[i], expected);
    check_element(what + ", 4 lanes", a, b, vectors[i], expected);
    const Expr folded = try_fold(make, literal(a), literal(b));
    if (folded.defined() && is_literal(folded)) {
      check_element(what + ", folded", a, b, literal_value<R>(folded), expected);
    }
  }
  REQUIRE(pairs.a.size() >= 4);
}

template <typename T>
void check_comparisons() {
  for (BinaryOp op :
       {BinaryOp::kEq, BinaryOp::kNe, BinaryOp::kLt, BinaryOp::kLe, BinaryOp::kGt, BinaryOp::kGe}) {
    check_binary<Bool, T>(
        spelling(op), [&](Expr a, Expr b) { return binary(op, a, b); },
        [&](T a, T b) { return Bool{comparison_reference(op, a, b)}; });
  }
}

}  // namespace

TEMPLATE_TEST_CASE("interpreter: integer operations", "", int8_t, int16_t, int32_t, int64_t,
                   uint8_t, uint16_t, uint32_t, uint64_t) {
  using T = TestType;
  for (BinaryOp op :
       {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kFloorDiv, BinaryOp::kFloorMod,
        BinaryOp::kTruncDiv, BinaryOp::kTruncMod, BinaryOp::kMin, BinaryOp::kMax, BinaryOp::kBitAnd,
        BinaryOp::kBitOr, BinaryOp::kBitXor, BinaryOp::kShl, BinaryOp::kShr}) {
    check_binary<T, T>(
        spelling(op), [&](Expr a, Expr b) { return binary(op, a, b); },
        [&](T a, T b) { return integer_reference(op, a, b); });
  }
  check_comparisons<T>();
  check_binary<T, T>(
      "neg", [](Expr a, Expr) { return -a; }, [](T a, T) { return from_integer<T>(-number(a)); });
  check_binary<T, T>(
      "~", [](Expr a, Expr) { return ~a; }, [](T a, T) { return from_integer<T>(~number(a)); });
  check_binary<T, T>(
      "abs", [](Expr a, Expr) { return ir::abs(a); },
      [](T a, T) { return from_integer<T>(number(a) < 0 ? -number(a) : number(a)); });
  check_binary<T, T>(
      "popcount", [](Expr a, Expr) { return cast(dtype_of<T>(), call(Intrinsic::kPopcount, {a})); },
      [](T a, T) {
        int bits = 0;
        for (size_t i = 0; i < 8 * sizeof(T); ++i) bits += static_cast<int>(number(a) >> i & 1);
        return static_cast<T>(bits);
      });
  check_binary<T, T>(
      "clz", [](Expr a, Expr) { return cast(dtype_of<T>(), call(Intrinsic::kClz, {a})); },
      [](T a, T) {
        int zeros = 0;
        for (int i = 8 * sizeof(T) - 1; i >= 0 && !(number(a) >> i & 1); --i) ++zeros;
        return static_cast<T>(zeros);
      });
}

TEST_CASE("interpreter: bool operations") {
  for (BinaryOp op : {BinaryOp::kAnd, BinaryOp::kOr}) {
    check_binary<Bool, Bool>(
        spelling(op), [&](Expr a, Expr b) { return binary(op, a, b); },
        [&](Bool a, Bool b) { return integer_reference(op, a, b); });
  }
  check_binary<Bool, Bool>(
      "!", [](Expr a, Expr) { return !a; },
      [](Bool a, Bool) { return Bool{static_cast<uint8_t>(a.byte ? 0 : 1)}; });
  check_binary<Bool, Bool>(
      "==", [](Expr a, Expr b) { return a == b; },
      [](Bool a, Bool b) { return Bool{a.byte == b.byte}; });
}

TEST_CASE("interpreter: a bool byte other than 0 and 1 reads as true and is stored as 1") {
  Buffer a = make_buffer("A", kBool, {3}), b = make_buffer("B", kBool, {3});
  Var i("i");
  std::vector<uint8_t> x = {0, 1, 0x7F}, y(3, 9);
  interpret(make_func({input(a), output(b)}, make_for(0, i, 3, store(b, {i}, load(a, {i})))),
            {arg(x), arg(y)});
  CHECK(y == std::vector<uint8_t>{0, 1, 1});
}

TEMPLATE_TEST_CASE("interpreter: float operations", "", float, double, Half, BHalf) {
  using T = TestType;
  for (BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv,
                      BinaryOp::kMin, BinaryOp::kMax, BinaryOp::kFMin, BinaryOp::kFMax}) {
    check_binary<T, T>(
        spelling(op), [&](Expr a, Expr b) { return binary(op, a, b); },
        [&](T a, T b) { return float_reference(op, a, b); });
  }
  check_comparisons<T>();
  check_binary<T, T>(
      "neg", [](Expr a, Expr) { return -a; }, [](T a, T) { return from_double<T>(-number(a)); });
  check_binary<T, T>(
      "abs", [](Expr a, Expr) { return ir::abs(a); },
      [](T a, T) { return from_double<T>(std::fabs(number(a))); });
  check_binary<Bool, T>(
      "isnan", [](Expr a, Expr) { return ir::isnan(a); },
      [](T a, T) { return Bool{std::isnan(number(a))}; });
  check_binary<Bool, T>(
      "isinf", [](Expr a, Expr) { return ir::isinf(a); },
      [](T a, T) { return Bool{std::isinf(number(a))}; });
}

TEMPLATE_TEST_CASE("interpreter: casts from every dtype", "", int8_t, int16_t, int32_t, int64_t,
                   uint8_t, uint16_t, uint32_t, uint64_t, float, double, Half, BHalf, Bool) {
  using From = TestType;
  const auto check = [](auto to) {
    using To = decltype(to);
    check_binary<To, From>(
        "cast to " + to_string(dtype_of<To>()),
        [](Expr a, Expr) { return cast(dtype_of<To>().with_lanes(a.dtype().lanes), a); },
        [](From a, From) { return cast_reference<To>(a); });
  };
  check(int8_t{});
  check(int16_t{});
  check(int32_t{});
  check(int64_t{});
  check(uint8_t{});
  check(uint16_t{});
  check(uint32_t{});
  check(uint64_t{});
  check(float{});
  check(double{});
  check(Half{});
  check(BHalf{});
  check(Bool{});
}

TEST_CASE("interpreter: float32 sums are rounded at each step") {
  Buffer a = make_buffer("A", kFloat32, {3}), c = make_buffer("C", kFloat32, {1});
  std::vector<float> x = {16777216.0f, 1.0f, 1.0f}, z(1);
  interpret(
      make_func({input(a), output(c)}, store(c, {0}, load(a, {0}) + load(a, {1}) + load(a, {2}))),
      {arg(x), arg(z)});
  CHECK(z[0] == 16777216.0f);
}

TEST_CASE("interpreter: round halves to even (K13), floor, ceil, trunc") {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> x = {-4.5, -2.5, -1.5, -0.5,      -0.0, 0.5, 0.9,
                           1.5,  2.5,  4.5,  8388609.0, inf,  -1.2};
  const std::vector<double> even = {-4, -2, -2, -0.0, -0.0, 0, 1, 2, 2, 4, 8388609.0, inf, -1};
  const auto check = [&](auto tag) {
    using T = decltype(tag);
    std::vector<T> values;
    for (double v : x) values.push_back(from_double<T>(v));
    const auto run = [&](Expr (*f)(Expr)) {
      return run_binary<T>(
          values, values, [&](Expr a, Expr) { return f(a); }, 4);
    };
    const std::vector<T> rounded = run(ir::round), down = run(ir::floor), up = run(ir::ceil),
                         cut = run(ir::trunc);
    for (size_t i = 0; i < x.size(); ++i) {
      const double v = number(values[i]);
      CHECK(identical(rounded[i],
                      from_double<T>(std::is_same_v<T, Half> && i == 10 ? inf : even[i])));
      CHECK(identical(down[i], from_double<T>(std::floor(v))));
      CHECK(identical(up[i], from_double<T>(std::ceil(v))));
      CHECK(identical(cut[i], from_double<T>(std::trunc(v))));
    }
  };
  check(float{});
  check(double{});
  check(Half{});
}

TEST_CASE("interpreter: maths functions are the double ones, rounded once") {
  struct Row {
    Expr (*build)(Expr);
    double (*reference)(double);
  };
  const Row rows[] = {
      {ir::sqrt, [](double v) { return std::sqrt(v); }},
      {ir::rsqrt, [](double v) { return 1 / std::sqrt(v); }},
      {ir::exp, [](double v) { return std::exp(v); }},
      {ir::exp2, [](double v) { return std::exp2(v); }},
      {ir::log, [](double v) { return std::log(v); }},
      {ir::log2, [](double v) { return std::log2(v); }},
      {ir::log1p, [](double v) { return std::log1p(v); }},
      {ir::expm1, [](double v) { return std::expm1(v); }},
      {ir::tanh, [](double v) { return std::tanh(v); }},
      {ir::erf, [](double v) { return std::erf(v); }},
      {ir::sin, [](double v) { return std::sin(v); }},
      {ir::cos, [](double v) { return std::cos(v); }},
  };
  for (const Row& row : rows) {
    check_binary<float, float>(
        "maths", [&](Expr a, Expr) { return row.build(a); },
        [&](float a, float) { return static_cast<float>(row.reference(a)); });
    check_binary<double, double>(
        "maths", [&](Expr a, Expr) { return row.build(a); },
        [&](double a, double) { return row.reference(a); });
    check_binary<Half, Half>(
        "maths", [&](Expr a, Expr) { return row.build(a); },
        [&](Half a, Half) { return from_double<Half>(row.reference(number(a))); });
  }
  check_binary<float, float>(
      "pow", [](Expr a, Expr b) { return ir::pow(a, b); },
      [](float a, float b) { return static_cast<float>(std::pow(double{a}, double{b})); });
  check_binary<float, float>(
      "fma",
      [](Expr a, Expr b) {
        return call(Intrinsic::kFma, {a, b, b});
      },
      [](float a, float b) { return std::fma(a, b, b); });
  std::vector<float> x = {0, 1, -1, 40, -40, -800, 800};
  const std::vector<float> y = run_binary<float>(
      x, x, [](Expr a, Expr) { return sigmoid(a); }, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = 1 / (1 + std::exp(static_cast<long double>(-x[i])));
    CHECK(y[i] == static_cast<float>(exact));
  }
}

TEST_CASE("interpreter: fma on 16-bit floats rounds once") {
  // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20; with -1 - 2^-9 only the last term is left.
  const std::vector<Half> a = {from_double<Half>(1 + 0x1p-10)};
  const std::vector<Half> b = {from_double<Half>(-1 - 0x1p-9)};
  const auto square = [](Expr x, Expr y) { return call(Intrinsic::kFma, {x, x, y}); };
  CHECK(number(run_binary<Half>(a, b, square, 1)[0]) == 0x1p-20);
  // 7 * 37 = 259 lies between the bfloat16 values 258 and 260; a term that float64 cannot add to it
  // decides.
  const std::vector<BHalf> seven(3, bhalf(7));
  const std::vector<BHalf> terms = {bhalf(-0x1p-60), bhalf(0), bhalf(0x1p-60)};
  const auto times37 = [](Expr x, Expr y) {
    return call(Intrinsic::kFma, {x, make_float(kBFloat16, 37), y});
  };
  const std::vector<BHalf> sums = run_binary<BHalf>(seven, terms, times37, 1);
  CHECK(number(sums[0]) == 258);
  CHECK(number(sums[1]) == 260);
  CHECK(number(sums[2]) == 260);
}

TEST_CASE("interpreter: bitcast keeps the bits") {
  std::vector<float> x = {1.0f, -0.0f, 3.5f};
  const std::vector<int32_t> bits = run_binary<int32_t>(
      x, x,
      [](Expr a, Expr) {
        return Expr(new CallNode(kInt32.with_lanes(a.dtype().lanes), Intrinsic::kBitcast, {a}));
      },
      1);
  CHECK(bits == std::vector<int32_t>{0x3F800000, INT32_MIN, 0x40600000});
  std::vector<uint16_t> h = {0x3C00, 0xFC00, 0x0001};
  const std::vector<Half> half = run_binary<Half>(
      h, h,
      [](Expr a, Expr) {
        return Expr(new CallNode(kFloat16.with_lanes(a.dtype().lanes), Intrinsic::kBitcast, {a}));
      },
      1);
  for (size_t i = 0; i < h.size(); ++i) CHECK(half[i].bits == h[i]);
}

TEST_CASE("interpreter: 64-bit values are kept 64-bit (K15)") {
  Buffer c = make_buffer("C", kInt64, {11});
  Var i("i", kInt32), s("s", kInt64);
  std::vector<int64_t> z(11);
  PrimFunc f = make_func({{{}, s, ParamRole::kInput}, output(c)},
                         make_for(0, i, 11, store(c, {i}, cast(kInt64, i) * s)));
  interpret(f, {int_arg(1000000000), arg(z)});
  for (int64_t e = 0; e < 11; ++e) CHECK(z[e] == e * 1000000000);
}
