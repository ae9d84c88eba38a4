#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "cli/crash_report.h"
#include "cli/op_options.h"
#include "cli/script_program.h"
#include "tilewright/fuzz/fuzz.h"
#include "tilewright/support/fault.h"
#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

// The interpreter checks every schedule: more operations than this take too long.
constexpr double kMostOperations = 4e5;

struct FuzzOptions {
  OpOptions op;
  std::string script, target = "cpu", threads, seconds, programs, seed = "1", out = "fuzz-failures";
  std::string fault;
  std::vector<std::string> add;
  bool json = false, all_faults = false, interpret_only = false;
};

FuzzOptions parse_options(const std::vector<std::string>& arguments) {
  FuzzOptions options;
  CLI::App app(
      "Attacks the schedule primitives and the compiler: random schedules of random\n"
      "programs, of an operator or of your own program, each compared with the\n"
      "interpreter on the unscheduled program. A wrong one is made small and written to\n"
      "a file for `tilewright reduce`. Exit code 0: none found, 1: found, 2: bad use.",
      "tilewright fuzz");
  add_op_options(app, arguments, options.op);
  app.add_option("--script", options.script,
                 "attack the program that a function of a Python file gives: FILE.py:FUNCTION")
      ->type_name("F:FN");
  app.add_option("--seconds", options.seconds, "how long [60]")->type_name("N");
  app.add_option("--programs", options.programs, "how many programs, instead of a time")
      ->type_name("N");
  app.add_option("--seed", options.seed, "the same seed makes the same programs [1]")
      ->type_name("S");
  app.add_option("--threads", options.threads, "threads that attack [all cores]")->type_name("N");
  app.add_option("--target", options.target, "what to compile for [cpu]")->type_name("TARGET");
  app.add_option("--out", options.out, "folder for failures [fuzz-failures]")->type_name("DIR");
  app.add_flag("--interpret-only", options.interpret_only, "compile nothing: faster, finds less");
  app.add_flag("--json", options.json, "the counts as one line of JSON, the last of stdout");
  app.add_option("--add", options.add, "attack nothing: add up what runs with --json printed")
      ->type_name("FILE");
  app.add_option("--fault", options.fault,
                 "to test the fuzzer: switch on a fault that is built into the compiler")
      ->type_name("NAME");
  app.add_flag("--faults", options.all_faults,
               "to test the fuzzer: look for each built-in fault; --seconds is for one of them");
  const std::vector<std::string> remaining = parse(app, arguments);
  if (!options.op.op.empty()) {
    check_op_arguments(app, remaining, options.op);
  } else if (!remaining.empty()) {
    refuse_argument(app, remaining[0]);
  }
  if (!options.op.op.empty() && !options.script.empty()) bad_use("give --op or --script, not both");
  return options;
}

std::vector<fuzz::Sizes> instances_of(const ir::PrimFunc& func) {
  std::vector<fuzz::Sizes> instances = {{}};
  for (const ir::Param& param : func->params) {
    if (param.role != ir::ParamRole::kShape) continue;
    if (instances.size() == 1) instances = {{}, {}, {}};
    const int64_t values[] = {7, 1, 12};
    for (size_t i = 0; i < instances.size(); ++i) instances[i][param.var.name()] = values[i];
  }
  return instances;
}

std::optional<fuzz::Subject> chosen_subject(const FuzzOptions& options, schedule::Trace& start) {
  fuzz::Subject subject;
  if (!options.op.op.empty()) {
    const ops::OpInstance op = instantiate(options.op);
    if (op.operation_count > kMostOperations) {
      bad_use(
          "{} has {:.0f} operations; the interpreter checks every schedule, so give small sizes, "
          "at most "
          "{:.0f} operations in all",
          options.op.op, op.operation_count, kMostOperations);
    }
    subject.func = op.func;
  } else if (!options.script.empty()) {
    const ScriptProgram script = run_script(options.script);
    subject.func = script.func;
    if (script.traces.size() > 1) bad_use("--script: give one Schedule, not several");
    if (!script.traces.empty()) start = script.traces[0];
  } else {
    return std::nullopt;
  }
  subject.sizes = instances_of(subject.func);
  return subject;
}

std::string failure_path(const FuzzOptions& options, const fuzz::Failure& failure) {
  return fmt::format("{}/failure-{}-{}.json", options.out, failure.seed, failure.number);
}

void write_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) bad_use("--out: '{}' cannot be written", path);
}

// Before hours are spent: a failure that cannot be kept is lost.
void require_out_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path)) {
    bad_use("--out: there is no folder '{}' and none can be made{}", path,
            error ? ": " + error.message() : "");
  }
  if (access(path.c_str(), W_OK) != 0) bad_use("--out: nothing can be written into '{}'", path);
}

fuzz::Options run_options(const FuzzOptions& options) {
  fuzz::Options run;
  run.seed = number<uint64_t>("--seed", options.seed, 0, UINT64_MAX, "a number of at least 0");
  run.secs = options.seconds.empty()
                 ? 60
                 : number<double>("--seconds", options.seconds, 0.01, 1e7, "a time in seconds");
  if (!options.programs.empty()) {
    run.programs =
        number<int64_t>("--programs", options.programs, 0, INT64_MAX, "a number of programs");
  }
  run.threads = thread_count(options.threads, Target::host().cores);
  if (options.interpret_only) run.depth = fuzz::CheckDepth::kInterpret;
  return run;
}

int add_up(const FuzzOptions& options) {
  fuzz::Tally total;
  for (const std::string& path : options.add) {
    std::ifstream file(path);
    std::string line, last;
    while (std::getline(file, line)) {
      if (!line.empty()) last = line;
    }
    try {
      total.add(fuzz::Tally::from_json(last));
    } catch (const Error& error) {
      bad_use("--add: {}: {}", path, error.what());
    }
  }
  write_out(total.table());
  if (options.json) write_out(total.to_json() + "\n");
  return total.faults > 0 ? kFailed : kDone;
}

int look_for_faults(const FuzzOptions& options) {
  fuzz::Options run = run_options(options);
  run.programs = -1;
  std::vector<std::string> names = fuzz::findable_faults();
  if (!options.fault.empty()) names = {options.fault};
  write_out(
      fmt::format("{:<34}{:>10}{:>12}{:>14}\n", "fault", "seconds", "programs", "primitives"));
  int64_t missed = 0;
  std::string list;
  for (const std::string& name : names) {
    run.on_failure = [&](const fuzz::Failure& failure) {
      write_file(fmt::format("{}/{}.json", options.out, name), failure.to_json());
    };
    const fuzz::FaultResult result = fuzz::find_fault(name, run);
    const bool good = result.found && result.primitives <= 3;
    missed += !good;
    write_out(result.found
                  ? fmt::format("{:<34}{:>10.1f}{:>12}{:>14}{}\n", name, result.secs,
                                result.programs, result.primitives, good ? "" : "  too many")
                  : fmt::format("{:<34}{:>10.1f}{:>12}{:>14}\n", name, result.secs, result.programs,
                                "not found"));
    list +=
        fmt::format("{}{{\"fault\":\"{}\",\"found\":{},\"secs\":{:.2f},\"primitives\":{}}}",
                    list.empty() ? "" : ",", name, result.found, result.secs, result.primitives);
  }
  write_out(fmt::format("{} of {} faults found and shrunk to at most 3 primitives\n",
                        static_cast<int64_t>(names.size()) - missed, names.size()));
  if (options.json) write_out("[" + list + "]\n");
  return missed > 0 ? kFailed : kDone;
}

}  // namespace

int run_fuzz(const std::vector<std::string>& arguments) {
  const FuzzOptions options = parse_options(arguments);
  cpu_target(options.target);
  if (!options.add.empty()) return add_up(options);
  require_out_folder(options.out);
  fuzz::Options run = run_options(options);
  if (options.all_faults) return look_for_faults(options);
  run.subject = chosen_subject(options, run.start);
  const FaultSwitch fault(options.fault);
  run.on_failure = [&](const fuzz::Failure& failure) {
    const std::string path = failure_path(options, failure);
    write_file(path, failure.to_json());
    write_note("fault",
               fmt::format("{}: {} ({} primitives)", path,
                           failure.verdict.message.substr(0, failure.verdict.message.find('\n')),
                           failure.primitives()));
  };
  auto told = std::chrono::steady_clock::now();
  run.on_progress = [&](const fuzz::Tally& tally) {
    const auto now = std::chrono::steady_clock::now();
    if (now - told < std::chrono::seconds(5)) return;
    told = now;
    write_note("fuzz", fmt::format("{:.0f} s, {} programs ({:.0f} a second), {} faults", tally.secs,
                                   tally.programs, static_cast<double>(tally.programs) / tally.secs,
                                   tally.faults));
  };
  run.before_check = [&](const fuzz::Failure& failure) {
    fuzz::Failure crash = failure;
    crash.verdict = {"crash", "the process crashed", {}};
    set_crash_report(fmt::format("{}/crash-{}-{}.json", options.out, failure.seed, failure.number),
                     crash.to_json());
  };
  const fuzz::Result result = fuzz::run(run);
  write_out(result.tally.table());
  if (options.json) write_out(result.tally.to_json() + "\n");
  return result.failures.empty() ? kDone : kFailed;
}

}  // namespace tilewright::cli
