#include "bindings.h"

PYBIND11_MODULE(_tilewright, m) {
  using namespace tilewright::python;
  m.doc() = "The compiled part of tilewright; use it through that package.";
  m.attr("__version__") = TW_VERSION;
  bind_errors(m);
  bind_dtype(m);
  bind_expr(m);
  bind_math(m);
  bind_tensor(m);
  bind_reduce(m);
  bind_prim_func(m);
  bind_builder(m);
  bind_recurrence(m);
  bind_target(m);
  bind_trace(m);
  bind_schedule(m);
  bind_stage(m);
  bind_function(m);
  bind_module(m);
  bind_ops(m);
  bind_tune(m);
  bind_record(m);
  bind_testing(m);
}
