#include <fmt/format.h>

#include <algorithm>

#include "tilewright/tuner/api/report.h"

namespace tilewright::tuner {
namespace {

using Counts = std::map<std::string, int64_t>;

// The frequent ones first, alike in the order of their names.
std::vector<std::pair<std::string, int64_t>> by_frequency(const Counts& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

int64_t sum(const Counts& counts) {
  int64_t total = 0;
  for (const auto& [text, n] : counts) total += n;
  return total;
}

// The default schedule is all that this run recorded.
bool no_candidate(const TuneResult& result) {
  if (result.stop != StopReason::kExhausted || result.resumed > 0) return false;
  const bool only_default =
      result.trials == 1 && result.best && result.best->search.origin == "default";
  return only_default || result.unmeasured > 0;
}

std::string best_text(const TuneTask& task, const TuneResult& result) {
  if (!result.best) return "none";
  std::string text = secs_text(result.best_secs);
  for (const std::string& part : {rate_text(task.operation_count, result.best_secs),
                                  roofline_text(result.roofline_secs, result.best_secs)}) {
    if (!part.empty()) text += "  " + part;
  }
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

// Why trials failed, with how often each happened.
void add_reasons(ReportRows& rows, const TuneResult& result) {
  constexpr size_t kShown = 5;
  const auto reasons = by_frequency(result.reasons);
  for (size_t i = 0; i < std::min(kShown, reasons.size()); ++i) {
    rows.emplace_back(i == 0 ? "failed" : "",
                      fmt::format("{} x {}", reasons[i].second, reasons[i].first));
  }
  if (reasons.size() <= kShown) return;
  int64_t others = 0;
  for (size_t i = kShown; i < reasons.size(); ++i) others += reasons[i].second;
  rows.emplace_back("", fmt::format("{} x {} other reasons", others, reasons.size() - kShown));
}

}  // namespace

std::string counts_text(const Counts& counts) {
  std::string text;
  for (const auto& [name, n] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
  }
  return text;
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

std::string stop_text(StopReason stop) {
  switch (stop) {
    case StopReason::kTrials: return "all trials made";
    case StopReason::kBudget: return "the time is used up";
    case StopReason::kExhausted:
      return "space exhausted: no schedule is left that was not measured";
    case StopReason::kCancelled: return "interrupted; everything measured is in the log";
  }
  return "";
}

ReportRows result_rows(const TuneTask& task, const TuneOptions& options, const TuneResult& result) {
  ReportRows rows;
  const bool none = no_candidate(result);
  if (result.unmeasured > 0) {
    rows.emplace_back("best", none ? "not measured"
                                   : "not measured: the first schedule of the search is recorded");
  } else {
    rows.emplace_back("best", best_text(task, result));
    if (result.baseline_secs > 0) rows.emplace_back("default", default_text(result));
  }
  rows.emplace_back(
      "trials",
      fmt::format("{}: {} valid, {} failed{}", result.trials, result.valid, result.failed,
                  result.failures.empty() ? "" : " (" + counts_text(result.failures) + ")"));
  if (!result.injected.empty()) rows.emplace_back("", "injected: " + counts_text(result.injected));
  if (result.resumed > 0) {
    rows.emplace_back("", fmt::format("{} more were in the log already", result.resumed));
  }
  add_reasons(rows, result);
  if (none) {
    rows.emplace_back("", result.rejected.empty()
                              ? "no candidate could be made: there is no sketch; the default "
                                "schedule is recorded"
                              : "no candidate could be made; the default schedule is recorded");
  }
  if (!result.rejected.empty()) {
    rows.emplace_back("illegal",
                      fmt::format("{} points of the space, most often: {}", sum(result.rejected),
                                  by_frequency(result.rejected)[0].first));
  }
  if (result.check.elements > 0) {
    rows.emplace_back(
        "checked", fmt::format("{} outputs of each, {}; reference {} against the interpreter",
                               result.check.elements, result.check.mode, result.check.reference));
  }
  const std::string ended =
      none ? "space exhausted: there is no schedule to try" : stop_text(result.stop);
  rows.emplace_back("ended",
                    fmt::format("{} ({:.1f} s, seed {})", ended, result.wall_secs, options.seed));
  if (!options.log_path.empty()) rows.emplace_back("log", options.log_path);
  return rows;
}

}  // namespace tilewright::tuner
