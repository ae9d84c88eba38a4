#include "lower/math_functions.h"

#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "tilewright/ir/ops.h"

namespace tilewright::lower {
namespace {

using namespace ir;  // NOLINT

/// Arithmetic on float32 (vectors) with named intermediate values.
class F32 {
 public:
  explicit F32(const Expr& x) : dtype_(x.dtype()), bits_(kInt32.with_lanes(x.dtype().lanes)) {}

  Expr num(double value) const { return make_float(dtype_, value); }
  Expr whole(int64_t value) const { return make_int(bits_, value); }
  /// The value under a name, so that it is computed once.
  Expr keep(const char* name, const Expr& value) {
    Var var(name, value.dtype());
    lets_.emplace_back(var, value);
    return var;
  }
  Expr bits_of(const Expr& x) const { return bitcast(bits_, x); }
  Expr from_bits(const Expr& x) const { return bitcast(dtype_, x); }
  /// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
  Expr polynomial(const Expr& x, std::initializer_list<double> c) const {
    const double* end = c.end();
    Expr sum = num(*--end);
    while (end != c.begin()) sum = sum * x + num(*--end);
    return sum;
  }
  /// 2^n for integers n in [-126, 127].
  Expr power_of_two(const Expr& n) const { return from_bits((n + whole(127)) << whole(23)); }
  Expr result(Expr value) const {
    for (auto it = lets_.rbegin(); it != lets_.rend(); ++it) {
      value = let(it->first, it->second, value);
    }
    return value;
  }

 private:
  const DType dtype_, bits_;
  std::vector<std::pair<Var, Expr>> lets_;
};

// ln 2 in two parts; the first has 9 significant bits fewer, so n * kLn2High is exact for |n| < 512.
constexpr double kLn2High = 0x1.62e4p-1, kLn2Low = 0x1.7f7d1cp-20;
constexpr double kLog2E = 1.4426950408889634;
// Adding 1.5 * 2^23 leaves the nearest integer (halves to even) in the low bits of the mantissa.
constexpr double kRounder = 12582912.0;

/// n = round(y) as a float and as an integer.
struct Rounded {
  Expr value, integer;
};
Rounded rounded(F32& f, const Expr& y) {
  Expr shifted = f.keep("shifted", y + f.num(kRounder));
  return {f.keep("n", shifted - f.num(kRounder)),
          f.keep("n_int", f.bits_of(shifted) - f.bits_of(f.num(kRounder)))};
}

/// p * 2^n in two steps, so that neither factor leaves the range and only the last step rounds.
Expr scaled(F32& f, const Expr& p, const Expr& n) {
  Expr half = f.keep("half", n >> f.whole(1));
  return p * f.power_of_two(half) * f.power_of_two(n - half);
}

/// (e^r - 1 - r) / r^2 on |r| <= ln(2)/2, the Taylor series up to r^7: relative error of e^r 5e-9.
Expr exp_tail(F32& f, const Expr& r) {
  return f.polynomial(r, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040});
}

/// x - n ln 2, for the n nearest to x / ln 2.
Expr exp_remainder(F32& f, const Expr& x, const Rounded& n) {
  return f.keep("r", (x - n.value * f.num(kLn2High)) - n.value * f.num(kLn2Low));
}

/// e^x with the steps added to `f`.
Expr exp_steps(F32& f, const Expr& argument) {
  Expr x = f.keep("x", min(max(argument, f.num(-104)), f.num(89)));
  Rounded n = rounded(f, x * f.num(kLog2E));
  Expr r = exp_remainder(f, x, n);
  Expr p = f.keep("p", (r * r * exp_tail(f, r) + r) + f.num(1));
  return scaled(f, p, n.integer);
}

/// e^x - 1 with the steps added to `f`:  2 (2^(n-1) q + (2^(n-1) - 1/2))  with q = e^r - 1.
Expr expm1_steps(F32& f, const Expr& argument) {
  Expr x = f.keep("x", min(max(argument, f.num(-30)), f.num(89)));
  Rounded n = rounded(f, x * f.num(kLog2E));
  Expr r = exp_remainder(f, x, n);
  Expr q = f.keep("q", r * r * exp_tail(f, r) + r);
  Expr half_power = f.keep("half_power", f.power_of_two(n.integer - f.whole(1)));
  Expr sum = f.num(2) * (half_power * q + (half_power - f.num(0.5)));
  return select(n.value == f.num(0), q, sum);
}

/// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for positive finite x.
struct LogParts {
  Expr k, f;
};
LogParts log_parts(F32& f, const Expr& x) {
  Expr tiny = x < f.num(std::numeric_limits<float>::min());
  Expr normal = f.keep("normal", select(tiny, x * f.num(8388608.0), x));
  // Bits of sqrt(1/2): mantissas from there on belong to the next power of two.
  Expr offset = f.keep("offset", f.bits_of(normal) - f.whole(0x3f3504f3));
  Expr k = offset >> f.whole(23);
  Expr mantissa = f.from_bits(f.bits_of(normal) - (k << f.whole(23)));
  Expr exponent = cast(kFloat32, k) - select(tiny, f.num(23), f.num(0));
  return {f.keep("k", exponent), f.keep("f", mantissa - f.num(1))};
}

/// The pieces of log(1 + f) = f - (f^2/2 - s (f^2/2 + R)), s = f / (2 + f), where R is the odd series
/// 2/3 s^2 + 2/5 s^4 + ... without its first term (the scheme of FreeBSD's msun, e_logf.c).
struct LogSeries {
  Expr half_square, correction;  ///< f^2/2 and s (f^2/2 + R)
};
LogSeries log_series(F32& f, const Expr& x) {
  Expr s = f.keep("s", x / (x + f.num(2)));
  Expr z = f.keep("z", s * s);
  Expr r = z * f.polynomial(z, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11});
  Expr half_square = f.keep("half_square", f.num(0.5) * x * x);
  return {half_square, f.keep("correction", s * (half_square + r))};
}

/// The values of a logarithm where the argument (its distance above `pole`) is no positive number.
Expr log_limits(F32& f, const Expr& x, double pole, const Expr& value) {
  const Expr infinity = f.num(std::numeric_limits<double>::infinity());
  Expr result = select(x == infinity, infinity, value);
  result = select(x == f.num(pole), -infinity, result);
  // Also where x is NaN.
  return select(x >= f.num(pole), result, f.num(std::numeric_limits<double>::quiet_NaN()));
}

Expr with_sign_of(const F32& f, const Expr& magnitude, const Expr& sign) {
  const Expr mask = f.whole(int64_t{-1} << 31);
  return f.from_bits(f.bits_of(magnitude) | (f.bits_of(sign) & mask));
}

Expr magnitude_of(const F32& f, const Expr& x) {
  return f.from_bits(f.bits_of(x) & f.whole(0x7fffffff));
}

}  // namespace

Expr exp_f32(const Expr& x) {
  F32 f(x);
  return f.result(exp_steps(f, x));
}

Expr exp2_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("x", min(max(argument, f.num(-151)), f.num(129)));
  Rounded n = rounded(f, x);
  Expr r = f.keep("r", x - n.value);
  // 2^r = e^(r ln 2): ln(2)^k / k!.
  Expr p =
      f.keep("p", f.polynomial(r, {1.0, 0.6931471805599453, 0.2402265069591007, 0.05550410866482158,
                                   0.009618129107628477, 0.0013333558146428443,
                                   0.0001540353039338161, 1.525273380405984e-05}));
  return f.result(scaled(f, p, n.integer));
}

Expr expm1_f32(const Expr& x) {
  F32 f(x);
  Expr value = f.keep("value", expm1_steps(f, x));
  // Keeps the sign of zero, which the sums above lose.
  return f.result(select(x == f.num(0), x, value));
}

Expr log_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("x", argument);
  LogParts parts = log_parts(f, x);
  LogSeries series = log_series(f, parts.f);
  Expr low = series.correction + parts.k * f.num(kLn2Low);
  Expr value = parts.k * f.num(kLn2High) - ((series.half_square - low) - parts.f);
  return f.result(log_limits(f, x, 0, value));
}

Expr log2_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("x", argument);
  LogParts parts = log_parts(f, x);
  LogSeries series = log_series(f, parts.f);
  // log(1 + f) as high + low with 12 bits cut off the high part, so that its product with the high part
  // of 1/ln 2 is exact.
  Expr sum = f.keep("sum", parts.f - series.half_square);
  Expr high = f.keep("high", f.from_bits(f.bits_of(sum) & f.whole(~int64_t{0xfff})));
  Expr low = f.keep("low", ((parts.f - high) - series.half_square) + series.correction);
  constexpr double kHigh = 0x1.715p+0, kLow = kLog2E - kHigh;
  Expr value = (((low + high) * f.num(kLow) + low * f.num(kHigh)) + high * f.num(kHigh)) + parts.k;
  return f.result(log_limits(f, x, 0, value));
}

Expr log1p_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("x", argument);
  Expr sum = f.keep("sum", x + f.num(1));
  LogParts parts = log_parts(f, sum);
  // What the rounding of 1 + x lost, as a part of it.
  Expr lost = select(x >= f.num(1), f.num(1) - (sum - x), x - (sum - f.num(1)));
  Expr near = f.keep("near", x > f.num(-0.29) && x < f.num(0.41));
  Expr c = f.keep("c", select(near, f.num(0), lost / sum));
  Expr fraction = f.keep("fraction", select(near, x, parts.f));
  Expr k = f.keep("exponent", select(near, f.num(0), parts.k));
  LogSeries series = log_series(f, fraction);
  Expr low = series.correction + (k * f.num(kLn2Low) + c);
  Expr value = k * f.num(kLn2High) - ((series.half_square - low) - fraction);
  // Keeps the sign of zero.
  value = select(x == f.num(0), x, value);
  return f.result(log_limits(f, x, -1, value));
}

Expr tanh_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("argument", argument);
  Expr twice = f.keep("twice", f.num(2) * min(magnitude_of(f, x), f.num(10)));
  Expr t = f.keep("t", expm1_steps(f, twice));
  return f.result(with_sign_of(f, t / (t + f.num(2)), x));
}

Expr sigmoid_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("argument", argument);
  Expr e = f.keep("e", exp_steps(f, -magnitude_of(f, x)));
  Expr numerator = select(x >= f.num(0), f.num(1), e);
  Expr value = numerator / (e + f.num(1));
  return f.result(select(isnan(x), x, value));
}

Expr erf_f32(const Expr& argument) {
  F32 f(argument);
  Expr x = f.keep("argument", argument);
  Expr magnitude = f.keep("magnitude", min(magnitude_of(f, x), f.num(4)));
  // |x| <= 1: erf(x) / x - 1 as a polynomial in x^2, Chebyshev fit, error 4e-11.
  Expr square = f.keep("square", magnitude * magnitude);
  Expr small = magnitude +
               magnitude * f.polynomial(square, {0.1283791671, -0.3761263847, 0.112837825,
                                                 -0.02686543073, 0.005221031808, -0.0008484080406,
                                                 0.0001126595903, -9.667044571e-6});
  // Above: 1 - e^p with p = log(erfc) as a polynomial on [1, 4], Chebyshev fit, error 2e-8.
  Expr p = f.polynomial(magnitude, {0.000320138049678, -1.13023343484, -0.631826051559,
                                    -0.110080082949, 0.0264211360057, -0.00475959629327,
                                    0.000596805625661, -4.60580426892e-5, 1.63715141459e-6});
  Expr large = f.num(1) - exp_steps(f, p);
  Expr value = select(magnitude <= f.num(1), small, large);
  value = with_sign_of(f, value, x);
  return f.result(select(isnan(x), x, value));
}

Expr rsqrt_f32(const Expr& x) { return F32(x).num(1) / sqrt(x); }

}  // namespace tilewright::lower
