#include "tuner/cli/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "tilewright/record/log.h"
#include "tilewright/support/suggest.h"
#include "tilewright/tuner/api/limits.h"
#include "tuner/cli/task_file.h"

namespace tilewright::tuner {
namespace {

using cli::bad_use;

// The options as text; what they mean is checked afterwards, so that every message is ours.
struct RawOptions {
  SubjectOptions subject;
  std::string tasks, trials, budget, effort, seed, log, search, model;
  std::vector<std::string> faults;
  bool json = false, resume = false;
};

RawOptions parse_raw(const std::vector<std::string>& arguments) {
  RawOptions raw;
  CLI::App app("Finds a fast schedule for an operator by measuring on this machine.", "tune");
  add_subject_options(app, arguments, raw.subject);
  const auto option = [&](const char* name, std::string& value, const char* help,
                          const char* type) { app.add_option(name, value, help)->type_name(type); };
  option("--tasks", raw.tasks,
         "tune all tasks of a file, a line each: --op with its parameters or --script, and "
         "weight=N [1], how much it counts; # begins a comment. Trials and seconds are for all "
         "together and go where the weighted sum of times falls fastest",
         "FILE");
  option("--trials", raw.trials, "candidates to measure; lifts the limit on time", "N");
  option("--budget", raw.budget, "seconds for measuring; lifts the limit on trials", "SECS");
  option("--effort", raw.effort,
         "none (0 trials), quick (16 or 10 s), default (64 or 60 s) or full (1000 or 1800 s)",
         "NAME");
  option("--seed", raw.seed, "seed of the search [another one in every run]", "N");
  option("--search", raw.search, "evolutionary, random or grid (every point) [evolutionary]",
         "NAME");
  option("--model", raw.model,
         "what evolution is guided by: xgb (learns from the measurements), prior (analytic) or "
         "random [xgb]",
         "NAME");
  option("--log", raw.log,
         "log that measurements are appended to [tune_NAME.jsonl, after operator, function or task "
         "file]",
         "FILE");
  app.add_option("--fault", raw.faults,
                 "for tests of the supervision: makes a share of the trials go wrong, as "
                 "crash:0.1; crash, hang, oom, wrong or early-return; may be repeated")
      ->type_name("KIND:RATE")
      ->take_all();
  app.add_flag("--resume", raw.resume,
               "go on with what the log holds: --trials is the total, nothing is measured twice");
  app.add_flag("--json", raw.json, "print a summary as one line of JSON at the end");
  app.set_version_flag("--version", "tune " TW_VERSION);
  const std::vector<std::string> remaining = cli::parse(app, arguments);
  if (raw.tasks.empty()) {
    check_subject_arguments(app, remaining, raw.subject);
  } else if (!raw.subject.op.op.empty() || !raw.subject.script.empty()) {
    bad_use("--tasks names what to tune: give no --op and no --script with it");
  } else if (!remaining.empty()) {
    cli::refuse_argument(app, remaining[0]);
  }
  return raw;
}

void set_limits(const RawOptions& raw, TuneOptions& options) {
  std::optional<int64_t> trials;
  std::optional<double> budget;
  if (!raw.trials.empty()) {
    trials = cli::number<int64_t>("--trials", raw.trials, 0, 1'000'000'000,
                                  "a whole number of trials, 0 or more");
  }
  if (!raw.budget.empty()) {
    budget = cli::number<double>("--budget", raw.budget, std::numeric_limits<double>::min(), 1e9,
                                 "a positive number of seconds");
  }
  try {
    const Limits limits = limits_of(raw.effort.empty() ? "default" : raw.effort, trials, budget);
    options.max_trials = limits.max_trials;
    options.budget_secs = limits.budget_secs;
  } catch (const Error& error) {
    bad_use("--effort: {}", error.what());
  }
}

// The value of an option, the first name where it is not given.
std::string one_of(const char* option, const std::string& value,
                   const std::vector<std::string>& names) {
  if (value.empty()) return names.front();
  if (std::find(names.begin(), names.end(), value) == names.end()) {
    bad_use("{}: unknown name '{}'{}", option, value, suggestion(names, value));
  }
  return value;
}

std::vector<std::pair<std::string, double>> read_faults(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, double>> faults;
  double sum = 0;
  for (const std::string& text : texts) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) {
      bad_use("--fault: expected KIND:RATE such as crash:0.1; got '{}'", text);
    }
    const std::string kind = one_of("--fault", text.substr(0, colon), fault_kinds());
    const double rate = cli::number<double>("--fault", text.substr(colon + 1), 0.0, 1.0,
                                            "a rate from 0 to 1 behind the colon");
    sum += rate;
    faults.emplace_back(kind, rate);
  }
  if (sum > 1) bad_use("--fault: the rates add up to {:g}, more than 1", sum);
  return faults;
}

std::string default_log(const CommandOptions& options) {
  const std::string name = options.task_file.empty()
                               ? options.subjects[0].name
                               : std::filesystem::path(options.task_file).stem().string();
  return "tune_" + name + ".jsonl";
}

uint64_t fresh_seed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return (static_cast<uint64_t>(now) * 2654435761u + static_cast<uint64_t>(getpid())) % 1'000'000;
}

}  // namespace

CommandOptions parse_command(const std::vector<std::string>& arguments) {
  const RawOptions raw = parse_raw(arguments);
  CommandOptions options;
  options.json = raw.json;
  options.task_file = raw.tasks;
  TuneOptions& tuning = options.tuning;
  tuning.resume = raw.resume;
  tuning.faults = read_faults(raw.faults);
  set_limits(raw, tuning);
  tuning.seed = raw.seed.empty() ? fresh_seed()
                                 : cli::number<uint64_t>("--seed", raw.seed, 0, UINT64_MAX,
                                                         "a whole number, 0 or more");
  tuning.search = one_of("--search", raw.search, search_names());
  tuning.model = one_of("--model", raw.model, cost_model_names());
  if (!raw.model.empty() && tuning.search != "evolutionary") {
    bad_use("--model: --search {} uses no model", tuning.search);
  }
  if (raw.tasks.empty()) {
    options.subjects.push_back(make_subject(raw.subject));
  } else {
    options.subjects = read_task_file(raw.tasks, raw.subject);
  }
  tuning.log_path = raw.log.empty() ? default_log(options) : raw.log;
  try {
    record::LogWriter check(tuning.log_path);
  } catch (const Error& error) {
    bad_use("{}", error.what());
  }
  return options;
}

}  // namespace tilewright::tuner
