#pragma once

#include "bindings.h"
#include "tilewright/runtime/function.h"
#include "tilewright/runtime/ndarray.h"

/// \file
/// NumPy arrays and other buffers as NDArrays and back, without copies.

namespace tilewright::python {

/// The numpy.dtype. Throws Error ndarray.dtype for bfloat16 without ml_dtypes.
py::object numpy_dtype(DType dtype);

/// A view of an object with the buffer protocol or __dlpack__ (NumPy, array, torch, ...), which it keeps
/// alive; read-only when the object is. `what` ("matmul: argument A") begins the text of errors. Throws
/// Error call.kind for another object, call.dtype, call.stride.
runtime::NDArray array_from_python(py::handle source, const std::string& what);

/// A numpy.ndarray over the same memory, which it keeps alive.
py::object array_to_python(const runtime::NDArray& array);

}  // namespace tilewright::python
