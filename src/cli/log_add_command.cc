#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/log_commands.h"
#include "cli/op_options.h"
#include "cli/script_program.h"
#include "tilewright/tuner/api/record_schedule.h"
#include "tilewright/tuner/api/report.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/api/tune_te.h"

namespace tilewright::cli {
namespace {

struct Options {
  OpOptions op;
  std::string path, script, target = "cpu", threads;
};

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(
      "Measures a schedule made by hand, compares its outputs with the reference and\n"
      "appends the record to a log, where compile finds it as it finds those of tune.",
      "tilewright log add");
  app.add_option("file", options.path, "the log; made when it is missing")
      ->type_name("FILE")
      ->required();
  app.add_option("--script", options.script,
                 "FILE.py:FUNCTION, a function that gives a Schedule or a list of them")
      ->type_name("F:FN");
  add_op_options(app, arguments, options.op);
  app.add_option("--target", options.target, "what to compile for [cpu: this machine]")
      ->type_name("TARGET");
  app.add_option("--threads", options.threads, "threads the kernel is called with [all cores]")
      ->type_name("N");
  const std::vector<std::string> remaining = parse(app, arguments);
  if (!options.op.op.empty()) {
    check_op_arguments(app, remaining, options.op);
  } else if (!remaining.empty()) {
    refuse_argument(app, remaining[0]);
  }
  if (options.script.empty()) bad_use("--script F:FN is missing: what gives the schedule");
  return options;
}

tuner::TuneTask task_of(const Options& options, const ScriptProgram& program, const Target& target,
                        int threads) {
  if (!options.op.op.empty()) {
    return tuner::operator_task(instantiate(options.op), target, threads);
  }
  return tuner::func_task(program.func, target, threads);
}

std::string result_text(const std::string& path, const record::TuningRecord& r) {
  if (r.result.status != record::Status::kOk) {
    return fmt::format("{}: {}, {}: {}\n", path, r.id, to_string(r.result.status), r.result.reason);
  }
  const double secs = *r.result.median_secs;
  std::string text = fmt::format("{}: {}, {}", path, r.id, tuner::secs_text(secs));
  if (r.search.baseline_secs) {
    text += fmt::format(", {:.3g}x the default schedule", *r.search.baseline_secs / secs);
  }
  return text + fmt::format(", {} outputs checked\n", r.result.check.elements);
}

}  // namespace

int run_log_add(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  const Target target = measurable_target(options.target);
  const int threads = thread_count(options.threads, Target::host().cores);
  const ScriptProgram program = run_script(options.script);
  if (program.traces.empty()) {
    bad_use("--script: '{}' gives no Schedule; `tune --script` finds one", options.script);
  }
  const tuner::TuneTask task = task_of(options, program, target, threads);
  bool all_valid = true;
  for (const schedule::Trace& trace : program.traces) {
    const record::TuningRecord r =
        tuner::record_schedule(task, schedule::Schedule::replay(program.func, trace), options.path);
    write_out(wrap_text(result_text(options.path, r), 80, 2));
    all_valid = all_valid && r.result.status == record::Status::kOk;
  }
  return all_valid ? kDone : kFailed;
}

}  // namespace tilewright::cli
