#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/record/log.h"
#include "tilewright/schedule/schedule.h"

namespace tilewright::record {

/// What a record must be good for.
struct Query {
  std::string task_key;
  Target target;
  ExecMode exec;
};

/// Records that may be used, best first, and why others of the same task may not.
struct Ranking {
  std::vector<const TuningRecord*> measured;  ///< status ok, lowest median first
  std::vector<const TuningRecord*>
      unmeasured;                         ///< used only when nothing measured is left; newest first
  std::map<std::string, int64_t> unused;  ///< records of this task for other targets, threads, ...
  std::map<std::string, int64_t> failed;  ///< trials of this task and mode that failed, by reason
};

/// "0 of 40 valid; most often, 27 times: ...", of failed trials counted by reason.
std::string none_valid_text(const std::map<std::string, int64_t>& reasons);

/// Matches strictly: same task, same kind and arch, no CPU feature required that the target lacks, same
/// threads, cache mode and prepacking. A record that lost the final comparison of its run comes after the
/// winner of it.
Ranking rank(const LogContents& log, const Query& query);

/// Why a record of the query's task may not be used for it, such as "for 2 threads"; empty when it may.
std::string why_unused(const TuningRecord& record, const Query& query);

/// Moves the winner of a final comparison in front of the records it has beaten.
void apply_finals(const LogContents& log, std::vector<const TuningRecord*>& records);

/// A record applied to a function.
struct Applied {
  schedule::Schedule schedule;
  TuningRecord record;
  bool measured = true;
  /// The trace gave another program than when it was measured (an operator or a primitive has changed): right
  /// all the same, but its time is not to be trusted.
  bool drifted = false;
};

/// The outcome of looking for the best record: nothing applied means that the default schedule is to be used.
struct BestResult {
  std::optional<Applied> applied;
  /// For a person, one sentence each. The first counts all lines and records that were not used, with the reasons.
  std::vector<std::string> warnings;
  /// `none_valid_text` where nothing could be applied because all trials of this task, target and mode failed.
  std::string none_valid;
};

/// The best record of the log that replays on `func`. Records that drifted are used only where no other
/// measured one is left, unmeasured ones only where none is measured.
BestResult apply_best(const ir::PrimFunc& func, const LogContents& log, const Query& query);

/// Replays one record on `func`. Throws schedule::ScheduleException or Error "trace.*" when it does not.
Applied apply(const ir::PrimFunc& func, const TuningRecord& record);

}  // namespace tilewright::record
