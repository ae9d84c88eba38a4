#include "tilewright/tuner/api/limits.h"

#include <limits>
#include <vector>

#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright::tuner {
namespace {

struct Effort {
  const char* name;
  Limits limits;
};
constexpr Effort kEfforts[] = {
    {"none", {0, 0}}, {"quick", {16, 10}}, {"default", {64, 60}}, {"full", {1000, 1800}}};

}  // namespace

Limits limits_of(const std::string& effort, std::optional<int64_t> trials,
                 std::optional<double> budget_secs) {
  const Effort* found = nullptr;
  std::vector<std::string> names;
  for (const Effort& row : kEfforts) {
    names.emplace_back(row.name);
    if (effort == row.name) found = &row;
  }
  if (!found) {
    fail("tune.effort", "unknown effort '{}'{}", effort, suggestion(names, effort));
  }
  if (trials && *trials < 0) {
    fail("tune.limit", "the number of trials must be 0 or more, got {}", *trials);
  }
  if (budget_secs && !(*budget_secs > 0)) {
    fail("tune.limit", "the budget must be a positive number of seconds, got {}", *budget_secs);
  }
  Limits limits = found->limits;
  if (trials) {
    limits.max_trials = *trials;
    if (!budget_secs) limits.budget_secs = std::numeric_limits<double>::infinity();
  }
  if (budget_secs) {
    limits.budget_secs = *budget_secs;
    if (!trials) limits.max_trials = std::numeric_limits<int64_t>::max();
  }
  return limits;
}

}  // namespace tilewright::tuner
