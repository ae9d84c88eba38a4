#pragma once

#include <string>

#include "tilewright/schedule/schedule.h"
#include "tilewright/tuner/tune.h"

/// \file
/// Schedules made by hand in a tuning log.

namespace tilewright::tuner {

/// Measures one schedule as `tune` measures its candidates (in worker processes, the whole output compared with the
/// reference) and appends the record to a log, with "manual" as `search.origin`. From then on the log gives it like any
/// other: `record::apply_best`, `tilewright compile --log` and `tune --resume` take it where it is the fastest. A trial
/// that fails is recorded as well, with `result.status` and `result.reason`. `task` decides what the record is looked up
/// by: `te_task`, `func_task` or `operator_task`.
///
/// Throws Error "record.program" when the schedule is of another program than the task, "log.unwritable",
/// "log.write", and what `MeasureDevice::prepare` throws ("measure.stopped" once `cancel` is true).
record::TuningRecord record_schedule(const TuneTask& task, const schedule::Schedule& sch,
                                     const std::string& log_path, const Stop& cancel = {},
                                     const WorkerOptions& workers = {});

}  // namespace tilewright::tuner
