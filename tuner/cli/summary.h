#pragma once

#include <string>

#include "tilewright/tuner/tune.h"
#include "tuner/cli/options.h"

namespace tilewright::tuner {

/// The closing table, for people.
std::string summary_table(const CommandOptions& options, const TuneResult& result);

/// One line of JSON: op, target, best_ms and gflops (null when nothing is valid), trials (records written),
/// valid, failed, wall_s, log, then threads, seed, baseline_ms, stop and failures by status.
std::string summary_json(const CommandOptions& options, const TuneResult& result);

}  // namespace tilewright::tuner
