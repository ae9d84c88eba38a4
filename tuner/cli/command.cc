#include "tuner/cli/command.h"

#include <cstdio>

#include "cli/commands.h"
#include "cli/parsing.h"
#include "tilewright/api/operator.h"
#include "tilewright/ops/templates.h"
#include "tilewright/support/error.h"
#include "tilewright/tuner/api/probe.h"
#include "tilewright/tuner/tune.h"
#include "tuner/cli/options.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/summary.h"

namespace tilewright::tuner {
namespace {

using cli::kDone, cli::kFailed;
constexpr int kInterrupted = 130;

using cli::write_out;

void write_error(const std::string& text) {
  std::fprintf(stderr, "tune: error: %s\n", text.c_str());
}

TuneTask make_task(const CommandOptions& options) {
  const ops::OpInstance& op = options.op;
  TuneTask task;
  task.key = task_key(op);
  task.measure = {
      op.func, options.target, {options.threads, "warm", {}}, shrunken_instance(op), {}};
  task.operation_count = op.operation_count;
  return task;
}

std::vector<Sketch> make_sketches(const std::string& op) {
  std::vector<Sketch> sketches;
  for (const ops::NamedTemplate& row : ops::templates_for(op)) {
    sketches.push_back({row.name, row.apply});
  }
  return sketches;
}

int exit_code(const TuneResult& result) {
  if (result.stop == StopReason::kCancelled) return kInterrupted;
  return result.best || result.unmeasured > 0 ? kDone : kFailed;
}

int run(const CommandOptions& options, const std::atomic<bool>& cancel) {
  const TuneTask task = make_task(options);
  ProgressView view(options);
  TuneOptions tuning;
  tuning.max_trials = options.max_trials;
  tuning.budget_secs = options.budget_secs;
  tuning.seed = options.seed;
  tuning.search = options.search;
  tuning.model = options.model;
  tuning.speeds = host_speeds().speeds;
  tuning.log_path = options.log_path;
  tuning.resume = options.resume;
  tuning.faults = options.faults;
  tuning.cancel = &cancel;
  tuning.on_progress = [&](const Progress& progress) { view.show(progress); };
  TuneResult result;
  try {
    result = tune(task, make_sketches(options.op.op), tuning);
  } catch (const Error& error) {
    view.close();
    if (error.code() != "measure.stopped") throw;
    result.stop = StopReason::kCancelled;
  }
  view.close();
  write_out(summary_table(options, result));
  if (options.json) write_out(summary_json(options, result) + "\n");
  if (exit_code(result) == kFailed) {
    write_error(fmt::format("0 of {} trials are valid; the default schedule remains usable",
                            result.trials));
  }
  return exit_code(result);
}

}  // namespace

int run_command(const std::vector<std::string>& arguments, const std::atomic<bool>& cancel) {
  try {
    return run(parse_command(arguments), cancel);
  } catch (const cli::EarlyEnd& end) {
    if (end.exit_code != kDone) {
      write_error(end.text);
      return end.exit_code;
    }
    try {
      write_out(end.text);
    } catch (const Error& error) {
      write_error(error.what());
      return kFailed;
    }
    return kDone;
  } catch (const std::exception& error) {
    write_error(error.what());
    return kFailed;
  }
}

}  // namespace tilewright::tuner
