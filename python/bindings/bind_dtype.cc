#include "arrays.h"
#include "casters.h"

namespace tilewright::python {

void bind_dtype(py::module_& m) {
  py::class_<DType>(
      m, "DType",
      "An element type: bool, int8..int64, uint8..uint64, float16, bfloat16, float32, float64. "
      "Equal to its name: `A.dtype == \"float32\"`.")
      .def(py::init([](const DTypeLike& dtype) { return dtype.dtype; }), py::arg("dtype"),
           "From a name, a NumPy dtype or scalar type. Raises ExpressionError (dtype.unknown).")
      .def_property_readonly("name", [](DType t) { return to_string(t); })
      .def_property_readonly("bits", [](DType t) { return static_cast<int>(t.bits); })
      .def_property_readonly("lanes", [](DType t) { return static_cast<int>(t.lanes); })
      .def_property_readonly("is_float", &DType::is_float)
      .def_property_readonly("is_integer", &DType::is_integer, "Signed or unsigned, not bool.")
      .def("to_numpy", &numpy_dtype,
           "The numpy.dtype of the same elements; bfloat16 needs the package ml_dtypes.")
      .def("__eq__",
           [](DType t, const py::object& other) {
             if (py::isinstance<DType>(other)) return py::cast<DType>(other) == t;
             return py::isinstance<py::str>(other) && py::cast<std::string>(other) == to_string(t);
           })
      .def("__hash__", [](DType t) { return py::hash(py::str(to_string(t))); })
      .def("__str__", [](DType t) { return to_string(t); })
      .def("__repr__", [](DType t) { return "DType('" + to_string(t) + "')"; });
}

}  // namespace tilewright::python
