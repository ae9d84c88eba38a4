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

/// The versions there are: "v1", ...
std::vector<std::string> frozen_versions();

/// Schedules that between them use every primitive, by name: the examples of the reference table, nests by hand,
/// and the templates of the operators.
std::vector<std::pair<std::string, schedule::Schedule>> schedules_to_freeze();

/// Writes tests/compat/<version>/ from schedules_to_freeze(). Existing files stay as they are.
void freeze(const std::string& version);

/// Writes the scheduled program of a frozen trace anew.
void store_scheduled(const std::string& version, const std::string& name, const std::string& text);

/// One tuning record for each operator and template, as the lines of a log.
std::string records_to_freeze();

}  // namespace tilewright::testing
