#include "tuner/cli/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilewright/tuner/api/report.h"

namespace tilewright::tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kColumns = 80;

std::string row(const std::string& title, const std::string& text) {
  return cli::wrap_text(fmt::format("  {:<9}{}\n", title, text), kColumns, 11);
}

// Words in lines of at most 80 columns; every line but the last ends in a backslash.
std::string command_lines(const std::vector<std::string>& words) {
  std::string text, line = "    ";
  for (const std::string& word : words) {
    if (line.size() + word.size() + 3 > kColumns && line.size() > 4) {
      text += line + "\\\n";
      line = "      ";
    }
    line += word + " ";
  }
  line.pop_back();
  return text + line + "\n";
}

std::string title(const Subject& subject) {
  std::string text = subject.script.empty() ? subject.name : subject.script;
  for (const std::string& item : subject.words) {
    const size_t line_begin = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    text += text.size() - line_begin + item.size() + 1 > kColumns ? "\n  " + item : " " + item;
  }
  return text + "\n";
}

int threads_of(const Subject& subject) { return subject.work.task.measure.exec.threads; }

std::vector<std::string> compile_words(const Subject& subject, const std::string& log) {
  std::vector<std::string> words{"tilewright", "compile"};
  words.insert(words.end(), subject.compile_words.begin(), subject.compile_words.end());
  words.push_back(fmt::format("--threads {}", threads_of(subject)));
  words.push_back("--log " + log);
  words.push_back("-o lib" + subject.name + ".so");
  return words;
}

double rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }

Json subject_json(const Subject& subject) {
  Json json{{"op", subject.name}, {"target", subject.target_text}};
  if (!subject.script.empty()) json["script"] = subject.script;
  return json;
}

void add_times(Json& json, const Subject& subject, const TuneResult& result) {
  json["best_ms"] = nullptr;
  json["gflops"] = nullptr;
  if (!result.best) return;
  json["best_ms"] = rounded(result.best_secs * 1e3);
  const double operations = subject.work.task.operation_count;
  if (operations > 0) json["gflops"] = rounded(operations / result.best_secs * 1e-9);
}

void add_comparisons(Json& json, const TuneResult& result) {
  json["baseline_ms"] = nullptr;
  json["roofline"] = nullptr;
  if (result.baseline_secs > 0) json["baseline_ms"] = rounded(result.baseline_secs * 1e3);
  if (result.best && result.roofline_secs > 0) {
    json["roofline"] = rounded(result.roofline_secs / result.best_secs);
  }
}

void add_failures(Json& json, const CommandOptions& options, const TuneResult& result) {
  json["failures"] = Json::object();
  for (const auto& [status, n] : result.failures) json["failures"][status] = n;
  if (options.tuning.faults.empty()) return;
  json["injected"] = Json::object();
  for (const auto& [kind, n] : result.injected) json["injected"][kind] = n;
}

std::string cell(double secs) { return secs > 0 ? secs_text(secs) : "-"; }

std::string task_line(const Subject& subject, const TaskResult& task) {
  std::string name = subject.script.empty() ? subject.name : subject.script;
  // What differs from the defaults, behind "--op NAME".
  for (size_t i = 1; i < subject.compile_words.size(); ++i) name += " " + subject.compile_words[i];
  constexpr size_t kNameColumns = 26;
  if (name.size() > kNameColumns) name = name.substr(0, kNameColumns - 3) + "...";
  const TuneResult none;
  const TuneResult& r = task.result ? *task.result : none;
  const double operations = subject.work.task.operation_count;
  return fmt::format("  {:<26} {:>6.4g} {:>9} {:>9} {:>8} {:>6} {:>6}\n", name, subject.work.weight,
                     cell(r.baseline_secs), cell(r.best_secs),
                     operations > 0 && r.best_secs > 0
                         ? fmt::format("{:.4g}", operations / r.best_secs * 1e-9)
                         : "-",
                     r.trials + r.resumed, r.failed);
}

}  // namespace

std::string summary_table(const CommandOptions& options, const TuneResult& result) {
  const Subject& subject = options.subjects[0];
  std::string text = title(subject);
  text += row("target", fmt::format("{}, {} thread{}", subject.target_text, threads_of(subject),
                                    threads_of(subject) == 1 ? "" : "s"));
  for (const auto& [name, value] : result_rows(subject.work.task, options.tuning, result)) {
    text += row(name, value);
  }
  if (!subject.compile_words.empty() && (result.best || result.unmeasured > 0)) {
    text += "  compile it:\n";
    text += command_lines(compile_words(subject, options.tuning.log_path));
  }
  return text;
}

std::string summary_json(const CommandOptions& options, const TuneResult& result) {
  const Subject& subject = options.subjects[0];
  Json json = subject_json(subject);
  add_times(json, subject, result);
  json["trials"] = result.trials;
  json["valid"] = result.valid;
  json["failed"] = result.failed;
  json["wall_s"] = rounded(result.wall_secs);
  json["log"] = options.tuning.log_path;
  json["threads"] = threads_of(subject);
  json["seed"] = options.tuning.seed;
  add_comparisons(json, result);
  json["stop"] = stop_word(result.stop);
  json["resumed"] = result.resumed;
  add_failures(json, options, result);
  return json.dump();
}

std::string tasks_table(const CommandOptions& options, const TasksResult& result) {
  std::string text = fmt::format("  {:<26} {:>6} {:>9} {:>9} {:>8} {:>6} {:>6}\n", "task", "weight",
                                 "default", "best", "GFLOP/s", "trials", "failed");
  std::vector<WeightedTask> work;
  std::map<std::string, int64_t> reasons;
  std::string errors;
  for (size_t i = 0; i < options.subjects.size(); ++i) {
    const TaskResult& task = result.tasks[i];
    work.push_back(options.subjects[i].work);
    text += task_line(options.subjects[i], task);
    if (!task.error.empty()) {
      errors +=
          row("error", fmt::format("task {}, {}: {}", i + 1, options.subjects[i].name, task.error));
    }
    if (!task.result) continue;
    for (const auto& [reason, n] : task.result->reasons) reasons[reason] += n;
  }
  const double best = weighted_secs(work, result, false);
  const double before = weighted_secs(work, result, true);
  if (best > 0) {
    text += row("sum", fmt::format("{} by weight, {} with the default schedules ({:.3g} times)",
                                   secs_text(best), secs_text(before), before / best));
  }
  text += row("trials",
              fmt::format("{}: {} valid, {} failed", result.trials, result.valid, result.failed));
  if (result.resumed > 0) {
    text += row("", fmt::format("{} more were in the log already", result.resumed));
  }
  for (const auto& [reason, n] : reasons) text += row("failed", fmt::format("{} x {}", n, reason));
  text += errors;
  text += row("ended", fmt::format("{} ({:.1f} s, seed {})", stop_text(result.stop),
                                   result.wall_secs, options.tuning.seed));
  return text + row("log", options.tuning.log_path);
}

std::string tasks_json(const CommandOptions& options, const TasksResult& result) {
  Json tasks = Json::array();
  std::vector<WeightedTask> work;
  for (size_t i = 0; i < options.subjects.size(); ++i) {
    const Subject& subject = options.subjects[i];
    const TuneResult one = result.tasks[i].result.value_or(TuneResult{});
    work.push_back(subject.work);
    Json json = subject_json(subject);
    json["task_key"] = subject.work.task.key.key();
    json["weight"] = subject.work.weight;
    json["threads"] = threads_of(subject);
    add_times(json, subject, one);
    add_comparisons(json, one);
    json["trials"] = one.trials;
    json["valid"] = one.valid;
    json["failed"] = one.failed;
    json["resumed"] = one.resumed;
    add_failures(json, options, one);
    if (!result.tasks[i].error.empty()) json["error"] = result.tasks[i].error;
    tasks.push_back(std::move(json));
  }
  Json json{{"tasks_file", options.task_file},
            {"total_ms", rounded(weighted_secs(work, result, false) * 1e3)},
            {"baseline_total_ms", rounded(weighted_secs(work, result, true) * 1e3)},
            {"trials", result.trials},
            {"valid", result.valid},
            {"failed", result.failed},
            {"wall_s", rounded(result.wall_secs)},
            {"log", options.tuning.log_path},
            {"seed", options.tuning.seed},
            {"stop", stop_word(result.stop)},
            {"resumed", result.resumed},
            {"tasks", std::move(tasks)}};
  return json.dump();
}

}  // namespace tilewright::tuner
