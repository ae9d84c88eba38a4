#include "tilewright/schedule/error.h"

#include <fmt/ranges.h>

#include "tilewright/ir/text.h"

namespace tilewright::schedule {

namespace {

// A line of the text, broken at blanks so that it fits a terminal; what follows is indented.
std::string line(std::string text) {
  constexpr size_t kColumns = 80, kIndent = 2;
  std::string result;
  while (text.size() > kColumns) {
    size_t blank = text.rfind(' ', kColumns);
    if (blank == std::string::npos || blank <= kIndent) blank = text.find(' ', kColumns);
    if (blank == std::string::npos) break;
    result += text.substr(0, blank) + "\n";
    text = std::string(kIndent, ' ') + text.substr(blank + 1);
  }
  return result + text + "\n";
}

}  // namespace

std::string render(const ScheduleError& error) {
  std::string text = line(fmt::format("{}: {}", error.primitive, error.reason));
  if (error.func) {
    ir::PrintOptions options;
    options.show_regions = false;
    options.underline_id = error.at;
    text += "\n" + ir::to_pretty(error.func, options) + "\n";
  }
  if (std::string example = counter_example(error); !example.empty()) {
    text += line("counter-example: " + example);
  }
  if (!error.legal.empty()) text += line(fmt::format("legal: {}", fmt::join(error.legal, ", ")));
  if (!error.hint.empty()) text += line("instead: " + error.hint);
  text += fmt::format("[{}]", error.code);
  return text;
}

namespace {

ScheduleError with_counter_example(ScheduleError error) {
  error.counter_example = counter_example(error);
  return error;
}

}  // namespace

ScheduleException::ScheduleException(const ScheduleError& error)
    : ScheduleException(Complete{with_counter_example(error)}) {}

ScheduleException::ScheduleException(Complete complete)
    : Error(complete.error.code, render(complete.error)), error_(std::move(complete.error)) {}

}  // namespace tilewright::schedule
