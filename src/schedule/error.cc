#include "tilewright/schedule/error.h"

#include <fmt/ranges.h>

#include "tilewright/ir/text.h"

namespace tilewright::schedule {

std::string render(const ScheduleError& error) {
  std::string text = fmt::format("{}: {}\n", error.primitive, error.reason);
  if (error.func) {
    ir::PrintOptions options;
    options.show_regions = false;
    options.underline_id = error.at;
    text += "\n" + ir::to_pretty(error.func, options) + "\n";
  }
  if (!error.counter_example.empty()) {
    text += fmt::format("counter-example: {}\n", error.counter_example);
  }
  if (!error.legal.empty()) text += fmt::format("legal: {}\n", fmt::join(error.legal, ", "));
  if (!error.hint.empty()) text += fmt::format("instead: {}\n", error.hint);
  text += fmt::format("[{}]", error.code);
  return text;
}

ScheduleException::ScheduleException(const ScheduleError& error)
    : Error(error.code, render(error)), error_(error) {}

}  // namespace tilewright::schedule
