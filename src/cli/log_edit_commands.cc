#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/log_commands.h"
#include "cli/parsing.h"
#include "tilewright/record/log_tools.h"

namespace tilewright::cli {
namespace {

using record::TaskSummary;

// The same task, target and mode in another log; null when there is none.
const TaskSummary* counterpart(const std::vector<TaskSummary>& summaries, const TaskSummary& of) {
  for (const TaskSummary& other : summaries) {
    if (other.task_key == of.task_key && other.target == of.target && other.exec == of.exec) {
      return &other;
    }
  }
  return nullptr;
}

std::string best_ms(const TaskSummary* summary) {
  if (!summary || !summary->best) return "-";
  return fmt::format("{:.4g}", *summary->best->result.median_secs * 1e3);
}

}  // namespace

int run_log_diff(const std::vector<std::string>& arguments) {
  std::string old_path, new_path;
  CLI::App app("Compares the best records of two logs, task by task.", "tilewright log diff");
  app.add_option("old", old_path, "the one log")->type_name("OLD")->required();
  app.add_option("new", new_path, "the other log")->type_name("NEW")->required();
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  const record::LogContents old_log = record::read_log(old_path);
  const record::LogContents new_log = record::read_log(new_path);
  const std::vector<TaskSummary> before = record::summarize(old_log);
  const std::vector<TaskSummary> after = record::summarize(new_log);
  std::string text =
      fmt::format("{:>10} {:>10} {:>7}  {}\n", "old ms", "new ms", "old/new", "task, threads");
  const auto line = [&](const TaskSummary* a, const TaskSummary* b) {
    const TaskSummary& any = a ? *a : *b;
    std::string ratio = "-";
    if (a && b && a->best && b->best) {
      ratio = fmt::format("{:.3f}", *a->best->result.median_secs / *b->best->result.median_secs);
    }
    std::string task = fmt::format("{}, {}", any.task_key, any.exec.threads);
    if (task.size() > 48)
      task = fmt::format("{}..., {}", any.task_key.substr(0, 41), any.exec.threads);
    text += fmt::format("{:>10} {:>10} {:>7}  {}\n", best_ms(a), best_ms(b), ratio, task);
  };
  for (const TaskSummary& a : before) line(&a, counterpart(after, a));
  for (const TaskSummary& b : after) {
    if (!counterpart(before, b)) line(nullptr, &b);
  }
  write_out(text);
  return kDone;
}

int run_log_merge(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  std::string output;
  CLI::App app(
      "Writes one log of several. Each record is taken once; lines that this version\n"
      "cannot read are kept as they are.",
      "tilewright log merge");
  app.add_option("files", paths, "the logs")->type_name("FILE")->required();
  app.add_option("-o,--output", output, "file to write; may be one of the logs")->type_name("FILE");
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  if (output.empty()) bad_use("-o FILE is missing: where the merged log goes");
  std::vector<std::vector<std::string>> files;
  size_t count = 0;
  for (const std::string& path : paths) {
    files.push_back(record::read_lines(path));
    count += files.back().size();
  }
  const std::vector<std::string> lines = record::merge_lines(files);
  record::write_lines(output, lines);
  write_out(fmt::format("{}: {} lines; {} were there twice\n", output, lines.size(),
                        count - lines.size()));
  return kDone;
}

int run_log_prune(const std::vector<std::string>& arguments) {
  std::string path, keep = "8", output;
  CLI::App app(
      "Keeps the fastest records of each task, target and number of threads, and the\n"
      "final comparisons among them.",
      "tilewright log prune");
  app.add_option("file", path, "the log")->type_name("FILE")->required();
  app.add_option("--keep", keep, "records of each [8]")->type_name("N");
  app.add_option("-o,--output", output, "file to write [the log itself]")->type_name("FILE");
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  const auto most = number<int64_t>("--keep", keep, 1, INT64_MAX, "a number of records, 1 or more");
  const record::LogContents log = record::read_log(path);
  const std::vector<std::string> lines = record::prune_lines(log, most);
  const std::string target = output.empty() ? path : output;
  record::write_lines(target, lines);
  write_out(fmt::format(
      "{}: {} of {} lines kept\n", target, lines.size(),
      static_cast<int64_t>(log.records.size() + log.finals.size()) + log.skipped_count()));
  return kDone;
}

}  // namespace tilewright::cli
