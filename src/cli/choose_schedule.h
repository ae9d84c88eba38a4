#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/ops/definition.h"
#include "tilewright/record/tuning_record.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::cli {

/// The schedule an operator is compiled with.
struct ScheduleChoice {
  schedule::Schedule schedule;
  std::optional<record::TuningRecord> record;  ///< none: the default schedule
  std::string warning;  ///< what was passed over in the log and why, in one line; may be empty
  /// "record r-7f3a9c, measured at 3.9 ms", "the default schedule: no --log was given".
  std::string reason;
};

/// The best record of the log for this operator, target and number of threads, else the default schedule.
/// An empty `log_path`: no log. Throws Error log.missing or log.unreadable, and choose.no_record when
/// `require_record` holds and no record can be used.
ScheduleChoice choose_schedule(const ops::OpInstance& op, const Target& target, int threads,
                               const std::string& log_path, bool require_record);

}  // namespace tilewright::cli
