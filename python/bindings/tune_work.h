#pragma once

#include <string>
#include <vector>

#include "bindings.h"
#include "tilewright/tuner/tune.h"

/// \file
/// What Python gives to be tuned.

namespace tilewright::python {

/// A task, the templates that belong to it, and steps that have been made already.
struct Work {
  tuner::TuneTask task;
  std::vector<tuner::Sketch> sketches;
  schedule::Trace start = {};
};

/// Of an Operator, a PrimFunc, a Schedule or a list of tensors. Raises TypeError for anything else.
Work work_of(const py::object& source, const Target& target, int threads);

/// A str or os.PathLike; None: "".
std::string path_text(const py::object& path);

}  // namespace tilewright::python
