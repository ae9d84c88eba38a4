#pragma once

#include <string>

#include "bindings.h"
#include "tilewright/schedule/trace.h"

namespace tilewright::python {

/// Attributes of instructions: None, bool, int, float, str or a list of these.
py::object value_to_python(const schedule::Value& value);
/// Throws a TypeError that begins with `what` for anything else.
schedule::Value value_from_python(py::handle source, const std::string& what);

}  // namespace tilewright::python
