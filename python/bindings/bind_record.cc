#include "casters.h"
#include "program_folder.h"
#include "tilewright/record/tuning_record.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/tuner/api/record_schedule.h"
#include "tilewright/tuner/api/report.h"
#include "tune_callbacks.h"
#include "tune_work.h"

namespace tilewright::python {
namespace {

using record::TuningRecord;

TuningRecord record_schedule(const schedule::Schedule& sch, const py::object& log,
                             const py::object& program, std::optional<int> threads,
                             const std::optional<TargetLike>& target,
                             std::map<std::string, int64_t> sizes) {
  const Target made_for = target ? target->target : Target::host();
  const py::object source = program.is_none() ? py::cast(sch.original()) : program;
  tuner::TuneTask task =
      work_of(source, made_for, threads ? *threads : runtime::default_num_threads()).task;
  task.measure.sizes = std::move(sizes);
  tuner::WorkerOptions workers;
  workers.program_folder = program_folder();
  const std::string path = path_text(log);
  PythonInterrupt interrupt;
  std::optional<TuningRecord> record;
  {
    const py::gil_scoped_release release;
    try {
      record = tuner::record_schedule(
          task, sch, path, [&] { return interrupt.pending(); }, workers);
    } catch (const Error& error) {
      if (error.code() != "measure.stopped") throw;
    }
  }
  interrupt.raise();
  if (!record) fail("measure.stopped", "stopped");
  return *record;
}

std::string text_of(const TuningRecord& r) {
  if (r.result.status != record::Status::kOk) {
    return fmt::format("<TuningRecord {}: {}: {}>", r.id, to_string(r.result.status),
                       r.result.reason);
  }
  std::string text =
      fmt::format("<TuningRecord {}: {}", r.id, tuner::secs_text(r.result.median_secs.value_or(0)));
  if (r.search.baseline_secs && r.result.median_secs) {
    text += fmt::format(", {:.3g}x the default schedule",
                        *r.search.baseline_secs / *r.result.median_secs);
  }
  return text + ">";
}

}  // namespace

void bind_record(py::module_& m) {
  py::class_<TuningRecord>(m, "TuningRecord", "A measurement as a log holds it.")
      .def_readonly("id", &TuningRecord::id)
      .def_readonly("task_key", &TuningRecord::task_key, "What it is looked up by.")
      .def_property_readonly(
          "status", [](const TuningRecord& r) { return to_string(r.result.status); },
          "'ok', or how the trial failed: 'wrong_result', 'crash', 'run_timeout', ...")
      .def_property_readonly(
          "reason", [](const TuningRecord& r) { return r.result.reason; },
          "Why it failed; '' when it is ok.")
      .def_property_readonly(
          "median_secs", [](const TuningRecord& r) { return r.result.median_secs; },
          "Of one call; None when it failed.")
      .def_property_readonly(
          "baseline_secs", [](const TuningRecord& r) { return r.search.baseline_secs; },
          "The same of the default schedule.")
      .def_property_readonly("threads", [](const TuningRecord& r) { return r.exec.threads; })
      .def("__repr__", &text_of);
  m.def(
      "record_schedule", &record_schedule, py::arg("schedule"), py::arg("log"),
      py::arg("program") = py::none(), py::arg("threads") = py::none(),
      py::arg("target") = py::none(), py::kw_only(),
      py::arg("sizes") = std::map<std::string, int64_t>(),
      "Measures a schedule made by hand as tune measures its candidates, in worker processes and "
      "with its whole output compared with a reference, and appends the record to a log, where "
      "apply_best, tune(resume=True) and the command compile find it. A trial that fails is "
      "recorded as well: look at `status`.\n\n"
      "program: what it is looked up by: an Operator, the list of tensors or the PrimFunc that the "
      "schedule was made from (None: its PrimFunc). threads: the kernel is called with (None: all "
      "cores). sizes: values of symbolic sizes, by name. Raises TilewrightError: record.program "
      "when the schedule is of another program, tune.sizes, log.unwritable, log.write, measure.*.");
}

}  // namespace tilewright::python
