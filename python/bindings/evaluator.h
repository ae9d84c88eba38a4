#pragma once

#include <optional>

#include "tilewright/runtime/time_evaluator.h"

namespace tilewright::python {

/// A function and how to time it.
struct TimeEvaluator {
  runtime::Function function;
  runtime::TimeOptions options;
};

/// The arguments are the fields of runtime::TimeOptions. Throws Error call.threads.
TimeEvaluator make_evaluator(runtime::Function function, int number, int repeat,
                             double min_repeat_ms, int warmup, bool flush_cache,
                             const py::object& threads);

}  // namespace tilewright::python
