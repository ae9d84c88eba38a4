#pragma once

#include <string>
#include <vector>

#include "tilewright/schedule/schedule.h"

namespace tilewright::testing {

/// A schedule stored by some version: the program it starts from, the trace as that version wrote it, and the
/// program it gives.
struct FrozenTrace {
  std::string name;
  std::string program;    ///< IR text
  std::string trace;      ///< JSON
  std::string scheduled;  ///< IR text
};

/// The traces of tests/compat/<version>/traces.jsonl; each line names a program of programs/ and has its result in
/// scheduled/.
std::vector<FrozenTrace> read_frozen(const std::string& version);

/// The instructions that its traces tensorize with.
schedule::TensorInstructions read_instructions(const std::string& version);

/// The versions there are: "v1", ...
std::vector<std::string> frozen_versions();

using NamedSchedules = std::vector<std::pair<std::string, schedule::Schedule>>;

/// Schedules that between them use every primitive, by name: the examples of the reference table and nests by hand.
NamedSchedules schedules_by_hand();

/// Two of each operator's templates.
NamedSchedules schedules_by_template();

/// Writes tests/compat/<version>/. Existing files stay as they are.
void freeze(const std::string& version, const NamedSchedules& schedules,
            const std::string& records);

/// Writes the scheduled program of a frozen trace anew.
void store_scheduled(const std::string& version, const std::string& name, const std::string& text);

/// One tuning record for each template, as the lines of a log.
std::string records_to_freeze();

}  // namespace tilewright::testing
