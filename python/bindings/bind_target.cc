#include "bindings.h"
#include "tilewright/target/target.h"

namespace tilewright::python {

void bind_target(py::module_& m) {
  py::class_<Target>(m, "Target",
                     "What code is generated for: \"cpu\", \"cpu -arch=x86_64 -features=+avx2,+fma "
                     "-cores=2\", ... "
                     "What is not given is taken from this machine.")
      .def(py::init([](const std::string& text) { return Target::parse(text); }),
           py::arg("text") = "cpu",
           "Raises BuildError: target.unknown_kind, target.unknown_option, target.unknown_feature, "
           "target.bad_value.")
      .def_static("host", &Target::host, "The machine this process runs on.")
      .def_property_readonly("kind", [](const Target& t) { return to_string(t.kind); })
      .def_readonly("arch", &Target::arch)
      .def_readonly("features", &Target::features)
      .def_readonly("triple", &Target::triple)
      .def_readonly("vector_bits", &Target::vector_bits)
      .def_readonly("vector_registers", &Target::vector_registers)
      .def_readonly("cores", &Target::cores)
      .def_readonly("l1d_bytes", &Target::l1d_bytes, "0: unknown.")
      .def_readonly("l2_bytes", &Target::l2_bytes)
      .def_readonly("l3_bytes", &Target::l3_bytes)
      .def(
          "has_feature",
          [](const Target& t, const std::string& name) { return t.has_feature(name); },
          py::arg("name"))
      .def("vector_lanes", &Target::vector_lanes, py::arg("bits"),
           "Elements of `bits` bits in one vector.")
      .def("__eq__",
           [](const Target& t, const py::object& other) {
             return py::isinstance<Target>(other) && t == py::cast<const Target&>(other);
           })
      .def("__hash__", [](const Target& t) { return py::hash(py::str(t.to_string())); })
      .def("__str__", &Target::to_string)
      .def("__repr__", [](const Target& t) { return "Target('" + t.to_string() + "')"; });
}

}  // namespace tilewright::python
