#include "tuner/cli/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include "tilewright/record/log.h"
#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright::tuner {
namespace {

constexpr int kMaxThreads = 1024;

template <typename... Args>
[[noreturn]] void bad_use(fmt::format_string<Args...> format, Args&&... args) {
  throw EarlyEnd{2, fmt::format(format, std::forward<Args>(args)...)};
}

struct Effort {
  const char* name;
  int64_t trials;
  double budget_secs;
};
constexpr Effort kEfforts[] = {
    {"none", 0, 0}, {"quick", 16, 10}, {"default", 64, 60}, {"full", 1000, 1800}};

// The options as text; what they mean is checked afterwards, so that every message is ours.
struct RawOptions {
  std::string op, target = "cpu", trials, budget, effort, threads, seed, log;
  bool json = false;
  std::map<std::string, std::vector<std::string>> parameters;
};

template <typename T>
T number(const char* option, const std::string& text, T low, T high, const std::string& what) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= low) ||
      !(value <= high)) {
    bad_use("{}: expected {}; got '{}'", option, what, text);
  }
  return value;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const ops::OpDefinition& definition : ops::definitions()) names.push_back(definition.name);
  return names;
}

// The value of --op before anything else is known.
std::string find_op(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--op" && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with("--op=")) return arguments[i].substr(5);
  }
  return "";
}

void add_general(CLI::App& app, RawOptions& raw) {
  app.add_option("--op", raw.op, "operator to tune, or 'list' for all with their parameters");
  app.add_option("--target", raw.target, "what to compile for: cpu [cpu]");
  app.add_option("--trials", raw.trials, "candidates to measure; lifts the limit on time");
  app.add_option("--budget", raw.budget, "seconds for measuring; lifts the limit on trials");
  app.add_option(
      "--effort", raw.effort,
      "none (0 trials), quick (16 or 10 s), default (64 or 60 s), full (1000 or 1800 s)");
  app.add_option("--threads", raw.threads, "threads the kernel is called with [all cores]");
  app.add_option("--seed", raw.seed, "of the search [different in every run]");
  app.add_option("--log", raw.log, "log that measurements are appended to [tune_<op>.jsonl]");
  app.add_flag("--json", raw.json, "print a summary as one line of JSON at the end");
  app.set_version_flag("--version", "tune " TW_VERSION);
}

std::string default_text(const ops::ParameterSpec& spec) {
  std::string text = spec.help;
  if (!spec.choices.empty()) {
    text += ": ";
    for (const std::string& choice : spec.choices) {
      text += (&choice == spec.choices.data() ? "" : ", ") + choice;
    }
  }
  return text + " [" + spec.default_value + "]";
}

void add_parameters(CLI::App& app, const ops::OpDefinition& definition, RawOptions& raw) {
  for (const ops::ParameterSpec& spec : definition.parameters) {
    CLI::Option* option =
        app.add_option(ops::option_name(spec), raw.parameters[spec.name], default_text(spec));
    option->group("Parameters of " + definition.name);
    option->expected(spec.kind == ops::ParameterKind::kFlag ? 0 : 1, 1);
    option->type_name("");
  }
}

// Says what is wrong with the first argument nobody took.
[[noreturn]] void refuse_extra(const CLI::App& app, const std::string& word,
                               const std::string& op) {
  if (!word.starts_with("-")) bad_use("unexpected argument '{}'", word);
  const std::string name = word.substr(0, word.find('='));
  for (const ops::OpDefinition& other : ops::definitions()) {
    for (const ops::ParameterSpec& spec : other.parameters) {
      if (other.name != op && ops::option_name(spec) == name) {
        bad_use("option '{}' belongs to {}, not to {}", name, other.name, op);
      }
    }
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name());
  bad_use("unknown option '{}'{}", name, suggestion(names, name));
}

RawOptions parse_raw(const std::vector<std::string>& arguments,
                     const ops::OpDefinition* definition) {
  RawOptions raw;
  CLI::App app("Finds a fast schedule for an operator by measuring on this machine.", "tune");
  app.get_formatter()->column_width(26);
  app.allow_extras();
  add_general(app, raw);
  if (definition) add_parameters(app, *definition, raw);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForVersion& version) {
    throw EarlyEnd{0, std::string(version.what()) + "\n"};
  } catch (const CLI::Success&) {
    throw EarlyEnd{0, app.help()};
  } catch (const CLI::ParseError& error) {
    bad_use("{}", error.what());
  }
  const std::vector<std::string> extras = app.remaining();
  if (definition && !extras.empty()) refuse_extra(app, extras[0], definition->name);
  return raw;
}

Target parse_target(const std::string& text) {
  Target target;
  try {
    target = Target::parse(text);
  } catch (const Error& error) {
    bad_use("--target: {}", error.what());
  }
  if (target.kind != TargetKind::kCpu) {
    bad_use("--target {}: this version generates code for cpu only; use --target cpu",
            to_string(target.kind));
  }
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
    options.max_trials = number<int64_t>("--trials", raw.trials, 0, 1'000'000'000,
                                         "a whole number of trials, 0 or more");
    if (raw.budget.empty()) options.budget_secs = std::numeric_limits<double>::infinity();
  }
  if (!raw.budget.empty()) {
    options.budget_secs = number<double>("--budget", raw.budget, std::numeric_limits<double>::min(),
                                         1e9, "a positive number of seconds");
    if (raw.trials.empty()) options.max_trials = std::numeric_limits<int64_t>::max();
  }
}

uint64_t fresh_seed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return (static_cast<uint64_t>(now) * 2654435761u + static_cast<uint64_t>(getpid())) % 1'000'000;
}

ops::TextValues given_parameters(const RawOptions& raw) {
  ops::TextValues given;
  for (const auto& [name, values] : raw.parameters) {
    if (values.empty()) continue;
    if (values.size() > 1) bad_use("--{} is given twice", name);
    // A flag without a value means yes; the parser stands an empty text in for it.
    given[name] = values[0].empty() ? "1" : values[0];
  }
  return given;
}

}  // namespace

CommandOptions parse_command(const std::vector<std::string>& arguments) {
  const std::string op = find_op(arguments);
  if (op == "list") throw EarlyEnd{0, operator_list()};
  const ops::OpDefinition* definition = nullptr;
  for (const ops::OpDefinition& row : ops::definitions()) {
    if (row.name == op) definition = &row;
  }
  const RawOptions raw = parse_raw(arguments, definition);
  if (op.empty()) bad_use("--op is missing{}", suggestion(operator_names(), ""));
  if (!definition) bad_use("unknown operator '{}'{}", op, suggestion(operator_names(), op));

  CommandOptions options;
  options.json = raw.json;
  options.target = parse_target(raw.target);
  options.target_text = raw.target;
  set_limits(raw, options);
  options.threads = raw.threads.empty()
                        ? Target::host().cores
                        : number<int>("--threads", raw.threads, 1, kMaxThreads,
                                      fmt::format("a number of threads from 1 to {}", kMaxThreads));
  options.seed = raw.seed.empty() ? fresh_seed()
                                  : number<uint64_t>("--seed", raw.seed, 0, UINT64_MAX,
                                                     "a whole number, 0 or more");
  options.given = given_parameters(raw);
  try {
    options.op = ops::instantiate(*definition, options.given);
    options.log_path = raw.log.empty() ? "tune_" + op + ".jsonl" : raw.log;
    record::LogWriter check(options.log_path);
  } catch (const Error& error) {
    bad_use("{}", error.what());
  }
  return options;
}

std::string operator_list() {
  std::string text;
  for (const ops::OpDefinition& definition : ops::definitions()) {
    text += fmt::format("{}: {}\n", definition.name, definition.help);
    for (const ops::ParameterSpec& spec : definition.parameters) {
      text += fmt::format("  {:<14} {}\n", ops::option_name(spec), default_text(spec));
    }
  }
  return text;
}

std::vector<std::string> operator_options(const ops::OpInstance& op) {
  const ops::OpDefinition& definition = ops::find_definition(op.op);
  const ops::TextValues defaults = ops::parse_values(definition, {}).canonical();
  std::vector<std::string> words;
  for (const ops::ParameterSpec& spec : definition.parameters) {
    const std::string& value = op.args.at(spec.name);
    if (value != defaults.at(spec.name)) words.push_back(ops::option_name(spec) + " " + value);
  }
  return words;
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
