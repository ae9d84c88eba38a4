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
  if (std::string example = counter_example(error); !example.empty()) {
    text += fmt::format("counter-example: {}\n", example);
  }
  if (!error.legal.empty()) text += fmt::format("legal: {}\n", fmt::join(error.legal, ", "));
  if (!error.hint.empty()) text += fmt::format("instead: {}\n", error.hint);
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
