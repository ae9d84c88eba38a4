#include "tune_work.h"

#include "casters.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/api/tune_te.h"
#include "values.h"

namespace tilewright::python {

using namespace tuner;  // NOLINT

Work work_of(const py::object& source, const Target& target, int threads) {
  if (py::isinstance<ops::OpInstance>(source)) {
    const auto& op = py::cast<const ops::OpInstance&>(source);
    return {operator_task(op, target, threads), operator_sketches(op)};
  }
  if (py::isinstance<ir::PrimFunc>(source)) {
    return {func_task(py::cast<ir::PrimFunc>(source), target, threads), {}};
  }
  if (py::isinstance<schedule::Schedule>(source)) {
    const auto& sch = py::cast<const schedule::Schedule&>(source);
    return {func_task(sch.original(), target, threads), {}, sch.trace()};
  }
  if (PyList_Check(source.ptr()) || PyTuple_Check(source.ptr())) {
    return {te_task(to_te_args(py::cast<py::sequence>(source)), target, threads), {}};
  }
  throw py::type_error(fmt::format(
      "expected a list of tensors as for te.create_prim_func, a PrimFunc, a Schedule or an "
      "Operator, got {}",
      Py_TYPE(source.ptr())->tp_name));
}

std::string path_text(const py::object& path) {
  if (path.is_none()) return "";
  return py::cast<std::string>(py::module_::import("os").attr("fspath")(path));
}

}  // namespace tilewright::python
