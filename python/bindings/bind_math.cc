#include "casters.h"

namespace tilewright::python {
namespace {

using ir::Expr;

struct UnaryRow {
  const char* name;
  Expr (*function)(Expr);
  const char* doc;
};
constexpr UnaryRow kUnary[] = {
    {"abs", &ir::abs, "Magnitude; of the smallest integer itself."},
    {"sqrt", &ir::sqrt, "Square root of a float."},
    {"rsqrt", &ir::rsqrt, "1 / sqrt(x) of a float."},
    {"exp", &ir::exp, "e**x of a float."},
    {"exp2", &ir::exp2, "2**x of a float."},
    {"log", &ir::log, "Natural logarithm of a float."},
    {"log2", &ir::log2, "Logarithm to base 2 of a float."},
    {"log1p", &ir::log1p, "log(1 + x) of a float."},
    {"expm1", &ir::expm1, "exp(x) - 1 of a float."},
    {"tanh", &ir::tanh, "Hyperbolic tangent of a float."},
    {"sigmoid", &ir::sigmoid, "1 / (1 + exp(-x)) of a float."},
    {"erf", &ir::erf, "Error function of a float."},
    {"sin", &ir::sin, "Sine of a float in radians."},
    {"cos", &ir::cos, "Cosine of a float in radians."},
    {"floor", &ir::floor, "Largest integral value not above a float."},
    {"ceil", &ir::ceil, "Smallest integral value not below a float."},
    {"trunc", &ir::trunc, "A float without its fraction."},
    {"round", &ir::round, "Nearest integral value of a float, halves to even."},
    {"isnan", &ir::isnan, "Bool: the float is NaN."},
    {"isinf", &ir::isinf, "Bool: the float is infinite."},
};

struct BinaryRow {
  const char* name;
  Expr (*function)(Expr, Expr);
  const char* doc;
};
constexpr BinaryRow kBinary[] = {
    {"floor_div", &ir::floor_div, "Integer quotient rounded to minus infinity, as `//`."},
    {"floor_mod", &ir::floor_mod, "Integer remainder with the divisor's sign, as `%`."},
    {"trunc_div", &ir::trunc_div, "Integer quotient rounded to zero, as C's `/`."},
    {"trunc_mod", &ir::trunc_mod, "Integer remainder with the dividend's sign, as C's `%`."},
    {"ceil_div", &ir::ceil_div, "floor_div(a + b - 1, b)."},
    {"minimum", &ir::min, "Elementwise minimum; NaN where either is (numpy.minimum)."},
    {"maximum", &ir::max, "Elementwise maximum; NaN where either is (numpy.maximum)."},
    {"fmin", &ir::fmin, "Minimum of floats that ignores one NaN (numpy.fmin)."},
    {"fmax", &ir::fmax, "Maximum of floats that ignores one NaN (numpy.fmax)."},
    {"pow", &ir::pow, "x**y of floats."},
};

}  // namespace

void bind_math(py::module_& m) {
  for (const UnaryRow& row : kUnary) {
    m.def(
        row.name, [f = row.function](const ExprLike& x) { return f(x.expr); }, py::arg("x"),
        row.doc);
  }
  for (const BinaryRow& row : kBinary) {
    m.def(
        row.name,
        [f = row.function](const ExprLike& a, const ExprLike& b) { return f(a.expr, b.expr); },
        py::arg("a"), py::arg("b"), row.doc);
  }
  m.def(
      "select",
      [](const ExprLike& condition, const ExprLike& a, const ExprLike& b) {
        return ir::select(condition.expr, a.expr, b.expr);
      },
      py::arg("condition"), py::arg("true_value"), py::arg("false_value"),
      "One of two values; both are evaluated, so both must be safe to evaluate.");
  m.def(
      "if_then_else",
      [](const ExprLike& condition, const ExprLike& a, const ExprLike& b) {
        return ir::if_then_else(condition.expr, a.expr, b.expr);
      },
      py::arg("condition"), py::arg("true_value"), py::arg("false_value"),
      "One of two values; only the chosen one is evaluated, so it may guard a read out of range.");
  m.def(
      "cast",
      [](const DTypeLike& dtype, const ExprLike& value) {
        return ir::cast(dtype.dtype, value.expr);
      },
      py::arg("dtype"), py::arg("value"),
      "The value converted: float to int truncates, saturates, and NaN gives 0.");
  m.def(
      "let",
      [](const ir::Var& var, const ExprLike& value, const ExprLike& body) {
        return ir::let(var, value.expr, body.expr);
      },
      py::arg("var"), py::arg("value"), py::arg("body"), "`body` with `var` standing for `value`.");
}

}  // namespace tilewright::python
