#include "calls.h"

#include "arrays.h"
#include "runtime/bind_args.h"
#include "tilewright/runtime/abi.h"
#include "tilewright/support/error.h"

namespace tilewright::python {
namespace {

using runtime::Arg;
using runtime::Function;
using runtime::FunctionInfo;
using runtime::NDArray;
using runtime::ParamInfo;
using runtime::ParamRole;

std::string argument(const FunctionInfo& info, const ParamInfo& param) {
  return info.name + ": argument " + param.name;
}

// What the caller passes: all but outputs and the sizes that follow from shapes.
std::vector<const ParamInfo*> passed_params(const FunctionInfo& info) {
  std::vector<const ParamInfo*> result;
  for (const ParamInfo& param : info.params) {
    if (param.role == ParamRole::kOutput || runtime::follows_from_shapes(info, param)) continue;
    result.push_back(&param);
  }
  return result;
}

std::vector<const ParamInfo*> output_params(const FunctionInfo& info) {
  std::vector<const ParamInfo*> result;
  for (const ParamInfo& param : info.params) {
    if (param.role == ParamRole::kOutput) result.push_back(&param);
  }
  return result;
}

std::string names_of(const std::vector<const ParamInfo*>& params) {
  std::string names;
  for (const ParamInfo* param : params) names += (names.empty() ? "" : ", ") + param->name;
  return names;
}

void check_count(const FunctionInfo& info, const char* what,
                 const std::vector<const ParamInfo*>& params, size_t given, const char* advice) {
  if (given == params.size()) return;
  fail("call.arg_count", "{}: expected {} {}{} ({}), got {}{}", info.name, params.size(), what,
       params.size() == 1 ? "" : "s", names_of(params), given, given > params.size() ? advice : "");
}

int64_t to_int64(py::handle value, const std::string& what) {
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) throw py::error_already_set();
  int overflow = 0;
  const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    fail("call.range", "{}: value {} does not fit int64", what,
         py::cast<std::string>(py::str(value)));
  }
  return result;
}

Arg to_scalar(py::handle value, const ParamInfo& param, const std::string& what) {
  PyObject* object = value.ptr();
  const bool integral = PyIndex_Check(object) && !PyObject_CheckBuffer(object);
  const bool whole = PyBool_Check(object) || PyLong_Check(object) || integral;
  const bool numpy_scalar = py::hasattr(value, "item") && py::hasattr(value, "ndim") &&
                            py::cast<int>(value.attr("ndim")) == 0;
  if (!whole && numpy_scalar) {
    const py::object item = value.attr("item")();
    if (PyLong_Check(item.ptr()) || PyFloat_Check(item.ptr())) return to_scalar(item, param, what);
  }
  if (param.dtype.is_float()) {
    if (whole || PyFloat_Check(object))
      return py::cast<double>(py::float_(py::reinterpret_borrow<py::object>(value)));
  } else if (whole) {
    return to_int64(value, what);
  }
  fail("call.kind", "{}: expected a number of dtype {}, got {}", what, to_string(param.dtype),
       value.is_none() ? "None" : Py_TYPE(object)->tp_name);
}

std::vector<Arg> to_inputs(const FunctionInfo& info, const py::args& inputs) {
  const std::vector<const ParamInfo*> params = passed_params(info);
  check_count(info, "input", params, inputs.size(), "; outputs are returned, or given as out=");
  std::vector<Arg> result;
  for (size_t i = 0; i < params.size(); ++i) {
    const std::string what = argument(info, *params[i]);
    const py::object value = inputs[i];
    if (params[i]->is_tensor) {
      result.emplace_back(array_from_python(value, what));
    } else {
      result.push_back(to_scalar(value, *params[i], what));
    }
  }
  return result;
}

std::vector<NDArray> to_outputs(const FunctionInfo& info, const py::object& out) {
  const std::vector<const ParamInfo*> params = output_params(info);
  const bool several = PyTuple_Check(out.ptr()) || PyList_Check(out.ptr());
  const py::tuple given = several ? py::tuple(out) : py::make_tuple(out);
  check_count(info, "output", params, given.size(), "");
  std::vector<NDArray> result;
  for (size_t i = 0; i < params.size(); ++i) {
    result.push_back(array_from_python(given[i], argument(info, *params[i])));
  }
  return result;
}

py::object to_result(const std::vector<NDArray>& outputs) {
  if (outputs.empty()) return py::none();
  if (outputs.size() == 1) return array_to_python(outputs[0]);
  py::tuple result(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) result[i] = array_to_python(outputs[i]);
  return result;
}

// What to do with the arrays, in terms of numpy.
const char* advice(const std::string& code) {
  if (code == "call.dtype") return "; astype of numpy converts an array";
  if (code == "call.stride") return "; numpy.ascontiguousarray makes such a copy";
  if (code == "call.alignment") return "; copy() of the array is aligned";
  if (code == "call.alias") return "; pass a copy() of one of them";
  if (code == "call.read_only") return "; pass a copy(), which may be written";
  if (code == "call.shape" || code == "call.rank") {
    return "; the function is built for that shape: pass such an array, or build it for others";
  }
  return "";
}

// Runs `call` without the interpreter's lock.
template <typename Call>
void unlocked(const Call& call) {
  try {
    const py::gil_scoped_release release;
    call();
  } catch (const Error& error) {
    throw Error(error.code(), error.what() + std::string(advice(error.code())));
  }
}

}  // namespace

runtime::CallOptions call_options(const py::object& threads) {
  runtime::CallOptions options;
  if (threads.is_none()) return options;
  const bool is_int = PyIndex_Check(threads.ptr()) && !py::isinstance<py::bool_>(threads);
  int overflow = 0;
  const long number = is_int ? PyLong_AsLongAndOverflow(py::int_(threads).ptr(), &overflow) : 0;
  if (!is_int || overflow != 0 || number < 1 || number > TW_MAX_THREADS) {
    fail("call.threads", "threads must be a whole number from 1 to {}, got {}", TW_MAX_THREADS,
         py::cast<std::string>(py::repr(threads)));
  }
  options.num_threads = static_cast<int>(number);
  return options;
}

py::object call(const Function& function, const py::args& inputs, const py::object& out,
                const py::object& threads, const py::kwargs& others) {
  for (const auto& [name, value] : others) {
    fail("call.keyword",
         "{}: there is no keyword argument '{}'; the inputs go by position, and out and threads "
         "are the keywords",
         function.name(), py::cast<std::string>(name));
  }
  const runtime::CallOptions options = call_options(threads);
  const std::vector<Arg> args = to_inputs(function.info(), inputs);
  if (out.is_none()) {
    std::vector<NDArray> outputs;
    unlocked([&] { outputs = function.invoke(args, options); });
    return to_result(outputs);
  }
  const std::vector<NDArray> outputs = to_outputs(function.info(), out);
  unlocked([&] { function.invoke_into(args, outputs, options); });
  return out;
}

runtime::TimeResult time_calls(const Function& function, const py::args& inputs,
                               const runtime::TimeOptions& options) {
  const std::vector<Arg> given = to_inputs(function.info(), inputs);
  const py::gil_scoped_release release;
  const std::vector<Arg> args = runtime::complete_args(function.info(), given, nullptr).first;
  return runtime::time_evaluator(function, args, options);
}

}  // namespace tilewright::python
