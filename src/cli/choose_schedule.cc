#include "cli/choose_schedule.h"

#include <fmt/ranges.h>

#include "tilewright/api/operator.h"
#include "tilewright/record/best.h"
#include "tilewright/support/error.h"

namespace tilewright::cli {
namespace {

std::string describe(const record::Applied& applied) {
  const record::TuningRecord& record = applied.record;
  std::string text = "record " + record.id;
  if (!applied.measured || !record.result.median_secs) return text + ", never measured";
  text += fmt::format(", measured at {:.4g} ms", *record.result.median_secs * 1e3);
  return applied.drifted ? text + " (as another program)" : text;
}

}  // namespace

ScheduleChoice choose_schedule(const ops::OpInstance& op, const Target& target, int threads,
                               const std::string& log_path, bool require_record) {
  ScheduleChoice choice{schedule::Schedule(op.func), {}, "", ""};
  std::string why = "no log was given";
  if (!log_path.empty()) {
    const record::LogContents log = record::read_log(log_path);
    const record::Query query{task_key(op).key(), target, {threads, "warm", {}}};
    record::BestResult best = record::apply_best(op.func, log, query);
    choice.warning = fmt::format("{}", fmt::join(best.warnings, "; "));
    if (best.applied) {
      choice.reason = describe(*best.applied);
      choice.schedule = std::move(best.applied->schedule);
      choice.record = std::move(best.applied->record);
      return choice;
    }
    why = fmt::format("{} has no usable record of this {} for this target with {} thread{}",
                      log_path, op.op, threads, threads == 1 ? "" : "s");
  }
  if (require_record) {
    fail("choose.no_record", "{}{}", why,
         choice.warning.empty() ? "" : " (" + choice.warning + ")");
  }
  choice.schedule = schedule::default_schedule(op.func);
  choice.reason = "the default schedule: " + why;
  return choice;
}

}  // namespace tilewright::cli
