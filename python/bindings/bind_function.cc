#include <fmt/format.h>

#include "calls.h"
#include "evaluator.h"

namespace tilewright::python {
namespace {

using runtime::Function;
using runtime::ParamInfo;
using runtime::TimeResult;

py::object size_to_python(const runtime::SizeExpr& size) {
  if (const auto constant = size.constant()) return py::int_(*constant);
  return py::str(size.text());
}

void bind_param_info(py::module_& m) {
  py::class_<ParamInfo>(m, "ParamInfo", "A parameter of a compiled function.")
      .def_readonly("name", &ParamInfo::name)
      .def_property_readonly("role", [](const ParamInfo& p) { return to_string(p.role); })
      .def_readonly("is_tensor", &ParamInfo::is_tensor)
      .def_readonly("dtype", &ParamInfo::dtype)
      .def_property_readonly(
          "shape",
          [](const ParamInfo& p) {
            py::tuple shape(p.shape.size());
            for (size_t d = 0; d < p.shape.size(); ++d) shape[d] = size_to_python(p.shape[d]);
            return shape;
          },
          "Ints, and text in size names where symbolic.")
      .def_readonly("any_strides", &ParamInfo::any_strides)
      .def_readonly("alignment_bytes", &ParamInfo::alignment_bytes);
}

void bind_timing(py::module_& m) {
  py::class_<TimeResult>(m, "TimeResult", "Seconds per call.")
      .def_readonly("samples_secs", &TimeResult::samples_secs, "In the order measured.")
      .def_readonly("number", &TimeResult::number, "Calls per sample.")
      .def_property_readonly("min_secs", &TimeResult::min_secs)
      .def_property_readonly("median_secs", &TimeResult::median_secs)
      .def_property_readonly("mean_secs", &TimeResult::mean_secs)
      .def("__repr__", [](const TimeResult& r) {
        return fmt::format("<TimeResult median {:.6g} s, min {:.6g} s, {} samples of {} calls>",
                           r.median_secs(), r.min_secs(), r.samples_secs.size(), r.number);
      });
  py::class_<TimeEvaluator>(m, "TimeEvaluator",
                            "Times a function: call it with the function's inputs.")
      .def(
          "__call__",
          [](const TimeEvaluator& e, const py::args& inputs) {
            return time_calls(e.function, inputs, e.options);
          },
          "Raises CallError for wrong arguments and options.");
}

}  // namespace

TimeEvaluator make_evaluator(Function function, int number, int repeat, double min_repeat_ms,
                             int warmup, bool flush_cache, const py::object& threads) {
  TimeEvaluator evaluator{std::move(function), {}};
  evaluator.options.number = number;
  evaluator.options.repeat = repeat;
  evaluator.options.min_repeat_ms = min_repeat_ms;
  evaluator.options.warmup = warmup;
  evaluator.options.flush_cache = flush_cache;
  evaluator.options.call = call_options(threads);
  return evaluator;
}

void bind_function(py::module_& m) {
  bind_param_info(m);
  bind_timing(m);
  py::class_<Function>(
      m, "Function",
      "A compiled function. `f(a, b)` takes the inputs in order, as NumPy arrays or anything "
      "with the buffer protocol or __dlpack__, without copies, and returns new outputs: one, "
      "or a tuple. Several threads may call it at once.")
      .def_property_readonly("name", &Function::name)
      .def_property_readonly("params", [](const Function& f) { return f.info().params; })
      .def_property_readonly("signature", [](const Function& f) { return f.info().signature(); })
      .def_property_readonly("assumptions", [](const Function& f) { return f.info().assumptions; })
      .def_property_readonly(
          "operation_count", [](const Function& f) { return f.info().operation_count; },
          "Arithmetic operations of one call; 0: unknown.")
      .def("__call__", &call, py::arg("out") = py::none(), py::arg("threads") = py::none(),
           "`out` (an array, or a tuple of several) is written into and returned. threads=None: "
           "all cores. "
           "Raises CallError (call.arg_count, call.dtype, call.shape, call.stride, call.read_only, "
           "...) naming "
           "the argument, what is expected and what was given; nothing has been written then.")
      .def("time_evaluator", &make_evaluator, py::arg("number") = 1, py::arg("repeat") = 5,
           py::arg("min_repeat_ms") = 0.0, py::arg("warmup") = 1, py::arg("flush_cache") = false,
           py::arg("threads") = py::none(),
           "`f.time_evaluator(number=10)(a, b).median_secs`. A sample is the mean of `number` "
           "calls, which grows "
           "until one takes min_repeat_ms.")
      .def("__repr__", [](const Function& f) { return "<Function " + f.info().signature() + ">"; });
}

}  // namespace tilewright::python
