#include "tilewright/schedule/schedule.h"
#include "tilewright/support/error_catalogue.h"

namespace tilewright::schedule {

namespace {

// A text and what the catalogue says about its code.
std::string with_entry(std::string text, std::string_view code) {
  const std::optional<ErrorEntry> entry = find_error(code);
  return entry ? std::move(text) + "\n\n" + describe_error(*entry) : std::move(text);
}

}  // namespace

std::string Schedule::explain(const ScheduleError& error) const {
  return with_entry(render(error), error.code);
}

std::string Schedule::explain(const Error& error) const {
  const auto* refused = dynamic_cast<const ScheduleException*>(&error);
  return refused ? explain(refused->error()) : with_entry(error.what(), error.code());
}

std::string Schedule::explain(std::string_view code) const {
  const std::optional<ErrorEntry> entry = find_error(code);
  if (!entry) {
    fail("schedule.unknown_code", "there is no error code '{}'{}", code, suggest_error(code));
  }
  return describe_error(*entry);
}

}  // namespace tilewright::schedule
