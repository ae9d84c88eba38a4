#include "tuner/cli/summary.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/op_options.h"
#include "cli/parsing.h"
#include "tuner/cli/progress.h"

namespace tilewright::tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kColumns = 80;

std::string row(const char* title, const std::string& text) {
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

std::string counted(const std::map<std::string, int64_t>& counts) {
  std::string text;
  for (const auto& [name, n] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
  return text;
}

std::string most_frequent(const std::map<std::string, int64_t>& reasons) {
  const auto most =
      std::max_element(reasons.begin(), reasons.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == reasons.end() ? "" : most->first;
}

// The default schedule is all that this run recorded.
bool no_candidate(const TuneResult& result) {
  if (result.stop != StopReason::kExhausted || result.resumed > 0) return false;
  const bool only_default =
      result.trials == 1 && result.best && result.best->search.origin == "default";
  return only_default || result.unmeasured > 0;
}

std::string stop_text(const TuneResult& result) {
  if (no_candidate(result)) return "space exhausted: there is no schedule to try";
  switch (result.stop) {
    case StopReason::kTrials: return "all trials made";
    case StopReason::kBudget: return "the time is used up";
    case StopReason::kExhausted:
      return "space exhausted: no schedule is left that was not measured";
    case StopReason::kCancelled: return "interrupted; everything measured is in the log";
  }
  return "";
}

const char* stop_word(StopReason stop) {
  switch (stop) {
    case StopReason::kTrials: return "trials";
    case StopReason::kBudget: return "budget";
    case StopReason::kExhausted: return "exhausted";
    case StopReason::kCancelled: return "interrupted";
  }
  return "";
}

std::string title(const CommandOptions& options) {
  std::string text = options.op.op;
  for (const auto& [name, value] : options.op.args) {
    const std::string item = fmt::format("{}={}", name, value);
    const size_t line_begin = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
    text += text.size() - line_begin + item.size() + 1 > kColumns ? "\n  " + item : " " + item;
  }
  return text + "\n";
}

std::string best_text(const CommandOptions& options, const TuneResult& result) {
  if (!result.best) return "none";
  const double secs = result.best_secs;
  std::string text =
      fmt::format("{}  {}", secs_text(secs), rate_text(options.op.operation_count, secs));
  if (result.best->search.origin == "default") return text + "  (the default schedule)";
  return text + fmt::format("  (trial {})", result.best->search.trial);
}

std::string default_text(const TuneResult& result) {
  std::string text = secs_text(result.baseline_secs);
  if (result.best) {
    text += fmt::format("  ({:.3g} times the best)", result.baseline_secs / result.best_secs);
  }
  return text;
}

std::vector<std::string> compile_words(const CommandOptions& options) {
  std::vector<std::string> words{"tilewright", "compile", "--op " + options.op.op};
  for (std::string& word : cli::operator_options(options.op)) words.push_back(std::move(word));
  words.push_back(fmt::format("--threads {}", options.threads));
  words.push_back("--log " + options.log_path);
  words.push_back("-o lib" + options.op.op + ".so");
  return words;
}

}  // namespace

std::string summary_table(const CommandOptions& options, const TuneResult& result) {
  std::string text = title(options);
  text += row("target", fmt::format("{}, {} thread{}", options.target_text, options.threads,
                                    options.threads == 1 ? "" : "s"));
  if (result.unmeasured > 0) {
    text += row("best", no_candidate(result)
                            ? "not measured"
                            : "not measured: the first schedule of the search is recorded");
  } else {
    text += row("best", best_text(options, result));
    if (result.baseline_secs > 0) text += row("default", default_text(result));
  }
  text += row("trials",
              fmt::format("{}: {} valid, {} failed{}", result.trials, result.valid, result.failed,
                          result.failures.empty() ? "" : " (" + counted(result.failures) + ")"));
  if (!result.injected.empty()) text += row("", "injected: " + counted(result.injected));
  if (result.resumed > 0) {
    text += row("", fmt::format("{} more were in the log already", result.resumed));
  }
  const std::string reason = most_frequent(result.reasons);
  if (!reason.empty()) text += row("", "most often: " + reason);
  if (no_candidate(result)) {
    text += row("", fmt::format("no candidate could be made: {}; the default schedule is recorded",
                                result.rejected.empty() ? "the operator has no template"
                                                        : most_frequent(result.rejected)));
  }
  if (result.check.elements > 0) {
    text += row("checked",
                fmt::format("{} outputs of each, {}; reference {} against the interpreter",
                            result.check.elements, result.check.mode, result.check.reference));
  }
  text += row("ended", fmt::format("{} ({:.1f} s, seed {})", stop_text(result), result.wall_secs,
                                   options.seed));
  text += row("log", options.log_path);
  if (result.best || result.unmeasured > 0) {
    text += "  compile it:\n";
    text += command_lines(compile_words(options));
  }
  return text;
}

std::string summary_json(const CommandOptions& options, const TuneResult& result) {
  const auto rounded = [](double value) { return std::stod(fmt::format("{:.6g}", value)); };
  Json best_ms = nullptr, gflops = nullptr, baseline_ms = nullptr;
  if (result.best) {
    const double secs = result.best_secs;
    best_ms = rounded(secs * 1e3);
    if (options.op.operation_count > 0) gflops = rounded(options.op.operation_count / secs * 1e-9);
  }
  if (result.baseline_secs > 0) baseline_ms = rounded(result.baseline_secs * 1e3);
  Json json{{"op", options.op.op},
            {"target", options.target_text},
            {"best_ms", best_ms},
            {"gflops", gflops},
            {"trials", result.trials},
            {"valid", result.valid},
            {"failed", result.failed},
            {"wall_s", rounded(result.wall_secs)},
            {"log", options.log_path},
            {"threads", options.threads},
            {"seed", options.seed},
            {"baseline_ms", baseline_ms},
            {"stop", stop_word(result.stop)},
            {"resumed", result.resumed},
            {"failures", Json::object()}};
  for (const auto& [status, n] : result.failures) json["failures"][status] = n;
  if (!options.faults.empty()) {
    json["injected"] = Json::object();
    for (const auto& [kind, n] : result.injected) json["injected"][kind] = n;
  }
  return json.dump();
}

}  // namespace tilewright::tuner
