#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tilewright/record/log.h"

/// \file
/// Looking at logs, and making one out of several, without a compiler.

namespace tilewright::record {

/// Records that compete with each other: one task for one target, called in one way.
struct TaskSummary {
  std::string task_key;
  std::string target;  ///< "cpu x86_64 512 bits"
  ExecMode exec;
  int64_t records = 0, ok = 0;
  std::map<std::string, int64_t> failures;  ///< by status
  const TuningRecord* best =
      nullptr;               ///< measured, and the winner of a final comparison over what it beat
  double baseline_secs = 0;  ///< of the best's run; 0: not recorded
};

/// One for each task, target and mode, in the order in which they first appear.
std::vector<TaskSummary> summarize(const LogContents& log);

/// The record of that id, or of the only one that begins so. Throws Error "log.unknown_id" with the nearest ids and
/// "log.ambiguous_id".
const TuningRecord& find_record(const LogContents& log, const std::string& id);

/// The lines of a file as they are. Throws as `read_log`.
std::vector<std::string> read_lines(const std::string& path);

/// The lines of all files, each record and final comparison once (by id, the first one counts); what this version
/// cannot read is kept as it is.
std::vector<std::string> merge_lines(const std::vector<std::vector<std::string>>& files);

/// For each task, target and mode, the `keep` fastest measured records and the finals among them. Failures,
/// unmeasured records that a measured one stands for, and lines that cannot be read are left out.
std::vector<std::string> prune_lines(const LogContents& log, int64_t keep);

/// Replaces the file at once (write beside it, then rename). Throws Error "log.unwritable" or "log.write".
void write_lines(const std::string& path, const std::vector<std::string>& lines);

}  // namespace tilewright::record
