#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "tilewright/api/build.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/te/te.h"

/// \file
/// What Python code may write for an argument: a number where an expression is wanted, a name where a dtype
/// is, one axis for a list of them.

namespace tilewright::python {

/// Expr, or a Python or NumPy number, which becomes a literal.
struct ExprLike {
  ir::Expr expr;
};
/// One extent, or a sequence of them.
struct ShapeLike {
  std::vector<ir::Expr> extents;
};
/// DType, a name ("float32"), or whatever numpy.dtype takes.
struct DTypeLike {
  DType dtype;
};
/// One reduce axis, or a sequence of them.
struct AxesLike {
  te::Axes axes;
};
/// An integer, or a sampled one.
struct IntLike {
  schedule::Int value;
};
/// A Schedule or a PrimFunc.
struct ProgramLike {
  std::optional<Program> program;
  const Program& get() const { return *program; }
};

/// A Target, or the text that Target takes.
struct TargetLike {
  Target target;
};
/// A tensor, or the name of a block or buffer.
struct NameLike {
  std::string block, buffer;
};

/// Each gives false when `source` is no such thing, and throws what explains a bad value.
bool load_expr(py::handle source, ir::Expr& expr);
bool load_shape(py::handle source, std::vector<ir::Expr>& extents);
bool load_dtype(py::handle source, DType& dtype);
bool load_axes(py::handle source, te::Axes& axes);
bool load_int(py::handle source, schedule::Int& value);
bool load_program(py::handle source, std::optional<Program>& program);
bool load_target(py::handle source, Target& target);
bool load_name(py::handle source, NameLike& name);

/// The expression in `source`; `what` names it in the TypeError otherwise.
ir::Expr to_expr(py::handle source, const std::string& what);
/// Tensors, scalars and assumptions, as for create_prim_func; TypeError for anything else.
std::vector<te::Arg> to_te_args(const py::sequence& args);
/// A constant integer as a Python int, any other expression as it is.
py::object extent_to_python(const ir::Expr& extent);
py::tuple shape_to_python(const std::vector<ir::Expr>& shape);
/// The elements of a list or tuple, or the one object.
std::vector<py::object> one_or_many(py::handle source);

}  // namespace tilewright::python

namespace pybind11::detail {

template <>
struct type_caster<tilewright::python::ExprLike> {
  PYBIND11_TYPE_CASTER(tilewright::python::ExprLike, const_name("_tilewright.Expr | int | float"));
  bool load(handle source, bool) { return tilewright::python::load_expr(source, value.expr); }
};

template <>
struct type_caster<tilewright::python::ShapeLike> {
  PYBIND11_TYPE_CASTER(
      tilewright::python::ShapeLike,
      const_name("_tilewright.Expr | int | collections.abc.Sequence[_tilewright.Expr | int]"));
  bool load(handle source, bool) { return tilewright::python::load_shape(source, value.extents); }
};

template <>
struct type_caster<tilewright::python::DTypeLike> {
  PYBIND11_TYPE_CASTER(tilewright::python::DTypeLike,
                       const_name("_tilewright.DType | str | numpy.dtype[typing.Any] | type"));
  bool load(handle source, bool) { return tilewright::python::load_dtype(source, value.dtype); }
};

template <>
struct type_caster<tilewright::python::AxesLike> {
  PYBIND11_TYPE_CASTER(
      tilewright::python::AxesLike,
      const_name("_tilewright.ReduceAxis | collections.abc.Sequence[_tilewright.ReduceAxis]"));
  bool load(handle source, bool) { return tilewright::python::load_axes(source, value.axes); }
};

template <>
struct type_caster<tilewright::python::IntLike> {
  PYBIND11_TYPE_CASTER(tilewright::python::IntLike, const_name("int | _tilewright.SampledInt"));
  bool load(handle source, bool) { return tilewright::python::load_int(source, value.value); }
};

template <>
struct type_caster<tilewright::python::ProgramLike> {
  PYBIND11_TYPE_CASTER(tilewright::python::ProgramLike,
                       const_name("_tilewright.Schedule | _tilewright.PrimFunc"));
  bool load(handle source, bool) { return tilewright::python::load_program(source, value.program); }
};

template <>
struct type_caster<tilewright::python::TargetLike> {
  PYBIND11_TYPE_CASTER(tilewright::python::TargetLike, const_name("_tilewright.Target | str"));
  bool load(handle source, bool) { return tilewright::python::load_target(source, value.target); }
};

template <>
struct type_caster<tilewright::python::NameLike> {
  PYBIND11_TYPE_CASTER(tilewright::python::NameLike, const_name("_tilewright.Tensor | str"));
  bool load(handle source, bool) { return tilewright::python::load_name(source, value); }
};

}  // namespace pybind11::detail
