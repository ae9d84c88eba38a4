#include "tuner/cli/command.h"

#include "cli/commands.h"
#include "cli/parsing.h"
#include "tilewright/support/error.h"
#include "tilewright/tuner/api/probe.h"
#include "tuner/cli/options.h"
#include "tuner/cli/progress.h"
#include "tuner/cli/summary.h"

namespace tilewright::tuner {
namespace {

using cli::kDone, cli::kFailed;
constexpr int kInterrupted = 130;

using cli::write_out;

void write_error(const std::string& text) { cli::print_note("tune", "error", text); }

int exit_code(const TuneResult& result) {
  if (result.stop == StopReason::kCancelled) return kInterrupted;
  return result.best || result.unmeasured > 0 ? kDone : kFailed;
}

int run_one(const CommandOptions& options) {
  const WeightedTask& work = options.subjects[0].work;
  ProgressView view;
  TuneOptions tuning = options.tuning;
  tuning.on_progress = [&](const Progress& progress) { view.show(progress); };
  TuneResult result;
  try {
    result = tune(work.task, work.sketches, tuning);
  } catch (const Error& error) {
    view.close();
    if (error.code() != "measure.stopped") throw;
    result.stop = StopReason::kCancelled;
  }
  view.close();
  write_out(summary_table(options, result));
  if (options.json) write_out(summary_json(options, result) + "\n");
  if (exit_code(result) == kFailed) {
    write_error(none_valid_text(result) + "; the default schedule remains usable");
  }
  return exit_code(result);
}

int run_tasks(const CommandOptions& options) {
  std::vector<WeightedTask> work;
  for (const Subject& subject : options.subjects) work.push_back(subject.work);
  ProgressView view;
  const TasksResult result = tune_tasks(
      work, options.tuning,
      [&](size_t task, const Progress& progress) {
        view.show(progress,
                  fmt::format("{}/{} {}", task + 1, work.size(), options.subjects[task].name));
      },
      [](size_t) { return make_worker_device(); });
  view.close();
  write_out(tasks_table(options, result));
  if (options.json) write_out(tasks_json(options, result) + "\n");
  if (result.stop == StopReason::kCancelled) return kInterrupted;
  int64_t without = 0;
  for (const TaskResult& task : result.tasks) {
    without += !task.result || exit_code(*task.result) == kFailed;
  }
  if (without == 0) return kDone;
  write_error(
      fmt::format("{} of {} tasks have no valid schedule; their default schedules remain "
                  "usable",
                  without, work.size()));
  return kFailed;
}

int run(CommandOptions options, const std::atomic<bool>& cancel) {
  options.tuning.speeds = host_speeds().speeds;
  options.tuning.cancel = [&] { return cancel.load(); };
  try {
    return options.task_file.empty() ? run_one(options) : run_tasks(options);
  } catch (const Error& error) {
    if (error.code() != "log.write") throw;
    write_error(std::string(error.what()) +
                "; what was measured before is in it, and --resume goes on from there");
    return kFailed;
  }
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
