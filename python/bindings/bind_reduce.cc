#include "casters.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using ir::Expr;
using ir::Var;

Expr optional_expr(const std::optional<ExprLike>& value) { return value ? value->expr : Expr(); }
std::optional<DType> optional_dtype(const std::optional<DTypeLike>& value) {
  if (!value) return std::nullopt;
  return value->dtype;
}

using Where = std::optional<ExprLike>;
using Fold = Expr (*)(Expr, const te::Axes&, Expr);
using Add = Expr (*)(Expr, const te::Axes&, Expr, std::optional<DType>);
using Pick = std::vector<Expr> (*)(Expr, Expr, const te::Axes&, Expr);

void bind_add(py::module_& m, const char* name, Add fold, const char* doc) {
  m.def(
      name,
      [fold](const ExprLike& source, const AxesLike& axis, const Where& where,
             const std::optional<DTypeLike>& acc_dtype) {
        return fold(source.expr, axis.axes, optional_expr(where), optional_dtype(acc_dtype));
      },
      py::arg("source"), py::arg("axis"), py::arg("where") = py::none(),
      py::arg("acc_dtype") = py::none(), doc);
}

void bind_fold(py::module_& m, const char* name, Fold fold, const char* doc) {
  m.def(
      name,
      [fold](const ExprLike& source, const AxesLike& axis, const Where& where) {
        return fold(source.expr, axis.axes, optional_expr(where));
      },
      py::arg("source"), py::arg("axis"), py::arg("where") = py::none(), doc);
}

void bind_pick(py::module_& m, const char* name, Pick pick, const char* doc) {
  m.def(
      name,
      [pick, name](const ExprLike& value, const AxesLike& axis, const Where& where,
                   const std::optional<ExprLike>& index) {
        if (!index && axis.axes.size() != 1) {
          fail("te.no_index",
               "{} over {} axes needs index=, an integer expression over them, such as i * n + j",
               name, axis.axes.size());
        }
        const Expr at = index ? index->expr : Expr(axis.axes[0]);
        const auto both = pick(at, value.expr, axis.axes, optional_expr(where));
        return std::make_pair(both[0], both[1]);
      },
      py::arg("value"), py::arg("axis"), py::arg("where") = py::none(),
      py::arg("index") = py::none(), doc);
}

py::tuple to_tuple(const std::vector<Var>& vars) {
  py::tuple result(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) result[i] = py::cast(vars[i]);
  return result;
}

ir::Reducer make_reducer(const py::function& combine, const py::object& identity, std::string name,
                         bool associative, bool commutative) {
  const te::Algebra algebra{associative, commutative};
  const bool tuple = PyTuple_Check(identity.ptr()) || PyList_Check(identity.ptr());
  std::vector<Expr> identities;
  for (const py::object& item : one_or_many(identity)) {
    identities.push_back(to_expr(item, "the identity of reducer '" + name + "'"));
  }
  const te::TupleCombine call = [&](const std::vector<Var>& lhs, const std::vector<Var>& rhs) {
    const py::object result =
        tuple ? combine(to_tuple(lhs), to_tuple(rhs)) : combine(py::cast(lhs[0]), py::cast(rhs[0]));
    std::vector<Expr> values;
    for (const py::object& item : one_or_many(result)) {
      values.push_back(to_expr(item, "the result of reducer '" + name + "'"));
    }
    return values;
  };
  return te::reducer(name, call, std::move(identities), algebra);
}

py::object reduce(const ir::Reducer& reducer, const py::object& source, const AxesLike& axis,
                  const Where& where) {
  std::vector<Expr> sources;
  for (const py::object& item : one_or_many(source)) {
    sources.push_back(to_expr(item, "the source of reducer '" + reducer->name + "'"));
  }
  const auto values = te::reduce(reducer, std::move(sources), axis.axes, optional_expr(where));
  if (!PyTuple_Check(source.ptr()) && !PyList_Check(source.ptr())) return py::cast(values.at(0));
  py::tuple result(values.size());
  for (size_t i = 0; i < values.size(); ++i) result[i] = py::cast(values[i]);
  return result;
}

void bind_axis(py::module_& m) {
  m.def(
      "reduce_axis",
      [](const py::object& dom, std::string name) {
        const std::vector<py::object> ends = one_or_many(dom);
        if (ends.size() == 2) {
          return te::reduce_axis(
              te::range(to_expr(ends[0], "reduce_axis"), to_expr(ends[1], "reduce_axis")),
              std::move(name));
        }
        if (ends.size() != 1)
          throw py::type_error("reduce_axis: expected an extent or (begin, end)");
        return te::reduce_axis(to_expr(ends[0], "reduce_axis"), std::move(name));
      },
      py::arg("dom"), py::arg("name") = "k",
      "An axis over [0, dom), or over [begin, end) given as a pair. The ends are ints or "
      "expressions over "
      "sizes. Raises ExpressionError (te.bad_range).");
}

}  // namespace

void bind_reduce(py::module_& m) {
  bind_axis(m);
  bind_add(m, "sum", &te::sum,
           "Sum over `axis` of the terms where `where` is true, in the dtype of `source` or in "
           "`acc_dtype`. "
           "Over no terms: 0.");
  bind_add(m, "prod", &te::prod, "Product, as `sum`. Over no terms: 1.");
  bind_fold(m, "max", &te::max,
            "Largest term; NaN when one is. Over no terms: -inf or the smallest integer.");
  bind_fold(m, "min", &te::min,
            "Smallest term; NaN when one is. Over no terms: +inf or the largest integer.");
  bind_fold(m, "any", &te::any, "True when a bool is. Over no terms: False.");
  bind_fold(m, "all", &te::all, "True when all bools are. Over no terms: True.");
  bind_pick(m, "argmax", &te::argmax,
            "(index, value) of the largest term; `index` is the axis unless given. Ties give the "
            "lowest index, "
            "the first NaN wins.");
  bind_pick(m, "argmin", &te::argmin, "(index, value) of the smallest term, as `argmax`.");

  py::class_<ir::Reducer>(m, "Reducer", "How terms are combined; call it to reduce an expression.")
      .def_property_readonly("name", [](const ir::Reducer& r) { return r->name; })
      .def_property_readonly("associative", [](const ir::Reducer& r) { return r->associative; })
      .def_property_readonly("commutative", [](const ir::Reducer& r) { return r->commutative; })
      .def("__call__", &reduce, py::arg("source"), py::arg("axis"), py::arg("where") = py::none(),
           "Folds an expression, or a tuple of them for a tuple reducer.");
  m.def("reducer", &make_reducer, py::arg("combine"), py::arg("identity"),
        py::arg("name") = "reducer", py::arg("associative") = false, py::arg("commutative") = false,
        "A reducer: `combine(accumulator, term)` gives the new accumulator, which begins as "
        "`identity`. With a "
        "tuple as identity, both arguments and the result are tuples.\n\n"
        "Only a reducer declared associative and commutative can be reordered, factored or spread "
        "over threads. "
        "A declaration is attacked with random integer triples at the first use: ExpressionError "
        "(te.not_associative, te.not_commutative) shows a counter-example.");
  m.def("reduce", &reduce, py::arg("reducer"), py::arg("source"), py::arg("axis"),
        py::arg("where") = py::none(), "Folds with any reducer: `reducer(source, axis, where)`.");
}

}  // namespace tilewright::python
