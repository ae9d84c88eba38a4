#include "casters.h"
#include "tilewright/api/operator.h"
#include "tilewright/ops/templates.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using ops::OpInstance;

// Parameter values as the commands take them: True is "1", (3, 5) is "3x5".
std::string parameter_text(const std::string& name, py::handle value) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True ? "1" : "0";
  if (py::isinstance<py::str>(value)) return py::cast<std::string>(value);
  if (PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) {
    std::string text;
    for (py::handle item : value) text += (text.empty() ? "" : "x") + parameter_text(name, item);
    return text;
  }
  if (PyIndex_Check(value.ptr())) return py::cast<std::string>(py::str(value.attr("__index__")()));
  DType dtype;
  if (load_dtype(value, dtype)) return to_string(dtype);
  throw py::type_error(
      fmt::format("parameter {}: expected an int, a pair, a bool, a str or a dtype, got {}", name,
                  Py_TYPE(value.ptr())->tp_name));
}

OpInstance make_operator(const std::string& name, const py::kwargs& parameters) {
  ops::TextValues values;
  for (const auto& [key, value] : parameters) {
    const auto parameter = py::cast<std::string>(key);
    values[parameter] = parameter_text(parameter, value);
  }
  return ops::instantiate(name, values);
}

std::string parameters_text(const ops::OpDefinition& op) {
  std::string text = op.help + "\n";
  for (const ops::ParameterSpec& p : op.parameters) {
    text += fmt::format("\n    {} = {}: {}", p.name, p.default_value, p.help);
    if (!p.choices.empty()) text += fmt::format(" ({})", fmt::join(p.choices, ", "));
  }
  return text;
}

}  // namespace

void bind_ops(py::module_& m) {
  py::class_<OpInstance>(m, "Operator", "An operator with all its parameters fixed.")
      .def_readonly("name", &OpInstance::op)
      .def_readonly("args", &OpInstance::args, "All parameters in canonical spelling.")
      .def_readonly("inputs", &OpInstance::inputs)
      .def_readonly("outputs", &OpInstance::outputs)
      .def_readonly("dtypes", &OpInstance::dtypes, "Of inputs, then outputs.")
      .def_readonly("layouts", &OpInstance::layouts)
      .def_readonly("func", &OpInstance::func, "Parameters are inputs, then outputs.")
      .def_readonly("operation_count", &OpInstance::operation_count,
                    "Arithmetic operations of one call.")
      .def_property_readonly(
          "task_key", [](const OpInstance& op) { return task_key(op).key(); },
          "What tuning records are looked up by.")
      .def("__repr__",
           [](const OpInstance& op) { return "<Operator " + task_key(op).key() + ">"; });

  m.def(
      "op_names",
      [] {
        std::vector<std::string> names;
        for (const ops::OpDefinition& op : ops::definitions()) names.push_back(op.name);
        return names;
      },
      "All operators, in alphabetical order.");
  m.def(
      "op_help",
      [](const std::string& name) { return parameters_text(ops::find_definition(name)); },
      py::arg("name"), "What an operator computes and its parameters with their defaults.");
  m.def("make_operator", &make_operator, py::arg("name"),
        "The operator with these parameters; those not given have their defaults. Raises "
        "ExpressionError "
        "(ops.unknown_op, ops.unknown_parameter, ops.bad_value) naming the nearest one.");
  m.def(
      "op_templates",
      [](const std::string& name) {
        std::vector<std::string> names;
        for (const ops::NamedTemplate& row : ops::templates_for(ops::find_definition(name).name)) {
          names.push_back(row.name);
        }
        return names;
      },
      py::arg("name"),
      "The tuning templates of an operator, in the order in which they are tried.");
  m.def(
      "apply_template",
      [](const OpInstance& op, const std::string& name, schedule::Schedule& sch,
         const std::optional<TargetLike>& target, std::optional<int> threads) {
        std::vector<std::string> names;
        for (const ops::NamedTemplate& row : ops::templates_for(op.op)) {
          names.push_back(row.name);
          if (row.name != name) continue;
          row.apply(sch, target ? target->target : Target::host(),
                    threads ? *threads : runtime::default_num_threads());
          return;
        }
        fail("ops.unknown_template", "operator '{}' has no template '{}'; it has: {}", op.op, name,
             fmt::join(names, ", "));
      },
      py::arg("op"), py::arg("name"), py::arg("sch"), py::arg("target") = py::none(),
      py::arg("threads") = py::none(),
      "Applies a tuning template of the operator to a fresh schedule.");
}

}  // namespace tilewright::python
