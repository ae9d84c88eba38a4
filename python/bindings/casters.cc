#include "casters.h"

#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

// NumPy's scalars count as numbers; its module is looked at only when something has imported it.
bool is_numpy_scalar(py::handle source) {
  const py::dict modules = py::module_::import("sys").attr("modules");
  if (!modules.contains("numpy")) return false;
  return py::isinstance(source, modules["numpy"].attr("generic"));
}

ir::Expr int_literal(py::handle number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    fail("te.bad_constant", "{} does not fit int64", py::cast<std::string>(py::str(number)));
  }
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  return ir::Expr(static_cast<int64_t>(value));
}

}  // namespace

bool load_expr(py::handle source, ir::Expr& expr) {
  PyObject* object = source.ptr();
  if (PyBool_Check(object)) {
    expr = ir::Expr(object == Py_True);
  } else if (PyLong_Check(object)) {
    expr = int_literal(source);
  } else if (PyFloat_Check(object)) {
    expr = ir::Expr(PyFloat_AsDouble(object));
  } else if (py::isinstance<ir::Expr>(source)) {
    expr = py::cast<ir::Expr>(source);
  } else if (is_numpy_scalar(source)) {
    const py::object number = source.attr("item")();
    if (PyLong_Check(number.ptr()) || PyFloat_Check(number.ptr())) return load_expr(number, expr);
    // bfloat16 and other types that NumPy learns from packages.
    if (!PyNumber_Check(number.ptr()) || PyComplex_Check(number.ptr())) return false;
    return load_expr(py::float_(number), expr);
  } else {
    return false;
  }
  return true;
}

ir::Expr to_expr(py::handle source, const std::string& what) {
  ir::Expr expr;
  if (load_expr(source, expr)) return expr;
  throw py::type_error(fmt::format("{}: expected an expression or a number, got {}", what,
                                   Py_TYPE(source.ptr())->tp_name));
}

std::vector<py::object> one_or_many(py::handle source) {
  std::vector<py::object> items;
  if (PyTuple_Check(source.ptr()) || PyList_Check(source.ptr())) {
    for (py::handle item : source) items.push_back(py::reinterpret_borrow<py::object>(item));
  } else {
    items.push_back(py::reinterpret_borrow<py::object>(source));
  }
  return items;
}

bool load_shape(py::handle source, std::vector<ir::Expr>& extents) {
  extents.clear();
  for (const py::object& item : one_or_many(source)) {
    ir::Expr extent;
    if (!load_expr(item, extent)) return false;
    extents.push_back(extent);
  }
  return true;
}

bool load_dtype(py::handle source, DType& dtype) {
  if (py::isinstance<DType>(source)) {
    dtype = py::cast<DType>(source);
    return true;
  }
  if (py::isinstance<py::str>(source)) {
    dtype = parse_dtype(py::cast<std::string>(source));
    return true;
  }
  const bool has_dtype = py::hasattr(source, "dtype") || py::hasattr(source, "itemsize");
  if (!PyType_Check(source.ptr()) && !has_dtype) return false;
  py::object converted;
  try {
    converted = py::module_::import("numpy").attr("dtype")(source);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return false;
  }
  dtype = parse_dtype(py::cast<std::string>(converted.attr("name")));
  return true;
}

bool load_axes(py::handle source, te::Axes& axes) {
  axes.clear();
  for (const py::object& item : one_or_many(source)) {
    if (!py::isinstance<ir::Expr>(item)) return false;
    axes.emplace_back(py::cast<ir::Expr>(item));
  }
  return true;
}

bool load_int(py::handle source, schedule::Int& value) {
  if (py::isinstance<schedule::Int>(source)) {
    value = py::cast<schedule::Int>(source);
    return true;
  }
  if (PyBool_Check(source.ptr()) || !PyIndex_Check(source.ptr())) return false;
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(source.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  value =
      schedule::Int(static_cast<int64_t>(PyLong_AsLongLongAndOverflow(number.ptr(), &overflow)));
  if (overflow != 0) {
    fail("schedule.bad_integer", "{} does not fit int64; give an integer from -2^63 to 2^63 - 1",
         py::cast<std::string>(py::str(number)));
  }
  return true;
}

namespace {

std::string type_name(py::handle source) {
  return py::cast<std::string>(py::type::handle_of(source).attr("__name__"));
}

}  // namespace

bool load_program(py::handle source, std::optional<Program>& program) {
  if (py::isinstance<schedule::Schedule>(source)) {
    program = Program(py::cast<const schedule::Schedule&>(source));
    return true;
  }
  if (py::isinstance<ir::PrimFunc>(source)) {
    program = Program(py::cast<ir::PrimFunc>(source));
    return true;
  }
  throw py::type_error(
      fmt::format("expected a Schedule or a PrimFunc, got {}{}", type_name(source),
                  py::isinstance<te::Tensor>(source)
                      ? "; te.create_prim_func([inputs..., outputs...]) makes a PrimFunc of tensors"
                      : ""));
}

bool load_target(py::handle source, Target& target) {
  if (py::isinstance<Target>(source)) {
    target = py::cast<Target>(source);
    return true;
  }
  if (!py::isinstance<py::str>(source)) return false;
  target = Target::parse(py::cast<std::string>(source));
  return true;
}

bool load_name(py::handle source, NameLike& name) {
  if (py::isinstance<te::Tensor>(source)) {
    const auto& tensor = py::cast<const te::Tensor&>(source);
    const bool scan = tensor.op().kind == te::Operation::Kind::kScan;
    name = {scan ? tensor.name() : tensor.op().name, tensor.name()};
    return true;
  }
  if (!py::isinstance<py::str>(source)) {
    throw py::type_error(
        fmt::format("expected a tensor or the name of a block, got {}", type_name(source)));
  }
  name.block = name.buffer = py::cast<std::string>(source);
  return true;
}

std::vector<te::Arg> to_te_args(const py::sequence& args) {
  std::vector<te::Arg> result;
  for (py::handle item : args) {
    if (py::isinstance<te::Tensor>(item)) {
      result.emplace_back(py::cast<te::Tensor>(item));
    } else if (py::isinstance<ir::Expr>(item)) {
      result.emplace_back(py::cast<ir::Expr>(item));
    } else {
      throw py::type_error(
          fmt::format("an argument of a function is a Tensor or a scalar variable, got {}",
                      Py_TYPE(item.ptr())->tp_name));
    }
  }
  return result;
}

py::object extent_to_python(const ir::Expr& extent) {
  if (const int64_t* constant = ir::as_const_int(extent)) return py::int_(*constant);
  if (const auto* var = extent.as<ir::VarNode>()) return py::cast(ir::Var(var));
  return py::cast(extent);
}

py::tuple shape_to_python(const std::vector<ir::Expr>& shape) {
  py::tuple result(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) result[d] = extent_to_python(shape[d]);
  return result;
}

}  // namespace tilewright::python
