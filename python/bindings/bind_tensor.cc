#include <cctype>
#include <variant>

#include "casters.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using ir::Expr;
using ir::Var;
using te::Tensor;

std::vector<Expr> to_indices(py::handle key, const std::string& what) {
  std::vector<Expr> indices;
  for (const py::object& item : one_or_many(key)) {
    indices.push_back(to_expr(item, "an index of " + what));
  }
  return indices;
}

// The positional parameters of a Python function; nothing for another callable or one with *args.
std::optional<std::vector<std::string>> parameter_names(const py::object& function) {
  py::object plain = function;
  size_t bound = 0;
  if (py::hasattr(function, "__func__")) {
    plain = function.attr("__func__");
    bound = 1;
  }
  if (!py::hasattr(plain, "__code__")) return std::nullopt;
  const py::object code = plain.attr("__code__");
  constexpr int kVarArgs = 4;  // inspect.CO_VARARGS
  if ((py::cast<int>(code.attr("co_flags")) & kVarArgs) != 0) return std::nullopt;
  const auto count = py::cast<size_t>(code.attr("co_argcount"));
  const auto names = py::cast<std::vector<std::string>>(code.attr("co_varnames"));
  return std::vector<std::string>(names.begin() + std::min(bound, count), names.begin() + count);
}

size_t default_count(const py::object& function) {
  const py::object defaults = py::getattr(function, "__defaults__", py::none());
  return defaults.is_none() ? 0 : py::len(defaults);
}

bool is_plain_name(const std::string& name) {
  for (unsigned char c : name) {
    if (c >= 128 || !(std::isalnum(c) || c == '_')) return false;
  }
  return true;
}

// Checks the number of axes that the function takes; its parameters name the axes.
std::vector<std::string> axis_names_of(const py::object& function, size_t rank,
                                       const std::string& name) {
  const auto names = parameter_names(function);
  if (!names) return {};
  const size_t least = names->size() - std::min(names->size(), default_count(function));
  if (rank < least || rank > names->size()) {
    te::detail::check_lambda_axes(static_cast<int>(least), rank, name);
    te::detail::check_lambda_axes(static_cast<int>(names->size()), rank, name);
  }
  for (const std::string& axis : *names) {
    if (!is_plain_name(axis)) return {};
  }
  return {names->begin(), names->begin() + static_cast<int64_t>(rank)};
}

// Says in which compute an error of ours happened; the traceback shows the line.
void note_compute(const py::error_already_set& error, const std::string& name) {
  if (!error.matches(py::module_::import("_tilewright").attr("TilewrightError"))) return;
  error.value().attr("add_note")("in compute '" + name + "'");
}

py::object compute(const ShapeLike& shape, const py::function& function, const std::string& name,
                   ir::Attrs attrs, std::optional<std::vector<std::string>> axis_names) {
  const size_t rank = shape.extents.size();
  std::vector<std::string> axes = axis_names_of(function, rank, name);
  te::ComputeOptions options{name, std::move(attrs), axis_names ? *axis_names : axes};
  bool several = false;
  const auto call = [&](const std::vector<Var>& vars) {
    py::tuple arguments(rank);
    for (size_t d = 0; d < rank; ++d) arguments[d] = py::cast(vars[d]);
    py::object result;
    try {
      result = function(*arguments);
    } catch (py::error_already_set& error) {
      note_compute(error, name);
      throw;
    }
    several = PyTuple_Check(result.ptr()) || PyList_Check(result.ptr());
    std::vector<Expr> values;
    for (const py::object& value : one_or_many(result)) {
      values.push_back(to_expr(value, "compute '" + name + "': the result of its function"));
    }
    return values;
  };
  const std::vector<Tensor> tensors = te::compute_all(shape.extents, call, std::move(options));
  if (!several) return py::cast(tensors[0]);
  py::tuple result(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) result[i] = py::cast(tensors[i]);
  return result;
}

std::string tensor_text(const Tensor& t) {
  std::string shape;
  for (const Expr& extent : t.shape()) {
    shape += (shape.empty() ? "" : ", ") + py::cast<std::string>(py::str(extent_to_python(extent)));
  }
  return fmt::format("Tensor('{}', ({}{}), {})", t.name(), shape, t.rank() == 1 ? "," : "",
                     to_string(t.dtype()));
}

using BoundarySource = std::variant<Tensor, te::Boundary>;

std::vector<int> listed(const std::optional<std::vector<int>>& dims) {
  return dims ? *dims : std::vector<int>();
}

void bind_boundary(py::module_& m) {
  const auto at = [](const te::Boundary& b, const py::object& key) {
    return b.at(to_indices(key, "a boundary condition"));
  };
  py::class_<te::Boundary>(
      m, "Boundary",
      "A tensor that may be read at any integer index; a rule says what lies outside. "
      "Nothing is stored: each read becomes an expression on the tensor.")
      .def("__getitem__", at, py::arg("indices"))
      .def("__call__", [at](const te::Boundary& b, const py::Args<ExprLike>& indices) {
        return at(b, indices);
      });
  using Dims = std::optional<std::vector<int>>;
  m.def(
      "constant_exterior",
      [](const BoundarySource& source, const ExprLike& value, const Dims& dims) {
        return std::visit(
            [&](const auto& s) { return te::constant_exterior(s, value.expr, listed(dims)); },
            source);
      },
      py::arg("tensor"), py::arg("value"), py::arg("dims") = py::none(),
      "`value` outside (numpy.pad 'constant'), in all dimensions or in those listed. In the others "
      "an index must stay inside; a boundary condition in the place of the tensor decides there.");
  using Make = te::Boundary (*)(te::Boundary::Rule, const BoundarySource&, const Dims&);
  const Make make = [](te::Boundary::Rule rule, const BoundarySource& source, const Dims& dims) {
    return std::visit([&](const auto& s) { return te::Boundary(s, rule, Expr(), listed(dims)); },
                      source);
  };
  const auto bind = [&](const char* name, te::Boundary::Rule rule, const char* doc) {
    m.def(
        name,
        [rule, make](const BoundarySource& source, const Dims& dims) {
          return make(rule, source, dims);
        },
        py::arg("tensor"), py::arg("dims") = py::none(), doc);
  };
  using Rule = te::Boundary::Rule;
  bind("repeat_edge", Rule::kRepeatEdge, "The nearest element (numpy.pad 'edge').");
  bind("mirror_image", Rule::kMirrorImage,
       "... 1 0 | 0 1 2 | 2 1 0 | 0 ... (numpy.pad 'symmetric').");
  bind("mirror_interior", Rule::kMirrorInterior,
       "... 2 1 | 0 1 2 | 1 0 1 ... (numpy.pad 'reflect').");
  bind("repeat_image", Rule::kRepeatImage, "... 1 2 | 0 1 2 | 0 1 2 ... (numpy.pad 'wrap').");
}

}  // namespace

void bind_tensor(py::module_& m) {
  py::class_<Tensor> cls(
      m, "Tensor",
      "A multi-dimensional value of a tensor expression: a placeholder, or an output of a "
      "compute. `A[i, j]` is the expression of one element. Compares by identity.");
  cls.def_property_readonly(
         "shape", [](const Tensor& t) { return shape_to_python(t.shape()); },
         "A tuple of ints and, for symbolic sizes, expressions.")
      .def_property_readonly("ndim", &Tensor::rank)
      .def_property_readonly("dtype", &Tensor::dtype)
      .def_property_readonly("name", &Tensor::name)
      .def_property_readonly("value_index", &Tensor::value_index,
                             "Which output of its compute it is.")
      .def(
          "__getitem__",
          [](const Tensor& t, const py::object& key) {
            return t.at(to_indices(key, "tensor '" + t.name() + "'"));
          },
          py::arg("indices"), "Raises ExpressionError (te.rank_mismatch, te.index_dtype).")
      .def("__call__",
           [](const Tensor& t, const py::Args<ExprLike>& indices) {
             return t.at(to_indices(indices, "tensor '" + t.name() + "'"));
           })
      .def("__eq__",
           [](const Tensor& a, const py::object& b) {
             return py::isinstance<Tensor>(b) && a == py::cast<const Tensor&>(b);
           })
      .def("__hash__", [](const Tensor& t) { return std::hash<const void*>()(t.buffer().get()); })
      .def("__repr__", &tensor_text);
  // Without this, Python would iterate by __getitem__(0), (1), ... for ever.
  cls.attr("__iter__") = py::none();

  m.def(
      "placeholder",
      [](const ShapeLike& shape, const DTypeLike& dtype, std::string name) {
        return te::placeholder(shape.extents, dtype.dtype, std::move(name));
      },
      py::arg("shape"), py::arg("dtype") = "float32", py::arg("name") = "placeholder",
      "An argument tensor. `shape` holds ints or expressions over sizes; (): rank 0. Raises "
      "ExpressionError "
      "(te.bad_shape, te.shape_overflow, te.bad_name, te.bad_dtype).");
  m.def("compute", &compute, py::arg("shape"), py::arg("function"), py::arg("name") = "compute",
        py::arg("attrs") = ir::Attrs(), py::arg("axis_names") = py::none(),
        "A tensor of `shape` whose element at (i, j, ...) is `function(i, j, ...)`.\n\n"
        "The function gets one Var per dimension and returns an expression, or a tuple of them, "
        "which gives "
        "a tuple of tensors. A reduction stands at the top of what it returns. The parameters of "
        "the function "
        "name the loops.\n\n"
        "    C = te.compute((m, n), lambda i, j: te.sum(A[i, k] * B[k, j], k), name=\"C\")\n\n"
        "Raises ExpressionError: te.rank_mismatch, te.bad_shape, te.out_of_range (a read that "
        "surely lies "
        "outside), te.nested_reduce, te.unreduced_axis, te.unbound_variable, te.division_by_zero, "
        "ir.dtype, "
        "...");
  bind_boundary(m);
}

}  // namespace tilewright::python
