#include "casters.h"
#include "tilewright/support/error.h"

/// \file
/// Tensors that are no formula for each element: scans and extern computations; and assumptions.

namespace tilewright::python {
namespace {

using ir::Expr;
using ir::Var;
using te::Scan;
using te::ScanValue;
using te::Tensor;

std::vector<Expr> to_indices(py::handle key, const std::string& what) {
  std::vector<Expr> indices;
  for (const py::object& item : one_or_many(key)) indices.push_back(to_expr(item, what));
  return indices;
}

py::tuple to_tuple(const std::vector<Var>& vars) {
  py::tuple result(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) result[i] = py::cast(vars[i]);
  return result;
}

te::ComputeFunction formula(const py::object& function, const std::string& what) {
  return [function, what](const std::vector<Var>& axes) {
    return std::vector<Expr>{to_expr(function(*to_tuple(axes)), what)};
  };
}

template <typename T>
py::object one_or_tuple(const std::vector<T>& items) {
  if (items.size() == 1) return py::cast(items[0]);
  py::tuple result(items.size());
  for (size_t i = 0; i < items.size(); ++i) result[i] = py::cast(items[i]);
  return result;
}

te::ScanStateOptions state_options(std::string name, int64_t axis,
                                   const std::optional<DTypeLike>& dtype) {
  te::ScanStateOptions options{std::move(name), axis};
  if (dtype) options.dtype = dtype->dtype;
  return options;
}

ScanValue add_state(Scan& scan, const ShapeLike& shape, const py::object& init, std::string name,
                    int64_t axis, const std::optional<DTypeLike>& dtype) {
  const std::string what = "the initial value of state '" + name + "'";
  te::ComputeFunction function;
  if (PyCallable_Check(init.ptr()) && !py::isinstance<Expr>(init) &&
      !py::isinstance<Tensor>(init)) {
    function = formula(init, what);
  } else if (py::isinstance<Tensor>(init)) {
    function = [tensor = py::cast<Tensor>(init)](const std::vector<Var>& axes) {
      return std::vector<Expr>{tensor(axes)};
    };
  } else {
    const Expr value = to_expr(init, what);
    function = [value](const std::vector<Var>&) { return std::vector<Expr>{value}; };
  }
  return scan.add_state(shape.extents, function, state_options(std::move(name), axis, dtype));
}

void bind_scan(py::module_& m) {
  py::class_<ScanValue>(m, "ScanValue",
                        "A value inside of a scan: a state as it was before the step, or an "
                        "intermediate value of the step. Only formulas of its scan may read it.")
      .def_property_readonly("shape", [](const ScanValue& v) { return shape_to_python(v.shape()); })
      .def_property_readonly("dtype", &ScanValue::dtype)
      .def_property_readonly("name", &ScanValue::name)
      .def(
          "__getitem__",
          [](const ScanValue& v, const py::object& key) {
            return v.at(to_indices(key, "an index of '" + v.name() + "'"));
          },
          py::arg("indices"))
      .attr("__iter__") = py::none();
  py::class_<Scan>(m, "Scan",
                   "A recurrence over the steps 0 .. steps-1 with any number of states and "
                   "intermediate values.\n\n"
                   "    scan = te.Scan(n, \"rnn\")\n"
                   "    h = scan.state((m,), 0.0, \"h\")\n"
                   "    z = scan.compute((m,), lambda i: te.sum(w[i, k] * h[k], k), \"z\")\n"
                   "    scan.update(h, lambda i: te.tanh(z[i] + x[scan.step, i]))\n"
                   "    (out,) = scan.finish()            # out[t, i]: h after step t")
      .def(py::init([](const ExprLike& steps, std::string name) {
             return Scan(steps.expr, std::move(name));
           }),
           py::arg("steps"), py::arg("name") = "scan")
      .def_property_readonly("step", &Scan::step, "The number of the step.")
      .def("state", &add_state, py::arg("shape"), py::arg("init") = 0.0, py::arg("name") = "state",
           py::arg("axis") = 0, py::arg("dtype") = py::none(),
           "A state of `shape`, before the first step `init`: a number, a tensor, or a function of "
           "the indices. `axis` is where the step stands among the result's dimensions.")
      .def(
          "compute",
          [](Scan& scan, const ShapeLike& shape, const py::function& function, std::string name) {
            return scan.add_value(shape.extents, formula(function, "the value '" + name + "'"),
                                  name);
          },
          py::arg("shape"), py::arg("function"), py::arg("name") = "value",
          "An intermediate value of each step.")
      .def(
          "update",
          [](Scan& scan, const ScanValue& state, const py::function& function) {
            scan.set_update(state, formula(function, "the update of a state"));
          },
          py::arg("state"), py::arg("function"), "The state after the step; exactly one each.")
      .def(
          "finish",
          [](Scan& scan) {
            const std::vector<Tensor> results = scan.finish();
            py::tuple tensors(results.size());
            for (size_t i = 0; i < results.size(); ++i) tensors[i] = py::cast(results[i]);
            return tensors;
          },
          "The results, a tuple of one tensor per state. Raises ExpressionError (te.scan_update).");
  m.def(
      "scan",
      [](const ExprLike& steps, const ShapeLike& shape, const py::object& init,
         const py::function& update, const std::string& name, int64_t axis,
         const std::optional<DTypeLike>& dtype) {
        Scan scan(steps.expr, name);
        const ScanValue state = add_state(scan, shape, init, name, axis, dtype);
        scan.set_update(state, [&](const std::vector<Var>& axes) {
          const py::object value = update(scan.step(), state, *to_tuple(axes));
          return std::vector<Expr>{to_expr(value, "the update of scan '" + name + "'")};
        });
        return scan.finish()[0];
      },
      py::arg("steps"), py::arg("shape"), py::arg("init"), py::arg("update"),
      py::arg("name") = "scan", py::arg("axis") = 0, py::arg("dtype") = py::none(),
      "A recurrence with one state: `update(t, before, i, ...)` gives the state after step t.\n\n"
      "    s = te.scan(n, (m,), 0.0, lambda t, before, i: before[i] + x[t, i], \"cumsum\")\n\n"
      "Raises ExpressionError: te.scan_update, te.scan_dtype, te.scan_axis, and what compute "
      "does.");
}

std::vector<te::ExternOutput> to_outputs(const py::object& shapes, const py::object& dtypes) {
  std::vector<te::ExternOutput> outputs;
  // One shape, or a list of them.
  std::vector<py::object> list;
  if (PyList_Check(shapes.ptr())) {
    list = one_or_many(shapes);
  } else {
    list.push_back(shapes);
  }
  const std::vector<py::object> types = one_or_many(dtypes);
  if (types.size() != 1 && types.size() != list.size()) {
    fail("te.extern_body", "{} dtypes for {} outputs", types.size(), list.size());
  }
  for (size_t i = 0; i < list.size(); ++i) {
    te::ExternOutput out;
    out.shape = py::cast<ShapeLike>(list[i]).extents;
    out.dtype = py::cast<DTypeLike>(types[types.size() == 1 ? 0 : i]).dtype;
    outputs.push_back(std::move(out));
  }
  return outputs;
}

py::list to_list(const std::vector<ir::Buffer>& buffers) {
  py::list result;
  for (const ir::Buffer& buffer : buffers) result.append(py::cast(buffer));
  return result;
}

void bind_extern(py::module_& m) {
  m.def(
      "extern",
      [](const py::object& shape, const std::vector<Tensor>& inputs, const py::function& body,
         const py::object& dtype, std::string name) {
        const te::ExternBody call = [&](ir::IRBuilder& b, const std::vector<ir::Buffer>& in,
                                        const std::vector<ir::Buffer>& out) {
          body(py::cast(&b, py::return_value_policy::reference), to_list(in), to_list(out));
        };
        return one_or_tuple(te::extern_op(to_outputs(shape, dtype), inputs, call, std::move(name)));
      },
      py::arg("shape"), py::arg("inputs"), py::arg("body"), py::arg("dtype") = "float32",
      py::arg("name") = "extern",
      "Tensors made by statements: `body(b, inputs, outputs)` writes them with the IRBuilder b. "
      "`shape` is one shape, or a list of them for several outputs.\n\n"
      "    def reverse(b, ins, outs):\n"
      "        with b.loop(\"i\", n) as i:\n"
      "            b.store(outs[0], n - 1 - i, ins[0][i])\n"
      "    y = te.extern((n,), [x], reverse, name=\"reverse\")\n\n"
      "Raises ExpressionError: te.extern_undeclared, te.extern_body, te.unbound_variable, ...");
  m.def(
      "extern_call",
      [](const py::object& shape, const std::vector<Tensor>& inputs, std::string symbol,
         const py::object& sizes, const py::object& dtype, std::string name) {
        std::vector<Expr> values;
        for (const py::object& item : one_or_many(sizes)) {
          values.push_back(to_expr(item, "a size given to a C function"));
        }
        return one_or_tuple(te::extern_call(to_outputs(shape, dtype), inputs, std::move(symbol),
                                            std::move(values), std::move(name)));
      },
      py::arg("shape"), py::arg("inputs"), py::arg("symbol"), py::arg("sizes") = py::tuple(),
      py::arg("dtype") = "float32", py::arg("name") = "extern",
      "Tensors made by the C function `void symbol(inputs..., outputs..., sizes...)`: addresses of "
      "row-major tensors, then integers as int64_t and floats as float or double. Give its address "
      "to build(externs={symbol: ...}), and a Python function that does the same to "
      "testing.interpret(externs={symbol: ...}).");
}

void bind_assume(py::module_& m) {
  m.def(
      "assume",
      [](const ExprLike& value, const std::optional<ExprLike>& begin,
         const std::optional<ExprLike>& end) {
        if (begin.has_value() != end.has_value()) {
          throw py::type_error("assume takes a condition, or a value with both ends of its range");
        }
        return begin ? te::assume(value.expr, begin->expr, end->expr) : te::assume(value.expr);
      },
      py::arg("value"), py::arg("begin") = py::none(), py::arg("end") = py::none(),
      "`assume(n % 8 == 0)`: what the caller guarantees about sizes, to be listed among the "
      "arguments "
      "of create_prim_func; a call that breaks it raises CallError (call.assumption).\n\n"
      "`assume(index[i], 0, rows)`: the value, of which the caller guarantees that it lies in "
      "[begin, "
      "end); for data used as an index. Tested by the interpreter and in checked builds.\n\n"
      "Raises ExpressionError (te.bad_assumption).");
}

}  // namespace

void bind_recurrence(py::module_& m) {
  bind_scan(m);
  bind_extern(m);
  bind_assume(m);
}

}  // namespace tilewright::python
