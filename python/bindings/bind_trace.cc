#include <fmt/format.h>

#include "values.h"

namespace tilewright::python {

using schedule::Instruction;
using schedule::Trace;
using schedule::Value;

py::object value_to_python(const Value& value) {
  if (const auto* list = std::get_if<Value::List>(&value.data)) {
    py::list result;
    for (const Value& item : *list) result.append(value_to_python(item));
    return result;
  }
  if (const bool* flag = std::get_if<bool>(&value.data)) return py::bool_(*flag);
  if (const int64_t* integer = std::get_if<int64_t>(&value.data)) return py::int_(*integer);
  if (const double* real = std::get_if<double>(&value.data)) return py::float_(*real);
  if (const std::string* text = std::get_if<std::string>(&value.data)) return py::str(*text);
  return py::none();
}

Value value_from_python(py::handle source, const std::string& what) {
  PyObject* object = source.ptr();
  if (source.is_none()) return Value();
  if (PyBool_Check(object)) return Value(object == Py_True);
  if (PyUnicode_Check(object)) return Value(py::cast<std::string>(source));
  if (PyFloat_Check(object)) return Value(py::cast<double>(source));
  if (PyIndex_Check(object)) return Value(py::cast<int64_t>(source));
  if (PyList_Check(object) || PyTuple_Check(object)) {
    Value::List list;
    for (py::handle item : source) list.push_back(value_from_python(item, what));
    return Value(std::move(list));
  }
  throw py::type_error(
      fmt::format("{}: expected None, bool, int, float, str or a list of these, got {}", what,
                  Py_TYPE(object)->tp_name));
}

namespace {

py::dict attributes_to_python(const schedule::Attributes& attributes) {
  py::dict result;
  for (const auto& [key, value] : attributes) result[py::str(key)] = value_to_python(value);
  return result;
}

}  // namespace

void bind_trace(py::module_& m) {
  py::class_<Instruction>(m, "Instruction",
                          "One recorded primitive; operands are handle names ('l0', 'b0').")
      .def_readonly("op", &Instruction::op)
      .def_readonly("version", &Instruction::version)
      .def_readonly("inputs", &Instruction::inputs)
      .def_property_readonly("attrs",
                             [](const Instruction& i) { return attributes_to_python(i.attrs); })
      .def_readonly("outputs", &Instruction::outputs)
      .def("__repr__", [](const Instruction& i) {
        return fmt::format("{} = {}({}, {})", fmt::join(i.outputs, ", "), i.op,
                           fmt::join(i.inputs, ", "),
                           py::cast<std::string>(py::str(attributes_to_python(i.attrs))));
      });

  py::class_<Trace>(m, "Trace",
                    "How a program was made: instructions, and the sampled decisions apart.")
      .def_readonly("sketch", &Trace::sketch)
      .def_readonly("instructions", &Trace::instructions)
      .def_property_readonly("decisions",
                             [](const Trace& t) {
                               py::dict result;
                               for (const auto& d : t.decisions) {
                                 result[py::str(d.name)] = value_to_python(d.value);
                               }
                               return result;
                             })
      .def_readonly("hash", &Trace::hash, "Of the scheduled program it gave.")
      .def("to_json", &Trace::to_json, "One line of JSON.")
      .def(
          "to_python",
          [](const Trace& t, const std::string& function, bool fix_decisions) {
            return t.to_python({function, fix_decisions});
          },
          py::arg("function") = "make_schedule", py::kw_only(), py::arg("fix_decisions") = false,
          "Source of a function that applies these steps to a PrimFunc and gives the Schedule. "
          "Sampled "
          "values are sampled again with the values preset, or plain numbers with "
          "fix_decisions=True.")
      .def(
          "to_cpp",
          [](const Trace& t, const std::string& function, bool fix_decisions) {
            return t.to_cpp({function, fix_decisions});
          },
          py::arg("function") = "make_schedule", py::kw_only(), py::arg("fix_decisions") = false,
          "The same in C++.")
      .def("migrated", &Trace::migrated,
           "The same steps in the current version of each instruction; replaying does this by "
           "itself. "
           "Raises TilewrightError (trace.version) for an instruction of a newer version.")
      .def_static(
          "from_json", [](const std::string& text) { return Trace::from_json(text); },
          py::arg("text"), "Raises TilewrightError (trace.parse, trace.version).")
      .def("__len__", [](const Trace& t) { return t.instructions.size(); })
      .def("__eq__",
           [](const Trace& t, const py::object& other) {
             return py::isinstance<Trace>(other) && t == py::cast<const Trace&>(other);
           })
      .def("__hash__", [](const Trace& t) { return py::hash(py::str(t.to_json())); })
      .def("__str__", &Trace::to_json)
      .def("__repr__", [](const Trace& t) {
        return fmt::format("<Trace of {} instructions, {} decisions>", t.instructions.size(),
                           t.decisions.size());
      });
}

}  // namespace tilewright::python
