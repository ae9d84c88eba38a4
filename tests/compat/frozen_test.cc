// Traces and logs of earlier versions stay readable and give the programs they gave.

#include <cstdlib>
#include <set>

#include "compat/frozen.h"
#include "support/golden.h"
#include "tilewright/api/operator.h"
#include "tilewright/ir/text.h"
#include "tilewright/ops/definition.h"
#include "tilewright/record/best.h"
#include "unit/schedule/check_schedule.h"

namespace tilewright::testing {
namespace {

using schedule::Schedule;
using schedule::Trace;

bool update_golden() {
  const char* update = std::getenv("TW_UPDATE_GOLDEN");
  return update && std::string(update) == "1";
}

// "" or how the program differs from the stored one. A program that changed on purpose is stored anew only when it
// computes the same.
std::string scheduled_difference(const std::string& version, const FrozenTrace& frozen) {
  const Schedule sch = Schedule::replay(ir::parse_func(frozen.program),
                                        Trace::from_json(frozen.trace), read_instructions(version));
  const std::string text = ir::to_text(sch.func());
  if (ir::structural_equal(ir::parse_func(frozen.scheduled), sch.func())) return "";
  if (!update_golden()) {
    return "the replay gives another program (TW_UPDATE_GOLDEN=1 stores it):\n" + text;
  }
  Sizes sizes;
  for (const ir::Param& param : sch.func()->params) {
    if (!param.buffer.defined()) sizes[param.var.name()] = 7;
  }
  check_schedule(sch, std::vector<Sizes>{sizes});
  store_scheduled(version, frozen.name, text);
  return "";
}

}  // namespace

TEST_CASE("frozen traces replay to the program they gave", "[compat]") {
  for (const std::string& version : frozen_versions()) {
    for (const FrozenTrace& frozen : read_frozen(version)) {
      INFO(version << " " << frozen.name);
      std::string difference;
      try {
        difference = scheduled_difference(version, frozen);
      } catch (const Error& error) {
        difference = error.what();
      }
      CHECK(difference == "");
    }
  }
}

TEST_CASE("reading a frozen trace and writing it changes nothing", "[compat]") {
  for (const std::string& version : frozen_versions()) {
    for (const FrozenTrace& frozen : read_frozen(version)) {
      INFO(version << " " << frozen.name);
      CHECK(Trace::from_json(frozen.trace).to_json() == frozen.trace);
    }
  }
}

// Not a test: `compat '[.freeze]'` with TW_FREEZE=v3 stores the traces and records of today as tests/compat/v3.
TEST_CASE("freeze", "[.freeze]") {
  const char* version = std::getenv("TW_FREEZE");
  REQUIRE(version);
  NamedSchedules schedules = schedules_by_hand();
  for (auto& row : schedules_by_template()) schedules.push_back(std::move(row));
  freeze(version, schedules, records_to_freeze());
  CHECK(!read_frozen(version).empty());
}

}  // namespace tilewright::testing
