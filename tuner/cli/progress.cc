#include "tuner/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace tilewright::tuner {
namespace {

constexpr size_t kColumns = 80;

void write_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

std::string cut(std::string text, size_t width) {
  if (text.size() > width) text = text.substr(0, width - 3) + "...";
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

ProgressView::ProgressView(const CommandOptions& options)
    : options_(options), terminal_(isatty(STDERR_FILENO) == 1) {}

std::string ProgressView::trial_count(const Progress& p) const {
  if (options_.max_trials == std::numeric_limits<int64_t>::max())
    return fmt::format("{}", p.trials);
  return fmt::format("{}/{}", p.trials, options_.max_trials);
}

double ProgressView::share_done(const Progress& p) const {
  const double trials = static_cast<double>(p.trials) / static_cast<double>(options_.max_trials);
  return std::clamp(std::max(trials, p.elapsed_secs / options_.budget_secs), 0.0, 1.0);
}

void ProgressView::show(const Progress& progress) {
  if (terminal_) {
    bar(progress);
  } else {
    lines(progress);
  }
}

void ProgressView::bar(const Progress& p) {
  std::string text;
  if (p.phase == Phase::kPrepare) {
    text = "building and checking the reference ...";
  } else if (p.phase == Phase::kFinals) {
    text = "comparing the best ones side by side ...";
  } else {
    constexpr int kWidth = 20;
    const int filled = static_cast<int>(share_done(p) * kWidth);
    text = fmt::format("[{:#<{}}{:-<{}}] {}", "", filled, "", kWidth - filled, trial_count(p));
    if (p.best_secs > 0) {
      text += fmt::format("  best {}  {}", secs_text(p.best_secs),
                          rate_text(options_.op.operation_count, p.best_secs));
    }
    if (p.failed > 0) text += fmt::format("  failed {}", p.failed);
    text += fmt::format("  {:.0f} s", p.elapsed_secs);
  }
  write_error(fmt::format("\r\033[K{}", cut(text, kColumns - 1)));
  drawn_ = true;
}

void ProgressView::lines(const Progress& p) {
  std::string text;
  if (p.phase == Phase::kPrepare) {
    text = "building and checking the reference";
  } else if (p.phase == Phase::kFinals) {
    text = "comparing the best ones side by side";
  } else if (!p.latest && p.baseline_secs > 0 && !baseline_shown_) {
    baseline_shown_ = true;
    text = fmt::format("default schedule: {}", secs_text(p.baseline_secs));
  } else if (p.latest && p.improved) {
    text = fmt::format("trial {}: {}  {}", trial_count(p), secs_text(p.best_secs),
                       rate_text(options_.op.operation_count, p.best_secs));
  } else if (p.latest) {
    const int tenths = static_cast<int>(share_done(p) * 10);
    if (tenths > tenths_) {
      const std::string best = p.best_secs > 0 ? secs_text(p.best_secs) : "none";
      text = fmt::format("trial {}: best {}, {} failed", trial_count(p), best, p.failed);
    }
    tenths_ = std::max(tenths, tenths_);
  }
  if (!text.empty()) write_error("tune: " + cut(text, kColumns - 6) + "\n");
}

void ProgressView::close() {
  if (drawn_) write_error("\r\033[K");
  drawn_ = false;
}

}  // namespace tilewright::tuner
