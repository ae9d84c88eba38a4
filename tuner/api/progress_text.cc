#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tilewright/tuner/api/report.h"

namespace tilewright::tuner {
namespace {

std::string cut(std::string text, size_t width) {
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
  return text;
}

std::string trial_count(const Progress& p) {
  const int64_t made = p.trials + p.resumed;
  if (p.max_trials == std::numeric_limits<int64_t>::max()) return fmt::format("{}", made);
  return fmt::format("{}/{}", made, p.max_trials);
}

double share_done(const Progress& p) {
  const double trials =
      static_cast<double>(p.trials + p.resumed) / static_cast<double>(p.max_trials);
  return std::clamp(std::max(trials, p.elapsed_secs / p.budget_secs), 0.0, 1.0);
}

std::string left_text(const Progress& p) {
  if (!p.left_secs) return fmt::format("{:.0f} s", p.elapsed_secs);
  constexpr double kMinutesFrom = 120;
  if (*p.left_secs >= kMinutesFrom) return fmt::format("{:.0f} min left", *p.left_secs / 60);
  return fmt::format("{:.0f} s left", *p.left_secs);
}

// "3.912 ms, 68.6 GFLOP/s, 73 % of roofline"
std::string best_text(const Progress& p) {
  std::string text = secs_text(p.best_secs);
  for (const std::string& part :
       {rate_text(p.operation_count, p.best_secs), roofline_text(p.roofline_secs, p.best_secs)}) {
    if (!part.empty()) text += ", " + part;
  }
  return text;
}

}  // namespace

std::string secs_text(double secs) {
  if (secs >= 1) return fmt::format("{:.3g} s", secs);
  if (secs >= 1e-3) return fmt::format("{:.4g} ms", secs * 1e3);
  return fmt::format("{:.3g} us", secs * 1e6);
}

std::string rate_text(double operations, double secs) {
  if (!(operations > 0) || !(secs > 0)) return "";
  return fmt::format("{:.3g} GFLOP/s", operations / secs * 1e-9);
}

std::string roofline_text(double roofline_secs, double secs) {
  if (!(roofline_secs > 0) || !(secs > 0)) return "";
  return fmt::format("{:.0f} % of roofline", 100 * roofline_secs / secs);
}

std::string progress_text(const Progress& p) {
  if (p.phase == Phase::kPrepare) return "building and checking the reference";
  if (p.phase == Phase::kFinals) return "comparing the best ones side by side";
  if (!p.latest && p.baseline_secs > 0) {
    return "default schedule: " + secs_text(p.baseline_secs);
  }
  return fmt::format("trial {}: best {}, {} valid, {} failed, {}", trial_count(p),
                     p.best_secs > 0 ? best_text(p) : "none", p.valid, p.failed, left_text(p));
}

std::string progress_bar(const Progress& p, size_t columns) {
  if (p.phase != Phase::kTrials) return cut(progress_text(p) + " ...", columns);
  std::string text = " " + trial_count(p);
  if (p.best_secs > 0) {
    text += "  best " + secs_text(p.best_secs);
    if (p.operation_count > 0) text += "  " + rate_text(p.operation_count, p.best_secs);
    if (p.roofline_secs > 0) {
      text += fmt::format(" ({:.0f} %)", 100 * p.roofline_secs / p.best_secs);
    }
  }
  text += fmt::format("  valid {} failed {}  {}", p.valid, p.failed, left_text(p));
  // The bar takes what the words leave.
  constexpr size_t kWidest = 20, kNarrowest = 4;
  if (text.size() + kNarrowest + 2 > columns) return cut(text.substr(1), columns);
  const size_t width = std::min(kWidest, columns - text.size() - 2);
  const auto filled = static_cast<size_t>(share_done(p) * static_cast<double>(width));
  return fmt::format("[{:#<{}}{:-<{}}]{}", "", filled, "", width - filled, text);
}

std::string ProgressLines::next(const Progress& p, size_t columns) {
  if (p.phase == Phase::kTrials) {
    if (!p.latest) {
      if (p.baseline_secs <= 0 || baseline_shown_) return "";
      baseline_shown_ = true;
      return cut(progress_text(p), columns);
    }
    const int tenths = static_cast<int>(share_done(p) * 10);
    const bool due = tenths > tenths_;
    tenths_ = std::max(tenths, tenths_);
    if (p.improved) {
      return cut(fmt::format("trial {}: {}", trial_count(p), best_text(p)), columns);
    }
    if (!due) return "";
    const std::string best = p.best_secs > 0 ? secs_text(p.best_secs) : "none";
    return cut(fmt::format("trial {}: best {}, {} valid, {} failed, {}", trial_count(p), best,
                           p.valid, p.failed, left_text(p)),
               columns);
  }
  return cut(progress_text(p), columns);
}

}  // namespace tilewright::tuner
