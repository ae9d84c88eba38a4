#include "tuner/cli/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <limits>

#include "cli/op_options.h"
#include "tilewright/record/log.h"
#include "tilewright/support/suggest.h"
#include "tilewright/tuner/measure/device.h"
#include "tilewright/tuner/search/search.h"

namespace tilewright::tuner {
namespace {

using cli::bad_use;

struct Effort {
  const char* name;
  int64_t trials;
  double budget_secs;
};
constexpr Effort kEfforts[] = {
    {"none", 0, 0}, {"quick", 16, 10}, {"default", 64, 60}, {"full", 1000, 1800}};

// The options as text; what they mean is checked afterwards, so that every message is ours.
struct RawOptions {
  cli::OpOptions op;
  std::string target = "cpu", trials, budget, effort, threads, seed, log, search, model;
  std::vector<std::string> faults;
  bool json = false, resume = false;
};

RawOptions parse_raw(const std::vector<std::string>& arguments) {
  RawOptions raw;
  CLI::App app("Finds a fast schedule for an operator by measuring on this machine.", "tune");
  cli::add_op_options(app, arguments, raw.op);
  const auto option = [&](const char* name, std::string& value, const char* help,
                          const char* type) { app.add_option(name, value, help)->type_name(type); };
  option("--target", raw.target, "what to compile for [cpu: this machine]", "TARGET");
  option("--trials", raw.trials, "candidates to measure; lifts the limit on time", "N");
  option("--budget", raw.budget, "seconds for measuring; lifts the limit on trials", "SECS");
  option("--effort", raw.effort,
         "none (0 trials), quick (16 or 10 s), default (64 or 60 s) or full (1000 or 1800 s)",
         "NAME");
  option("--threads", raw.threads, "threads the kernel is called with [all cores]", "N");
  option("--seed", raw.seed, "seed of the search [another one in every run]", "N");
  option("--search", raw.search, "evolutionary, random or grid (every point) [evolutionary]",
         "NAME");
  option("--model", raw.model,
         "what evolution is guided by: xgb (learns from the measurements), prior (analytic) or "
         "random [xgb]",
         "NAME");
  option("--log", raw.log, "log that measurements are appended to [tune_<op>.jsonl]", "FILE");
  app.add_option("--fault", raw.faults,
                 "for tests of the supervision: makes a share of the trials go wrong, as "
                 "crash:0.1; crash, hang, oom, wrong or early-return; may be repeated")
      ->type_name("KIND:RATE")
      ->take_all();
  app.add_flag("--resume", raw.resume,
               "go on with what the log holds: --trials is the total, nothing is measured twice");
  app.add_flag("--json", raw.json, "print a summary as one line of JSON at the end");
  app.set_version_flag("--version", "tune " TW_VERSION);
  cli::check_op_arguments(app, cli::parse(app, arguments), raw.op);
  return raw;
}

Target measurable_target(const std::string& text) {
  Target target = cli::cpu_target(text);
  if (const auto why = Target::host().why_unusable(target)) {
    bad_use("--target '{}': kernels are measured on this machine, but it cannot run them: {}", text,
            *why);
  }
  return target;
}

void set_limits(const RawOptions& raw, CommandOptions& options) {
  const std::string wanted = raw.effort.empty() ? "default" : raw.effort;
  const Effort* effort = nullptr;
  std::vector<std::string> names;
  for (const Effort& row : kEfforts) {
    names.emplace_back(row.name);
    if (wanted == row.name) effort = &row;
  }
  if (!effort) bad_use("--effort: unknown effort '{}'{}", wanted, suggestion(names, wanted));
  options.max_trials = effort->trials;
  options.budget_secs = effort->budget_secs;
  if (!raw.trials.empty()) {
    options.max_trials = cli::number<int64_t>("--trials", raw.trials, 0, 1'000'000'000,
                                              "a whole number of trials, 0 or more");
    if (raw.budget.empty()) options.budget_secs = std::numeric_limits<double>::infinity();
  }
  if (!raw.budget.empty()) {
    options.budget_secs =
        cli::number<double>("--budget", raw.budget, std::numeric_limits<double>::min(), 1e9,
                            "a positive number of seconds");
    if (raw.trials.empty()) options.max_trials = std::numeric_limits<int64_t>::max();
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

uint64_t fresh_seed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return (static_cast<uint64_t>(now) * 2654435761u + static_cast<uint64_t>(getpid())) % 1'000'000;
}

}  // namespace

CommandOptions parse_command(const std::vector<std::string>& arguments) {
  const RawOptions raw = parse_raw(arguments);
  CommandOptions options;
  options.json = raw.json;
  options.resume = raw.resume;
  options.faults = read_faults(raw.faults);
  options.target = measurable_target(raw.target);
  options.target_text = raw.target;
  set_limits(raw, options);
  options.threads = cli::thread_count(raw.threads, Target::host().cores);
  options.seed = raw.seed.empty() ? fresh_seed()
                                  : cli::number<uint64_t>("--seed", raw.seed, 0, UINT64_MAX,
                                                          "a whole number, 0 or more");
  options.search = one_of("--search", raw.search, search_names());
  options.model = one_of("--model", raw.model, cost_model_names());
  if (!raw.model.empty() && options.search != "evolutionary") {
    bad_use("--model: --search {} uses no model", options.search);
  }
  options.op = cli::instantiate(raw.op);
  options.log_path = raw.log.empty() ? "tune_" + options.op.op + ".jsonl" : raw.log;
  try {
    record::LogWriter check(options.log_path);
  } catch (const Error& error) {
    bad_use("{}", error.what());
  }
  return options;
}

ir::PrimFunc shrunken_instance(const ops::OpInstance& op) {
  const ops::OpDefinition& definition = ops::find_definition(op.op);
  for (int64_t limit : {11, 8, 16, 5}) {
    ops::TextValues values = op.args;
    for (const ops::ParameterSpec& spec : definition.parameters) {
      if (spec.kind != ops::ParameterKind::kInt) continue;
      const int64_t most = spec.name == "batch" ? 2 : limit;
      values[spec.name] =
          std::to_string(std::min<int64_t>(std::stoll(op.args.at(spec.name)), most));
    }
    try {
      return ops::instantiate(definition, values).func;
    } catch (const Error&) {
      // These extents do not fit together with the other parameters; the next limit may.
    }
  }
  return {};
}

}  // namespace tilewright::tuner
