#include <pybind11/numpy.h>

#include "arrays.h"
#include "casters.h"
#include "tilewright/api/testing.h"

namespace tilewright::python {
namespace {

using testing::CheckOptions;
using Arrays = std::map<std::string, py::object>;

std::map<std::string, runtime::NDArray> to_arrays(const Arrays& arrays, const char* what) {
  std::map<std::string, runtime::NDArray> result;
  for (const auto& [name, array] : arrays) {
    result.emplace(name, array_from_python(array, std::string(what) + " " + name));
  }
  return result;
}

CheckOptions check_options(const Arrays& inputs, std::map<std::string, int64_t> sizes,
                           const std::map<std::string, py::object>& scalars, uint64_t seed) {
  CheckOptions options;
  options.inputs = to_arrays(inputs, "input");
  options.sizes = std::move(sizes);
  for (const auto& [name, value] : scalars) {
    if (PyFloat_Check(value.ptr())) {
      options.scalars[name] = py::cast<double>(value);
    } else {
      options.scalars[name] = py::cast<int64_t>(value);
    }
  }
  options.seed = seed;
  return options;
}

// A Python function that gets one-dimensional arrays, which it may write, and numbers.
ir::ExternReference to_reference(const py::function& function) {
  return [function](const std::vector<ir::ExternArg>& args) {
    const py::gil_scoped_acquire locked;
    py::tuple values(args.size());
    for (size_t i = 0; i < args.size(); ++i) {
      const ir::ExternArg& arg = args[i];
      if (!arg.tensor.shape.empty()) {
        const auto dtype = py::dtype::from_args(py::cast(arg.dtype).attr("to_numpy")());
        values[i] = py::array(dtype, arg.tensor.shape, {}, arg.tensor.data,
                              py::capsule(arg.tensor.data, [](void*) {}));
      } else if (arg.dtype.is_float()) {
        values[i] = py::float_(arg.float_value);
      } else {
        values[i] = py::int_(arg.int_value);
      }
    }
    function(*values);
  };
}

void add_externs(CheckOptions& options, const std::map<std::string, py::function>& externs) {
  for (const auto& [symbol, function] : externs) options.externs[symbol] = to_reference(function);
}

// What a program means when nothing else is given: itself before the first primitive.
Program reference_of(const py::object& program, const std::optional<ProgramLike>& reference) {
  if (reference) return reference->get();
  if (py::isinstance<schedule::Schedule>(program)) {
    return py::cast<const schedule::Schedule&>(program).original();
  }
  return py::cast<ProgramLike>(program).get();
}

}  // namespace

void bind_testing(py::module_& m) {
  m.def(
      "assert_allclose",
      [](const py::object& program, const std::optional<ProgramLike>& reference,
         const Arrays& inputs, const Arrays& expected, std::map<std::string, int64_t> sizes,
         const std::map<std::string, py::object>& scalars, double rtol, double atol, uint64_t seed,
         std::vector<int> threads) {
        CheckOptions options = check_options(inputs, std::move(sizes), scalars, seed);
        options.expected = to_arrays(expected, "expected");
        options.rtol = rtol;
        options.atol = atol;
        options.threads = std::move(threads);
        const Program checked = py::cast<ProgramLike>(program).get();
        const Program meaning = reference_of(program, reference);
        const py::gil_scoped_release release;
        testing::assert_allclose(checked, meaning, options);
      },
      py::arg("program"), py::arg("reference") = py::none(), py::kw_only(),
      py::arg("inputs") = Arrays(), py::arg("expected") = Arrays(),
      py::arg("sizes") = std::map<std::string, int64_t>(), py::arg("scalars") = Arrays(),
      py::arg("rtol") = 0.0, py::arg("atol") = 0.0, py::arg("seed") = 1,
      py::arg("threads") = std::vector<int>{1, 3},
      "Compiles the program and compares it with `reference` run by the interpreter, in memory "
      "that shows what is "
      "read or written wrongly. Inputs not given are random small integers.\n\n"
      "Raises MismatchError (an AssertionError) naming the path, the output and the first element "
      "that differs; "
      "TilewrightError (testing.options) for sizes or inputs that do not fit.");
  m.def(
      "interpret",
      [](const ProgramLike& program, const Arrays& inputs, std::map<std::string, int64_t> sizes,
         const std::map<std::string, py::object>& scalars, uint64_t seed,
         const std::map<std::string, py::function>& externs) {
        CheckOptions options = check_options(inputs, std::move(sizes), scalars, seed);
        add_externs(options, externs);
        py::dict result;
        for (const auto& [name, array] : testing::interpret(program.get(), options)) {
          result[py::str(name)] = array_to_python(array);
        }
        return result;
      },
      py::arg("program"), py::kw_only(), py::arg("inputs") = Arrays(),
      py::arg("sizes") = std::map<std::string, int64_t>(), py::arg("scalars") = Arrays(),
      py::arg("seed") = 1, py::arg("externs") = std::map<std::string, py::function>(),
      "The outputs of the interpreter, by name. externs: what runs in the place of C functions, by "
      "symbol: it gets one-dimensional arrays, which it may write, and numbers.");
}

}  // namespace tilewright::python
