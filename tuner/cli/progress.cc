#include "tuner/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tilewright::tuner {
namespace {

constexpr size_t kColumns = 80;

void write_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressView::ProgressView() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressView::show(const Progress& progress, const std::string& task) {
  const std::string prefix = task.empty() ? "" : task + ": ";
  if (terminal_) {
    // The last column stays free: a cursor there makes some terminals wrap.
    write_error("\r\033[K" + prefix + progress_bar(progress, kColumns - 1 - prefix.size()));
    drawn_ = true;
    return;
  }
  const std::string lead = "tune: " + prefix;
  const std::string line = lines_.next(progress, kColumns - lead.size());
  if (!line.empty()) write_error(lead + line + "\n");
}

void ProgressView::close() {
  if (drawn_) write_error("\r\033[K");
  drawn_ = false;
}

}  // namespace tilewright::tuner
