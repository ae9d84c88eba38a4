#include "casters.h"
#include "tilewright/ir/text.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using ir::PrimFunc;

std::vector<ir::Expr> to_exprs(const std::vector<ExprLike>& items) {
  std::vector<ir::Expr> result;
  for (const ExprLike& item : items) result.push_back(item.expr);
  return result;
}

void bind_params(py::module_& m) {
  py::class_<ir::Param>(m, "Param", "A parameter of a PrimFunc.")
      .def_property_readonly(
          "name",
          [](const ir::Param& p) { return p.buffer.defined() ? p.buffer->name : p.var.name(); })
      .def_property_readonly(
          "role", [](const ir::Param& p) { return ir::spelling(p.role); },
          "'input', 'constant', 'output', 'inout' or 'shape'.")
      .def_property_readonly("is_tensor", [](const ir::Param& p) { return p.buffer.defined(); })
      .def_property_readonly(
          "dtype",
          [](const ir::Param& p) { return p.buffer.defined() ? p.buffer->dtype : p.var.dtype(); })
      .def_property_readonly(
          "shape",
          [](const ir::Param& p) {
            return p.buffer.defined() ? shape_to_python(p.buffer->shape) : py::tuple();
          },
          "Ints and, for symbolic sizes, expressions; () for a scalar.")
      .def("__repr__", [](const ir::Param& p) {
        if (!p.buffer.defined()) {
          return fmt::format("{}: {} {}", p.var.name(), to_string(p.var.dtype()),
                             ir::spelling(p.role));
        }
        return fmt::format("{}: {} {} {}", p.buffer->name, to_string(p.buffer->dtype),
                           py::cast<std::string>(py::str(shape_to_python(p.buffer->shape))),
                           ir::spelling(p.role));
      });
}

}  // namespace

void bind_prim_func(py::module_& m) {
  bind_params(m);
  py::class_<PrimFunc>(
      m, "PrimFunc",
      "A function: parameters, and loops around blocks (or, lowered, plain loops). Immutable.")
      .def("__copy__", [](const PrimFunc& f) { return f; })
      .def(
          "__deepcopy__", [](const PrimFunc& f, const py::dict&) { return f; }, py::arg("memo"))
      .def(py::pickle(
          [](const PrimFunc& f) { return py::make_tuple(ir::to_text(f)); },
          [](const py::tuple& state) { return ir::parse_func(py::cast<std::string>(state[0])); }))
      .def_property_readonly("name", [](const PrimFunc& f) { return f->name; })
      .def_property_readonly("params", [](const PrimFunc& f) { return f->params; })
      .def_property_readonly(
          "level", [](const PrimFunc& f) { return ir::spelling(f->level); },
          "'scheduled', 'flat' or 'device'.")
      .def(
          "text", [](const PrimFunc& f) { return ir::to_text(f); },
          "The exact text, which tw.parse reads back: hexadecimal floats, dtypes, ids.")
      .def(
          "show", [](const PrimFunc& f) { py::print(ir::to_pretty(f), py::arg("end") = ""); },
          "Prints the loop nest for people.")
      .def(
          "structural_equal",
          [](const PrimFunc& a, const PrimFunc& b) { return ir::structural_equal(a, b); },
          py::arg("other"), "Equal up to ids and the names of variables and buffers.")
      .def(
          "structural_hash", [](const PrimFunc& f) { return ir::structural_hash(f); },
          "Agrees with structural_equal; the same in every run and on every machine.")
      .def(
          "verify", [](const PrimFunc& f) { return ir::verify(f); },
          "Faults of a malformed function, one line each; empty when well-formed.")
      .def("__str__", [](const PrimFunc& f) { return ir::to_pretty(f); })
      .def("__repr__", [](const PrimFunc& f) {
        return fmt::format("<PrimFunc {} ({} parameters, {})>", f->name, f->params.size(),
                           ir::spelling(f->level));
      });

  m.def(
      "create_prim_func",
      [](const py::sequence& args, std::string name, const std::vector<ExprLike>& assumptions) {
        return te::create_prim_func(to_te_args(args), std::move(name), to_exprs(assumptions));
      },
      py::arg("args"), py::arg("name") = "main", py::arg("assumptions") = py::tuple(),
      "The function that computes the outputs among `args` (placeholders are inputs, computes "
      "outputs, "
      "scalars inputs), with one loop nest a compute. `assumptions` are bools over sizes that the "
      "caller "
      "guarantees: [n % 8 == 0]; te.assume(...) among the arguments is the same. Raises "
      "ExpressionError (te.missing_argument, te.no_output, ...).");
  m.def(
      "parse", [](const std::string& text) { return ir::parse_func(text); }, py::arg("text"),
      "The function of a text made by PrimFunc.text(). Raises ExpressionError (ir.parse) with line "
      "and "
      "column.");
  m.def(
      "structural_equal",
      [](const PrimFunc& a, const PrimFunc& b) { return ir::structural_equal(a, b); }, py::arg("a"),
      py::arg("b"));
  m.def("operation_count", &te::operation_count, py::arg("func"),
        "Arithmetic operations of one call of a function fresh from create_prim_func; None when a "
        "size is "
        "symbolic.");
  m.def(
      "canonical_text",
      [](const std::vector<te::Tensor>& outputs, const std::vector<ExprLike>& assumptions) {
        return te::canonical_text(outputs, to_exprs(assumptions));
      },
      py::arg("outputs"), py::arg("assumptions") = py::tuple(),
      "A text of the computation alone, independent of names.");
  m.def(
      "canonical_hash",
      [](const std::vector<te::Tensor>& outputs, const std::vector<ExprLike>& assumptions) {
        return te::canonical_hash(outputs, to_exprs(assumptions));
      },
      py::arg("outputs"), py::arg("assumptions") = py::tuple(), "Hash of canonical_text.");
}

}  // namespace tilewright::python
