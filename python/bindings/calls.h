#pragma once

#include <optional>

#include "bindings.h"
#include "tilewright/runtime/function.h"
#include "tilewright/runtime/time_evaluator.h"

/// \file
/// Calls of compiled functions with Python arguments.

namespace tilewright::python {

/// threads=None of Python: all cores. Throws Error call.threads for anything else than a number from 1 to 1024.
runtime::CallOptions call_options(const py::object& threads);

/// Calls with the inputs in order and gives the output, a tuple of several, or None; `out` (an array, or a
/// tuple of several; None: new ones) is written into and given back. The kernel runs without the GIL.
/// Throws Error call.keyword for other keyword arguments.
py::object call(const runtime::Function& function, const py::args& inputs, const py::object& out,
                const py::object& threads, const py::kwargs& others);

/// Times calls with these inputs and newly allocated outputs.
runtime::TimeResult time_calls(const runtime::Function& function, const py::args& inputs,
                               const runtime::TimeOptions& options);

}  // namespace tilewright::python
