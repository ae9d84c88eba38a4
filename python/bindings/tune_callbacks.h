#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings.h"
#include "tilewright/tuner/tune.h"

/// \file
/// Python functions as callbacks of the tuner, which runs without the interpreter lock: each takes the lock for the
/// length of a call.

namespace tilewright::python {

/// Functions f(sch, target, threads), named as in Python (two of one name get numbers). A refused primitive becomes the
/// tuner's own exception; any other goes through as it is, with its traceback. `start`: steps made before each call.
std::vector<tuner::Sketch> python_sketches(const std::vector<py::function>& functions,
                                           const schedule::Trace& start);

/// What a progress callback is called with: values, valid after the call.
struct ProgressNote {
  std::string phase, text;
  int64_t trials = 0, valid = 0, failed = 0;
  double best_secs = 0, baseline_secs = 0, elapsed_secs = 0;
  std::optional<double> left_secs;
  bool improved = false;
};
std::function<void(const tuner::Progress&)> python_progress(const py::function& function);

/// Ctrl-C while C++ runs. Python's own handler only takes note of it, so somebody has to ask.
class PythonInterrupt {
 public:
  /// True once a signal handler of Python has raised something. Takes the lock.
  bool pending();
  /// Raises it. With the lock held.
  void raise();

 private:
  std::optional<py::error_already_set> error_;
};

/// Another number at every call.
uint64_t fresh_seed();

}  // namespace tilewright::python
