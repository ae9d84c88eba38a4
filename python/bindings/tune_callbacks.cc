#include "tune_callbacks.h"

#include <random>
#include <set>

#include "tilewright/schedule/error.h"
#include "tilewright/schedule/replay.h"
#include "tilewright/tuner/api/report.h"

namespace tilewright::python {
namespace {

// A function that may be copied and dropped without the interpreter lock.
using SharedFunction = std::shared_ptr<py::function>;

SharedFunction share(const py::function& function) {
  return {new py::function(function), [](py::function* held) {
            const py::gil_scoped_acquire lock;
            delete held;
          }};
}

std::string text_attribute(const py::object& error, const char* name) {
  return py::cast<std::string>(py::str(error.attr(name)));
}

schedule::ScheduleError refusal_of(const py::object& error) {
  schedule::ScheduleError refusal;
  refusal.code = text_attribute(error, "code");
  refusal.primitive = text_attribute(error, "primitive");
  refusal.reason = text_attribute(error, "reason");
  refusal.counter_example = text_attribute(error, "counter_example");
  return refusal;
}

void call_sketch(const py::function& function, schedule::Schedule& sch, const Target& target,
                 int threads) {
  const py::gil_scoped_acquire lock;
  // Python gets a copy, which costs nothing, so that a handle kept beyond the call stays valid.
  const py::object copy = py::cast(schedule::Schedule(sch));
  try {
    function(copy, target, threads);
  } catch (const py::error_already_set& error) {
    const py::object refused = py::module_::import("_tilewright").attr("ScheduleError");
    if (!error.matches(refused)) throw;
    sch = py::cast<schedule::Schedule>(copy);
    schedule::ScheduleError refusal = refusal_of(error.value());
    refusal.func = sch.func();
    throw schedule::ScheduleException(refusal);
  }
  sch = py::cast<schedule::Schedule>(copy);
}

const char* phase_word(tuner::Phase phase) {
  switch (phase) {
    case tuner::Phase::kPrepare: return "prepare";
    case tuner::Phase::kTrials: return "trials";
    case tuner::Phase::kFinals: return "finals";
  }
  return "";
}

}  // namespace

std::vector<tuner::Sketch> python_sketches(const std::vector<py::function>& functions,
                                           const schedule::Trace& start) {
  std::vector<tuner::Sketch> sketches;
  std::set<std::string> names;
  for (const py::function& function : functions) {
    const auto base =
        py::cast<std::string>(py::str(py::getattr(function, "__name__", py::str("sketch"))));
    std::string name = base;
    for (int n = 2; !names.insert(name).second; ++n) name = base + std::to_string(n);
    const SharedFunction shared = share(function);
    sketches.push_back(
        {name, [shared, start](schedule::Schedule& sch, const Target& target, int threads) {
           schedule::replay_steps(sch, start);
           call_sketch(*shared, sch, target, threads);
         }});
  }
  return sketches;
}

std::function<void(const tuner::Progress&)> python_progress(const py::function& function) {
  return [shared = share(function)](const tuner::Progress& p) {
    const py::gil_scoped_acquire lock;
    (*shared)(ProgressNote{phase_word(p.phase), tuner::progress_text(p), p.trials, p.valid,
                           p.failed, p.best_secs, p.baseline_secs, p.elapsed_secs, p.left_secs,
                           p.improved});
  };
}

bool PythonInterrupt::pending() {
  if (error_) return true;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) error_.emplace();
  return error_.has_value();
}

void PythonInterrupt::raise() {
  if (error_) throw *std::exchange(error_, std::nullopt);
}

uint64_t fresh_seed() { return std::random_device()() % 1'000'000; }

}  // namespace tilewright::python
