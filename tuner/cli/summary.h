#pragma once

#include <string>

#include "tilewright/tuner/tune_tasks.h"
#include "tuner/cli/options.h"

namespace tilewright::tuner {

/// The closing table of one task, for people.
std::string summary_table(const CommandOptions& options, const TuneResult& result);

/// One line of JSON: op, target, best_ms and gflops (null when nothing is valid), trials (records written),
/// valid, failed, wall_s, log, then threads, seed, baseline_ms, roofline (share of it, null when unknown), stop and
/// failures by status.
std::string summary_json(const CommandOptions& options, const TuneResult& result);

/// The closing table of several tasks: a line each, and what all of them come to.
std::string tasks_table(const CommandOptions& options, const TasksResult& result);

/// One line of JSON: totals as above, total_ms and baseline_total_ms (weighted sums of best and default times), and
/// `tasks`, an object for each line of the file with its weight and, where it could not be measured, error.
std::string tasks_json(const CommandOptions& options, const TasksResult& result);

}  // namespace tilewright::tuner
