#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What the tuner says to its workers and what they answer: one JSON object a line, over a socket that is the
/// worker's standard input. A worker answers every request with one line.
///
///     runner   {"cmd":"task", ...RunnerTask}                                   -> {"ok":true}
///              {"cmd":"reference","lib":PATH,"output":PATH}                    -> outcome
///              {"cmd":"run","lib":PATH,"reference":PATH,"best_secs":X,"fault":WORD} -> outcome
///              {"cmd":"compare","libs":[PATH...],"rounds":N}                   -> {"samples":[[secs...]...]}
///     builder  {"cmd":"task","func":TEXT,"target":TEXT}                        -> {"ok":true,"llvm":VERSION}
///              {"cmd":"build","trace":TEXT,"output":PATH}                     -> outcome
///
/// An outcome is {"status":WORD, "reason":TEXT, ...} with the words of record::Status.

namespace tilewright::tuner {

using Json = nlohmann::ordered_json;

/// Contents of the inputs; the same for a candidate, the reference and the interpreter.
struct DataSpec {
  uint64_t seed = 1;
  /// Whole numbers from -magnitude to magnitude (unsigned: from 0), else reals in [-1, 1).
  bool integers = true;
  int64_t magnitude = 2;
};

/// How outputs are compared with those of the reference.
struct CheckSpec {
  bool exact = true;  ///< equal values; -0 equals +0, a NaN equals a NaN
  double relative = 0, absolute = 0;
};

struct RunnerTask {
  DataSpec data;
  CheckSpec check;
  std::map<std::string, int64_t> sizes;  ///< values of symbolic sizes
  int threads = 1;
  int64_t memory_bytes = 0;  ///< address space beyond what the runner starts with; 0: no limit
};

/// Answer to "run" and "reference".
struct RunOutcome {
  std::string status = "ok";
  std::string reason;
  std::vector<double> samples_secs;
  int64_t elements = 0;
  double anchor_secs = 0;
};

/// Answer to "build".
struct BuildOutcome {
  std::string status = "ok";
  std::string reason;
  std::string hash;  ///< of the scheduled program
  double compile_secs = 0;
};

Json to_json(const RunnerTask& task);
RunnerTask runner_task_from(const Json& json);
Json to_json(const RunOutcome& outcome);
RunOutcome run_outcome_from(const Json& json);
Json to_json(const BuildOutcome& outcome);
BuildOutcome build_outcome_from(const Json& json);

/// The worker's end of the socket.
class WorkerChannel {
 public:
  explicit WorkerChannel(int fd) : fd_(fd) {}
  /// The next request; nullopt when the tuner has gone.
  std::optional<std::string> receive();
  /// False when the tuner has gone.
  bool send(const Json& message) const;

 private:
  int fd_;
  std::string buffer_;
};

/// Makes this process a worker: it ends with the process that started it (`parent`), and what it prints goes
/// to standard error.
void become_worker(int parent);

/// Answers requests by `handle` until the tuner has gone. An exception of `handle` ends up in the answer as
/// {"error":TEXT}.
template <typename Handle>
void serve(WorkerChannel& channel, Handle handle) {
  while (std::optional<std::string> line = channel.receive()) {
    Json answer;
    try {
      answer = handle(Json::parse(*line));
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    if (!channel.send(answer)) return;
  }
}

}  // namespace tilewright::tuner
