#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/choose_schedule.h"
#include "cli/commands.h"
#include "cli/log_commands.h"
#include "cli/op_options.h"
#include "tilewright/api/operator.h"
#include "tilewright/record/best.h"
#include "tilewright/record/log_tools.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

using record::LogContents;
using record::TaskSummary;
using record::TuningRecord;

constexpr size_t kColumns = 80;

std::string milliseconds(double secs) { return fmt::format("{:.4g} ms", secs * 1e3); }

// A long key keeps its beginning, which names the operator.
std::string shortened(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::string mode(const record::ExecMode& exec) {
  std::string text = fmt::format("{} thread{}", exec.threads, exec.threads == 1 ? "" : "s");
  if (exec.cache != "warm") text += ", " + exec.cache + " cache";
  if (!exec.prepacked.empty()) text += fmt::format(", {} inputs packed", exec.prepacked.size());
  return text;
}

std::string counted(const std::map<std::string, int64_t>& counts) {
  std::string text;
  for (const auto& [name, n] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
  }
  return text;
}

LogContents read(const std::string& path) {
  LogContents log = record::read_log(path);
  if (const std::string warning = log.warning(); !warning.empty()) write_note("warning", warning);
  return log;
}

int run_log_show(const std::vector<std::string>& arguments) {
  std::string path, last;
  bool json = false;
  CLI::App app("Lists the records of a log.", "tilewright log show");
  app.add_option("file", path, "the log")->type_name("FILE")->required();
  app.add_option("--last", last, "the newest records alone")->type_name("N");
  app.add_flag("--json", json, "the lines as they are in the file");
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  const LogContents log = read(path);
  const auto count = static_cast<int64_t>(log.records.size());
  const int64_t most = last.empty() ? count
                                    : number<int64_t>("--last", last, 1, INT64_MAX,
                                                      "a number of records, 1 or more");
  std::string text;
  if (!json)
    text = fmt::format("{:<13} {:<13} {:>10} {:<10} {}\n", "id", "status", "ms", "origin", "task");
  for (int64_t i = std::max<int64_t>(0, count - most); i < count; ++i) {
    const TuningRecord& r = log.records[static_cast<size_t>(i)];
    if (json) {
      text += r.to_line() + "\n";
      continue;
    }
    const std::string ms =
        r.result.median_secs ? fmt::format("{:.4g}", *r.result.median_secs * 1e3) : "-";
    text += fmt::format("{:<13} {:<13} {:>10} {:<10} {}\n", r.id, to_string(r.result.status), ms,
                        shortened(r.search.origin, 10), shortened(r.task_key, 30));
  }
  write_out(text);
  return kDone;
}

int run_log_best(const std::vector<std::string>& arguments) {
  std::string path;
  CLI::App app("Prints the best record of each task, target and number of threads.",
               "tilewright log best");
  app.add_option("file", path, "the log")->type_name("FILE")->required();
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  std::string text;
  const LogContents log = read(path);
  for (const TaskSummary& summary : record::summarize(log)) {
    text += wrap_text(summary.task_key, kColumns, 2);
    text += fmt::format("  {}, {}: ", summary.target, mode(summary.exec));
    if (!summary.best) {
      text += fmt::format("none of {} records is valid\n", summary.records);
      continue;
    }
    text +=
        fmt::format("{}, {}", milliseconds(*summary.best->result.median_secs), summary.best->id);
    if (summary.baseline_secs > 0) {
      text += fmt::format(", {:.1f}x the default",
                          summary.baseline_secs / *summary.best->result.median_secs);
    }
    text += "\n";
  }
  write_out(text.empty() ? path + " has no records\n" : text);
  return kDone;
}

int run_log_stats(const std::vector<std::string>& arguments) {
  std::string path;
  CLI::App app("Counts what a log holds.", "tilewright log stats");
  app.add_option("file", path, "the log")->type_name("FILE")->required();
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  const LogContents log = read(path);
  std::map<std::string, int64_t> statuses, reasons, runs;
  for (const TuningRecord& r : log.records) {
    ++statuses[to_string(r.result.status)];
    ++runs[r.search.run];
    if (r.result.status != record::Status::kOk && !r.result.reason.empty()) {
      ++reasons[r.result.reason];
    }
  }
  std::string text = fmt::format("{}: {} records of {} tasks in {} runs, {} final comparisons\n",
                                 path, log.records.size(), record::summarize(log).size(),
                                 runs.size(), log.finals.size());
  if (!statuses.empty()) text += fmt::format("  status   {}\n", counted(statuses));
  if (!log.skipped.empty()) text += fmt::format("  skipped  {}\n", counted(log.skipped));
  std::vector<std::pair<int64_t, std::string>> common;
  for (const auto& [reason, n] : reasons) common.emplace_back(n, reason);
  std::sort(common.rbegin(), common.rend());
  for (size_t i = 0; i < std::min<size_t>(common.size(), 5); ++i) {
    text += fmt::format("  {:<8} {} times: {}\n", i == 0 ? "reasons" : "", common[i].first,
                        common[i].second);
  }
  write_out(wrap_text(text, kColumns, 11));
  return kDone;
}

int run_log_query(const std::vector<std::string>& arguments) {
  OpOptions op_options;
  std::string path, target_text = "cpu", threads;
  CLI::App app("Says which record `compile` would use for an operator, and why not others.",
               "tilewright log query");
  app.add_option("file", path, "the log")->type_name("FILE")->required();
  add_op_options(app, arguments, op_options);
  app.add_option("--target", target_text, "what to compile for [cpu]")->type_name("TARGET");
  app.add_option("--threads", threads, "records measured with so many threads [all cores]")
      ->type_name("N");
  check_op_arguments(app, parse(app, arguments), op_options);
  const ops::OpInstance op = instantiate(op_options);
  const Target target = cpu_target(target_text);
  const LogContents log = record::read_log(path);
  const record::Query query{
      task_key(op).key(), target, {thread_count(threads, Target::host().cores), "warm", {}}};
  const record::BestResult best = record::apply_best(op.func, log, query);
  std::string text =
      fmt::format("task      {}\ntarget    {} {}, {}-bit vectors\ncalled    {}\n", query.task_key,
                  to_string(target.kind), target.arch, target.vector_bits, mode(query.exec));
  if (best.applied) {
    const TuningRecord& r = best.applied->record;
    text += fmt::format("record    {}{}\n", r.id,
                        r.result.median_secs ? ", " + milliseconds(*r.result.median_secs) : "");
  } else {
    text += "record    none; the default schedule would be used\n";
  }
  for (const std::string& warning : best.warnings) text += fmt::format("note      {}\n", warning);
  write_out(wrap_text(text, kColumns, 10));
  return best.applied ? kDone : kFailed;
}

// Rows of a name and a value, wrapped; empty values are left out.
class Rows {
 public:
  void add(const char* name, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("{:<10}{}\n", name, value);
  }
  std::string text() const { return wrap_text(text_, kColumns, 10); }

 private:
  std::string text_;
};

void add_result(Rows& rows, const TuningRecord& r) {
  rows.add("status", std::string(to_string(r.result.status)) +
                         (r.result.reason.empty() ? "" : ": " + r.result.reason));
  if (r.result.median_secs) {
    rows.add("time",
             fmt::format("median {}, least {}, {} samples", milliseconds(*r.result.median_secs),
                         milliseconds(r.result.min_secs.value_or(*r.result.median_secs)),
                         r.result.samples_secs.size()));
  }
  if (!r.result.check.mode.empty()) {
    rows.add("check", fmt::format("{} on {} elements, reference {}", r.result.check.mode,
                                  r.result.check.elements, r.result.check.reference));
  }
  std::string predicted;
  for (const auto& [name, secs] : r.predicted) {
    predicted += fmt::format("{}{} {}", predicted.empty() ? "" : ", ",
                             name.substr(0, name.find('_')), milliseconds(secs));
  }
  rows.add("predicted", predicted);
}

// 6, or [4, 8].
std::string text_of(const schedule::Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value.data)) return std::to_string(*number);
  const auto* list = std::get_if<schedule::Value::List>(&value.data);
  if (!list) return "?";
  std::string text;
  for (const schedule::Value& item : *list) text += (text.empty() ? "" : ", ") + text_of(item);
  return "[" + text + "]";
}

void add_search(Rows& rows, const LogContents& log, const TuningRecord& r) {
  rows.add("search",
           fmt::format("run {}, trial {}, {}", r.search.run, r.search.trial, r.search.origin));
  rows.add("sketch", r.trace.sketch);
  std::string decisions;
  for (const schedule::Decision& decision : r.trace.decisions) {
    decisions += fmt::format("{}{} = {}", decisions.empty() ? "" : ", ", decision.name,
                             text_of(decision.value));
  }
  rows.add("decisions", decisions);
  for (const record::FinalComparison& final : log.finals) {
    if (final.winner == r.id) {
      rows.add("final", fmt::format("beat {} others side by side", final.beaten.size()));
    }
    if (std::find(final.beaten.begin(), final.beaten.end(), r.id) != final.beaten.end()) {
      rows.add("final", "beaten by " + final.winner + " side by side");
    }
  }
}

int run_log_explain(const std::vector<std::string>& arguments) {
  std::string path, id;
  CLI::App app("Tells all about one record.", "tilewright log explain");
  app.add_option("file", path, "the log")->type_name("FILE")->required();
  app.add_option("id", id, "the record's id or how it begins")->type_name("ID")->required();
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  const LogContents log = read(path);
  const TuningRecord& r = record::find_record(log, id);
  Rows rows;
  rows.add("record", fmt::format("{}, {}", r.id, r.time));
  rows.add("task", r.task_key);
  rows.add("target", fmt::format("{} {}, {}-bit vectors", r.target.kind, r.target.arch,
                                 r.target.vector_bits));
  rows.add("machine", fmt::format("{}, {} cores", r.machine.name, r.machine.cores));
  rows.add("called", mode(r.exec));
  add_result(rows, r);
  add_search(rows, log, r);
  std::string schedule;
  if (!r.task.op.empty()) {
    try {
      const ops::OpInstance op =
          ops::instantiate(r.task.op, {r.task.args.begin(), r.task.args.end()});
      schedule = "\n" + record::apply(op.func, r).schedule.show();
    } catch (const Error& error) {
      rows.add("schedule", fmt::format("it does not replay here: {}", error.what()));
    }
  }
  write_out(rows.text() + schedule);
  return kDone;
}

struct LogCommand {
  const char* name;
  int (*run)(const std::vector<std::string>& arguments);
  const char* what;
};

constexpr LogCommand kLogCommands[] = {
    {"show", run_log_show, "lists the records"},
    {"best", run_log_best, "the best record of each task, target and number of threads"},
    {"query", run_log_query, "which record compile would use for an operator, and why not others"},
    {"explain", run_log_explain, "tells all about one record, with its schedule"},
    {"stats", run_log_stats, "counts records, statuses and reasons of failures"},
    {"diff", run_log_diff, "compares the best records of two logs"},
    {"add", run_log_add, "measures a schedule made by hand and appends it"},
    {"merge", run_log_merge, "one log of several, each record once"},
    {"prune", run_log_prune, "keeps the best records of each task"},
};

std::string help() {
  std::string text = "usage: tilewright log COMMAND FILE [OPTIONS]\n\ncommands:\n";
  for (const LogCommand& command : kLogCommands) {
    text += fmt::format("  {:<8} {}\n", command.name, command.what);
  }
  return text + "\n`tilewright log COMMAND --help` tells the options of one.\n";
}

}  // namespace

int run_log(const std::vector<std::string>& arguments) {
  if (arguments.empty()) bad_use("log: a command is missing\n{}", help());
  const std::string& name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") throw EarlyEnd{kDone, help()};
  std::vector<std::string> names;
  for (const LogCommand& command : kLogCommands) {
    if (name != command.name) {
      names.emplace_back(command.name);
      continue;
    }
    try {
      return command.run({arguments.begin() + 1, arguments.end()});
    } catch (const Error& error) {
      // What fails while records are made is no bad use.
      if (!error.code().starts_with("log.") || error.code() == "log.write") throw;
      bad_use("{}", error.what());
    }
  }
  bad_use("log: unknown command '{}'{}", name, suggestion(names, name));
}

}  // namespace tilewright::cli
