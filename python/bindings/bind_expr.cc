#include "casters.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using ir::Expr;
using ir::Var;

bool truth(const Expr& e) {
  if (e.dtype().is_bool()) {
    if (const int64_t* constant = ir::as_const_int(e)) return *constant != 0;
  }
  fail("te.truth_value",
       "'{}' has no truth value while the program is written; its value is known only when it "
       "runs.\n"
       "  instead of `a and b`         write tw.logical_and(a, b), or a & b\n"
       "  instead of `a or b`          write tw.logical_or(a, b), or a | b\n"
       "  instead of `not a`           write tw.logical_not(a), or ~a\n"
       "  instead of `x if a else y`   write tw.select(a, x, y), or tw.if_then_else(a, x, y), "
       "which\n"
       "                               evaluates only the chosen side\n"
       "  instead of `0 <= i < n`      write tw.logical_and(0 <= i, i < n)\n"
       "  instead of `min(a, b)`       write tw.min(a, b)",
       ir::to_pretty(e));
}

int64_t constant_int(const Expr& e) {
  if (const int64_t* constant = ir::as_const_int(e)) return *constant;
  throw py::type_error("'" + ir::to_pretty(e) + "' is no constant integer");
}

double constant_float(const Expr& e) {
  if (const int64_t* constant = ir::as_const_int(e)) return static_cast<double>(*constant);
  if (const auto* constant = e.as<ir::FloatImmNode>()) return constant->value;
  throw py::type_error("'" + ir::to_pretty(e) + "' is no constant");
}

Expr invert(const Expr& e) { return e.dtype().is_bool() ? !e : ~e; }

using Operator = Expr (*)(Expr, Expr);

void bind_operator(py::class_<Expr>& cls, const char* name, Operator op, bool reflected = true) {
  const std::string plain = fmt::format("__{}__", name), reverse = fmt::format("__r{}__", name);
  cls.def(
      plain.c_str(), [op](const Expr& a, const ExprLike& b) { return op(a, b.expr); },
      py::is_operator());
  if (!reflected) return;
  cls.def(
      reverse.c_str(), [op](const Expr& a, const ExprLike& b) { return op(b.expr, a); },
      py::is_operator());
}

Expr fold_bools(const py::args& conditions, Expr (*op)(Expr, Expr), const char* name) {
  if (conditions.empty()) throw py::type_error(std::string(name) + " needs at least one condition");
  Expr result;
  for (py::handle item : conditions) {
    const Expr condition = to_expr(item, name);
    result = result.defined() ? op(result, condition) : condition;
  }
  return result;
}

}  // namespace

void bind_expr(py::module_& m) {
  py::class_<Expr> cls(
      m, "Expr",
      "A scalar expression. Operators take expressions and Python or NumPy numbers, which "
      "become literals of the other side's dtype. `//` and `%` round towards minus infinity "
      "(integers), `/` is for floats, `&`, `|` and `~` are logical on bools. Comparisons "
      "give expressions; `e.same_as(f)` compares identity.");
  cls.def(py::init([](const ExprLike& value) { return value.expr; }), py::arg("value"),
          "A literal: int is int32 or int64 as the value needs, float is float32.")
      .def_property_readonly("dtype", [](const Expr& e) { return e.dtype(); })
      .def(
          "astype", [](const Expr& e, const DTypeLike& dtype) { return ir::cast(dtype.dtype, e); },
          py::arg("dtype"),
          "The value converted: float to int truncates, saturates, and NaN gives 0.")
      .def(
          "same_as", [](const Expr& a, const Expr& b) { return a.same_as(b); }, py::arg("other"))
      .def("__bool__", &truth)
      .def("__int__", &constant_int)
      .def("__float__", &constant_float)
      .def("__hash__", [](const Expr& e) { return std::hash<const void*>()(e.get()); })
      .def("__neg__", [](const Expr& a) { return -a; })
      .def("__pos__", [](const Expr& a) { return a; })
      .def("__invert__", &invert)
      .def("__abs__", [](const Expr& a) { return ir::abs(a); })
      .def("__str__", [](const Expr& e) { return ir::to_pretty(e); })
      .def("__repr__", [](const Expr& e) { return ir::to_pretty(e); });
  // NumPy scalars on the left leave the operator to us.
  cls.attr("__array_ufunc__") = py::none();
  bind_operator(cls, "add", &ir::operator+);
  bind_operator(cls, "sub", &ir::operator-);
  bind_operator(cls, "mul", &ir::operator*);
  bind_operator(cls, "truediv", &ir::operator/);
  bind_operator(cls, "floordiv", &ir::floor_div);
  bind_operator(cls, "mod", &ir::floor_mod);
  bind_operator(cls, "pow", &ir::pow);
  bind_operator(cls, "and", &ir::operator&);
  bind_operator(cls, "or", &ir::operator|);
  bind_operator(cls, "xor", &ir::operator^);
  bind_operator(cls, "lshift", &ir::operator<<);
  bind_operator(cls, "rshift", &ir::operator>>);
  bind_operator(cls, "lt", &ir::operator<, false);
  bind_operator(cls, "le", &ir::operator<=, false);
  bind_operator(cls, "gt", &ir::operator>, false);
  bind_operator(cls, "ge", &ir::operator>=, false);
  bind_operator(cls, "eq", &ir::operator==, false);
  bind_operator(cls, "ne", &ir::operator!=, false);

  py::class_<Var, Expr>(m, "Var", "A variable: an axis of a compute, a size or a scalar argument.")
      .def_property_readonly("name", [](const Var& v) { return v.name(); });

  py::class_<te::ReduceAxis, Var>(m, "ReduceAxis", "An axis that a reducer folds away.")
      .def_property_readonly(
          "dom",
          [](const te::ReduceAxis& axis) {
            return py::make_tuple(extent_to_python(axis.dom().min),
                                  extent_to_python(axis.dom().extent));
          },
          "(first, extent).");

  m.def("var", &te::var, py::arg("name"),
        "A symbolic size (int64, >= 0) for shapes, extents and values. Two calls give two sizes, "
        "also with "
        "one name; the value comes from the shapes of the arguments at the call.");
  m.def("size_var", &te::size_var, py::arg("name"), "The same as `var`.");
  m.def(
      "scalar",
      [](std::string name, const DTypeLike& t) { return te::scalar(std::move(name), t.dtype); },
      py::arg("name"), py::arg("dtype"),
      "A scalar argument of the function, to be listed among the arguments of create_prim_func.");
  m.def(
      "constant",
      [](const DTypeLike& t, const py::object& value) {
        if (PyLong_Check(value.ptr())) return te::constant_int(t.dtype, py::cast<int64_t>(value));
        return te::constant(t.dtype, py::cast<double>(value));
      },
      py::arg("dtype"), py::arg("value"),
      "A constant of exactly this dtype. Raises ExpressionError (te.bad_constant).");
  m.def(
      "logical_and",
      [](const py::Args<ExprLike>& conditions) {
        return fold_bools(
            conditions, [](Expr a, Expr b) { return a && b; }, "logical_and");
      },
      "True where all conditions are (bools; all are evaluated).");
  m.def(
      "logical_or",
      [](const py::Args<ExprLike>& conditions) {
        return fold_bools(
            conditions, [](Expr a, Expr b) { return a || b; }, "logical_or");
      },
      "True where any condition is (bools; all are evaluated).");
  m.def(
      "logical_not", [](const ExprLike& condition) { return !condition.expr; },
      py::arg("condition"));
}

}  // namespace tilewright::python
