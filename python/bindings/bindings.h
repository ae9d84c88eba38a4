#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

/// \file
/// One function per file of this folder, in the order in which module.cc calls them: what a signature
/// names must be bound before it.

namespace tilewright::python {

namespace py = pybind11;

/// The whole text of a Python exception of ours, or of an error code given as a str.
std::string explain(const py::object& error);

void bind_errors(py::module_& m);
void bind_dtype(py::module_& m);
void bind_expr(py::module_& m);
void bind_math(py::module_& m);
void bind_tensor(py::module_& m);
void bind_reduce(py::module_& m);
void bind_prim_func(py::module_& m);
void bind_builder(py::module_& m);
void bind_recurrence(py::module_& m);
void bind_target(py::module_& m);
void bind_trace(py::module_& m);
void bind_schedule(py::module_& m);
void bind_stage(py::module_& m);
void bind_function(py::module_& m);
void bind_module(py::module_& m);
void bind_ops(py::module_& m);
void bind_tune(py::module_& m);
void bind_record(py::module_& m);
void bind_testing(py::module_& m);

}  // namespace tilewright::python
