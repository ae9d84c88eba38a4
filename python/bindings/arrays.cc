#include "arrays.h"

#include <pybind11/numpy.h>

#include <bit>

#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using runtime::NDArray;

// A held buffer export. Arrays may die in a thread that runs without the GIL.
struct Export {
  Py_buffer view{};
  ~Export() {
    if (!view.obj) return;
    const py::gil_scoped_acquire gil;
    PyBuffer_Release(&view);
  }
};

// DType of a struct-module format; nullopt for what has none here.
std::optional<DType> parse_format(const char* format, int64_t itemsize) {
  std::string_view text = format ? format : "B";
  if (!text.empty() && std::string_view("@=<>!").find(text[0]) != std::string_view::npos) {
    const bool big = text[0] == '>' || text[0] == '!';
    if (big && itemsize > 1 && std::endian::native == std::endian::little) return std::nullopt;
    text.remove_prefix(1);
  }
  if (text.size() != 1) return std::nullopt;
  const auto bits = static_cast<uint8_t>(itemsize * 8);
  switch (text[0]) {
    case '?': return kBool;
    case 'e':
    case 'f':
    case 'd': return DType{TypeCode::kFloat, bits, 1};
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return DType{TypeCode::kInt, bits, 1};
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return DType{TypeCode::kUInt, bits, 1};
    default: return std::nullopt;
  }
}

// What the object calls its element type, for messages.
std::string dtype_text(py::handle source, const char* format) {
  if (py::hasattr(source, "dtype")) return py::cast<std::string>(py::str(source.attr("dtype")));
  return format ? format : "B";
}

NDArray from_buffer(py::handle source, const std::string& what, std::optional<DType> dtype) {
  auto held = std::make_shared<Export>();
  if (PyObject_GetBuffer(source.ptr(), &held->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    held->view.obj = nullptr;
    const py::error_already_set error;
    fail("call.kind", "{}: the {} gives no buffer: {}", what, Py_TYPE(source.ptr())->tp_name,
         error.what());
  }
  const Py_buffer& view = held->view;
  if (!dtype) dtype = parse_format(view.format, view.itemsize);
  if (!dtype) {
    fail("call.dtype", "{}: dtype {} is not supported", what, dtype_text(source, view.format));
  }
  std::vector<int64_t> shape(view.shape, view.shape + view.ndim), strides;
  for (int d = 0; d < view.ndim; ++d) {
    if (view.strides[d] % view.itemsize != 0) {
      fail("call.stride", "{}: its stride of {} bytes is no multiple of the element size {}", what,
           view.strides[d], view.itemsize);
    }
    strides.push_back(view.strides[d] / view.itemsize);
  }
  void* data = view.buf;
  const bool read_only = view.readonly != 0;
  return NDArray::from_view(data, std::move(shape), std::move(strides), *dtype, std::move(held),
                            read_only);
}

NDArray from_dlpack(py::handle source, const std::string& what) {
  const py::object exported = source.attr("__dlpack__")();
  if (!PyCapsule_IsValid(exported.ptr(), "dltensor")) {
    fail("call.kind", "{}: __dlpack__ of the {} gives no dltensor", what,
         Py_TYPE(source.ptr())->tp_name);
  }
  auto* tensor =
      static_cast<tw_dl_managed_tensor*>(PyCapsule_GetPointer(exported.ptr(), "dltensor"));
  NDArray array = NDArray::from_dlpack(tensor);
  PyCapsule_SetName(exported.ptr(), "used_dltensor");
  return array;
}

}  // namespace

py::object numpy_dtype(DType dtype) {
  const py::module_ numpy = py::module_::import("numpy");
  if (!dtype.is_bfloat16()) return numpy.attr("dtype")(to_string(dtype));
  try {
    return numpy.attr("dtype")(py::module_::import("ml_dtypes").attr("bfloat16"));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
    fail("ndarray.dtype", "bfloat16 arrays need the package ml_dtypes: pip install ml_dtypes");
  }
}

NDArray array_from_python(py::handle source, const std::string& what) {
  if (py::isinstance<py::array>(source)) {
    const auto array = py::reinterpret_borrow<py::array>(source);
    // NumPy gives no buffer of a type it learnt from a package.
    if (py::cast<std::string>(array.dtype().attr("name")) == "bfloat16") {
      return from_buffer(array.attr("view")("uint16"), what, kBFloat16);
    }
    return from_buffer(source, what, {});
  }
  if (PyObject_CheckBuffer(source.ptr())) return from_buffer(source, what, {});
  if (py::hasattr(source, "__dlpack__")) return from_dlpack(source, what);
  fail("call.kind", "{}: expected an array, got {}", what,
       source.is_none() ? "None" : Py_TYPE(source.ptr())->tp_name);
}

py::object array_to_python(const NDArray& array) {
  const DType dtype = array.dtype();
  std::vector<py::ssize_t> shape, strides;
  for (int64_t extent : array.shape()) shape.push_back(extent);
  for (int64_t stride : array.strides()) strides.push_back(stride * dtype.bytes());
  const py::capsule owner(new NDArray(array),
                          [](void* pointer) { delete static_cast<NDArray*>(pointer); });
  const py::object element = dtype.is_bfloat16()
                                 ? py::module_::import("numpy").attr("dtype")("uint16")
                                 : numpy_dtype(dtype);
  py::object result = py::array(py::reinterpret_borrow<py::dtype>(element), std::move(shape),
                                std::move(strides), array.data(), owner);
  if (dtype.is_bfloat16()) result = result.attr("view")(numpy_dtype(dtype));
  if (array.read_only()) result.attr("setflags")(py::arg("write") = false);
  return result;
}

}  // namespace tilewright::python
