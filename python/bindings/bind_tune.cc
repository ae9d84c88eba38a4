#include "casters.h"
#include "program_folder.h"
#include "tilewright/api/operator.h"
#include "tilewright/record/best.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/support/error.h"
#include "tilewright/tuner/api/limits.h"
#include "tilewright/tuner/api/probe.h"
#include "tilewright/tuner/api/report.h"
#include "tilewright/tuner/api/space_choice.h"
#include "tilewright/tuner/space/generated.h"
#include "tune_callbacks.h"
#include "tune_work.h"
#include "values.h"

namespace tilewright::python {
namespace {

using namespace tuner;  // NOLINT

/// What tune gives: copies of everything, so that it stays valid.
struct Outcome {
  TuneTask task;
  TuneOptions options;
  TuneResult result;
};

std::string text_of(const Outcome& outcome) {
  std::string text = outcome.task.measure.func->name + "\n";
  for (const auto& [title, value] : result_rows(outcome.task, outcome.options, outcome.result)) {
    text += fmt::format("  {:<9}{}\n", title, value);
  }
  text.pop_back();
  return text;
}

std::optional<double> seconds_or_none(double secs) {
  if (!(secs > 0)) return std::nullopt;
  return secs;
}

// Those given, else the operator's own; and generated ones, which go on from the steps there are.
void choose_sketches(Work& work, const std::vector<py::function>& given, const std::string& space) {
  if (!given.empty()) work.sketches = python_sketches(given, work.start);
  // As the command: what an operator's templates give is searched together with what its loops give.
  const bool of_operator = given.empty() && !work.sketches.empty();
  const SpaceChoice choice =
      space_choice(space.empty() && of_operator ? "both" : space, !work.sketches.empty());
  const MeasureTask& measure = work.task.measure;
  if (!choice.made) work.sketches.clear();
  if (choice.generated) {
    for (Sketch& sketch :
         generated_sketches(measure.func, measure.target, measure.exec.threads, work.start)) {
      work.sketches.push_back(std::move(sketch));
    }
  }
  if (work.sketches.empty()) {
    fail("tune.no_sketch",
         "'{}' has no template: give sketches=[f], functions f(sch, target, threads) that schedule "
         "it and sample what is to be tuned, or space='generated'",
         measure.func->name);
  }
}

Outcome run_tune(const py::object& source, const std::optional<TargetLike>& target,
                 std::optional<int> threads, std::optional<int64_t> trials,
                 std::optional<double> budget, const std::string& effort,
                 std::optional<uint64_t> seed, const py::object& log, const std::string& space,
                 const std::string& search, const std::string& model,
                 const std::vector<py::function>& sketches, std::map<std::string, int64_t> sizes,
                 bool resume, const std::optional<py::function>& on_progress) {
  const Target made_for = target ? target->target : Target::host();
  Work work = work_of(source, made_for, threads ? *threads : runtime::default_num_threads());
  work.task.measure.sizes = std::move(sizes);
  choose_sketches(work, sketches, space);
  TuneOptions options;
  const Limits limits = limits_of(effort, trials, budget);
  options.max_trials = limits.max_trials;
  options.budget_secs = limits.budget_secs;
  options.seed = seed ? *seed : fresh_seed();
  options.search = search;
  options.model = model;
  options.log_path = path_text(log);
  options.resume = resume;
  PythonInterrupt interrupt;
  options.cancel = [&interrupt] { return interrupt.pending(); };
  if (on_progress) options.on_progress = python_progress(*on_progress);
  WorkerOptions workers;
  workers.program_folder = program_folder();
  TuneResult result;
  {
    const py::gil_scoped_release release;
    options.speeds = host_speeds().speeds;
    try {
      result = tune(work.task, work.sketches, options, workers);
    } catch (const Error& error) {
      if (error.code() != "measure.stopped") throw;
    }
  }
  interrupt.raise();
  options.cancel = {};
  options.on_progress = {};
  return {std::move(work.task), std::move(options), std::move(result)};
}

schedule::Schedule apply_best(const py::object& program, const py::object& log,
                              std::optional<int> threads, const std::optional<TargetLike>& target) {
  const std::string path = path_text(log);
  const record::LogContents contents = record::read_log(path);
  const Target wanted = target ? target->target : Target::host();
  const TuneTask task =
      work_of(program, wanted, threads ? *threads : runtime::default_num_threads()).task;
  const record::Query query{task.key.key(), wanted, task.measure.exec};
  record::BestResult best = record::apply_best(task.measure.func, contents, query);
  if (!best.none_valid.empty()) {
    fail("choose.none_valid", "{}: the trials of '{}' all failed: {}", path, query.task_key,
         best.none_valid);
  }
  std::vector<std::string> warnings = best.warnings;
  if (!best.applied) {
    warnings.push_back(fmt::format(
        "no record of '{}' in {} can be used; this is the default schedule", query.task_key, path));
  }
  for (const std::string& text : warnings) {
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }
  return best.applied ? best.applied->schedule : schedule::default_schedule(task.measure.func);
}

void bind_outcome(py::module_& m) {
  py::class_<Outcome>(m, "TuneResult",
                      "What tune found. Printed, it is the closing table of the command.")
      .def_property_readonly(
          "schedule", [](const Outcome& o) { return best_schedule(o.task, o.result); },
          "The best schedule, for tw.build. Raises TilewrightError tune.none_valid when every "
          "trial "
          "failed; the program itself can still be built.")
      .def_property_readonly(
          "best_secs", [](const Outcome& o) { return seconds_or_none(o.result.best_secs); },
          "Median seconds of one call; None when no trial was valid.")
      .def_property_readonly(
          "baseline_secs", [](const Outcome& o) { return seconds_or_none(o.result.baseline_secs); },
          "The same of the default schedule.")
      .def_property_readonly(
          "gflops",
          [](const Outcome& o) -> std::optional<double> {
            if (!o.result.best || !(o.task.operation_count > 0)) return std::nullopt;
            return o.task.operation_count / o.result.best_secs * 1e-9;
          },
          "1e9 operations a second; None when their number is unknown.")
      .def_property_readonly(
          "roofline_share",
          [](const Outcome& o) -> std::optional<double> {
            if (!o.result.best || !(o.result.roofline_secs > 0)) return std::nullopt;
            return o.result.roofline_secs / o.result.best_secs;
          },
          "The least time that this machine allows, as a share of best_secs.")
      .def_property_readonly("trials", [](const Outcome& o) { return o.result.trials; })
      .def_property_readonly("valid", [](const Outcome& o) { return o.result.valid; })
      .def_property_readonly("failed", [](const Outcome& o) { return o.result.failed; })
      .def_property_readonly(
          "resumed", [](const Outcome& o) { return o.result.resumed; },
          "Measurements that the log held already.")
      .def_property_readonly(
          "failures", [](const Outcome& o) { return o.result.failures; },
          "Failed trials by status: {'crash': 2}.")
      .def_property_readonly(
          "reasons", [](const Outcome& o) { return o.result.reasons; }, "The same by text.")
      .def_property_readonly(
          "rejected", [](const Outcome& o) { return o.result.rejected; },
          "Points that no schedule can be made of, by reason; they cost no trial.")
      .def_property_readonly(
          "stop", [](const Outcome& o) { return stop_word(o.result.stop); },
          "Why it ended: 'trials', 'budget' or 'exhausted'.")
      .def_property_readonly("wall_secs", [](const Outcome& o) { return o.result.wall_secs; })
      .def_property_readonly("seed", [](const Outcome& o) { return o.options.seed; })
      .def_property_readonly(
          "log", [](const Outcome& o) { return o.options.log_path; }, "'' when there is none.")
      .def_property_readonly(
          "task_key", [](const Outcome& o) { return o.task.key.key(); },
          "What the records are looked up by.")
      .def("__repr__", &text_of);
}

void bind_progress(py::module_& m) {
  py::class_<ProgressNote>(m, "TuneProgress", "Where a run of tune stands; str() is one line.")
      .def_readonly("phase", &ProgressNote::phase, "'prepare', 'trials' or 'finals'.")
      .def_readonly("trials", &ProgressNote::trials)
      .def_readonly("valid", &ProgressNote::valid)
      .def_readonly("failed", &ProgressNote::failed)
      .def_readonly("best_secs", &ProgressNote::best_secs, "0: none yet.")
      .def_readonly("baseline_secs", &ProgressNote::baseline_secs, "0: not known yet.")
      .def_readonly("elapsed_secs", &ProgressNote::elapsed_secs)
      .def_readonly("left_secs", &ProgressNote::left_secs, "None when there is no telling.")
      .def_readonly("improved", &ProgressNote::improved,
                    "The trial that has just ended is the best.")
      .def("__str__", [](const ProgressNote& p) { return p.text; })
      .def("__repr__", [](const ProgressNote& p) { return "<TuneProgress: " + p.text + ">"; });
}

}  // namespace

void bind_tune(py::module_& m) {
  bind_outcome(m);
  bind_progress(m);
  m.def(
      "tune", &run_tune, py::arg("program"), py::arg("target") = py::none(),
      py::arg("threads") = py::none(), py::kw_only(), py::arg("trials") = py::none(),
      py::arg("budget") = py::none(), py::arg("effort") = "default", py::arg("seed") = py::none(),
      py::arg("log") = py::none(), py::arg("space") = "", py::arg("search") = "evolutionary",
      py::arg("model") = "xgb", py::arg("sketches") = std::vector<py::function>(),
      py::arg("sizes") = std::map<std::string, int64_t>(), py::arg("resume") = false,
      py::arg("on_progress") = py::none(),
      "Finds a fast schedule by measuring on this machine, in worker processes, and compares every "
      "candidate's whole output with a reference.\n\n"
      "program: a list of tensors as for te.create_prim_func, a PrimFunc, a Schedule or an "
      "Operator. sketches: functions f(sch, target, threads) that take steps on a Schedule, which "
      "is fresh or has those of the one given (what they sample is tuned as well), and draw what "
      "is to be tuned by sch.sample_*; a refused step makes that point illegal, any other "
      "exception ends the run. An Operator has templates of its own. space: 'template', "
      "'generated' (from the loops alone, after the steps of a Schedule given) or 'both'; by "
      "default both for an Operator, else sketches where some are given. threads: the kernel is "
      "called "
      "with (None: all cores). trials, budget (seconds) and effort ('none', 'quick', 'default', "
      "'full') as for the command. seed: the same one chooses alike (None: another one in each "
      "run). log: file that measurements are appended to; with resume, what it holds counts as "
      "trials and is not measured again. sizes: values of symbolic sizes, by name. on_progress: "
      "called with a TuneProgress after each trial; on_progress=print shows a line each.\n\n"
      "Ctrl-C ends the run; what is measured is in the log. Raises TilewrightError: "
      "tune.no_sketch, tune.space, tune.effort, tune.limit, tune.sizes, search.unknown, "
      "cost_model.unknown, "
      "log.unwritable, log.write, "
      "measure.*.");
  m.def("apply_best", &apply_best, py::arg("program"), py::arg("log"),
        py::arg("threads") = py::none(), py::arg("target") = py::none(),
        "The schedule of the best usable record of a log for this program (an Operator, a list of "
        "tensors, a PrimFunc), target and number of threads (None: all cores), else the default "
        "schedule with a UserWarning. Raises TilewrightError: choose.none_valid when the log holds "
        "trials of just this and all of them failed, log.missing, log.unreadable.");
  m.def(
      "task_key",
      [](const py::object& program) { return work_of(program, Target::host(), 1).task.key.key(); },
      py::arg("program"),
      "What tuning records of a program are looked up by: of tensors their canonical text, of a "
      "PrimFunc or the program of a Schedule its structure, of an Operator its parameters.");
}

}  // namespace tilewright::python
