#pragma once

#include <optional>

#include "tilewright/schedule/schedule.h"

namespace tilewright::schedule {

/// Takes the steps of a trace on a schedule that may have steps already. What they sample is decided by the schedule
/// (its presets and its RNG), not by the decisions of the trace, so a recorded schedule can serve as a template.
/// Throws ScheduleException from the step that fails, or Error "trace.*".
void replay_steps(Schedule& sch, const Trace& trace);
/// The same without exceptions for a refused step; the schedule then has the steps before it.
std::optional<ScheduleError> try_steps(Schedule& sch, const Trace& trace);

}  // namespace tilewright::schedule
