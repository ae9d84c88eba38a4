#include <array>
#include <utility>

#include "tilewright/record/tuning_record.h"

namespace tilewright::record {
namespace {

constexpr std::array<std::pair<Status, const char*>, 11> kNames{{
    {Status::kOk, "ok"},
    {Status::kInvalid, "invalid"},
    {Status::kBuildError, "build_error"},
    {Status::kBuildTimeout, "build_timeout"},
    {Status::kRunError, "run_error"},
    {Status::kRunTimeout, "run_timeout"},
    {Status::kCrash, "crash"},
    {Status::kOutOfMemory, "out_of_memory"},
    {Status::kWrongResult, "wrong_result"},
    {Status::kUnmeasured, "unmeasured"},
    {Status::kInterrupted, "interrupted"},
}};

}  // namespace

const char* to_string(Status status) {
  for (const auto& [value, name] : kNames) {
    if (value == status) return name;
  }
  return "unknown";
}

std::optional<Status> parse_status(std::string_view word) {
  for (const auto& [value, name] : kNames) {
    if (word == name) return value;
  }
  return std::nullopt;
}

std::vector<Status> all_statuses() {
  std::vector<Status> result;
  for (const auto& [value, name] : kNames) result.push_back(value);
  return result;
}

}  // namespace tilewright::record
