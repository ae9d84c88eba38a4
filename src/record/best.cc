#include "tilewright/record/best.h"

#include <algorithm>
#include <set>

#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

// Replaying a record costs milliseconds; after this many that drifted the best of them is taken.
constexpr int kMaxDrifted = 16;

}  // namespace

std::string why_unused(const TuningRecord& record, const Query& query) {
  const std::optional<Target> made_for = as_target(record.target);
  if (!made_for) return fmt::format("for the unknown target '{}'", record.target.kind);
  if (made_for->kind != query.target.kind) return fmt::format("for {}", record.target.kind);
  if (const auto why = query.target.why_unusable(*made_for)) return "because " + *why;
  if (record.exec.threads != query.exec.threads) {
    return fmt::format("for {} threads", record.exec.threads);
  }
  if (record.exec.cache != query.exec.cache) return fmt::format("for {} cache", record.exec.cache);
  if (record.exec.prepacked != query.exec.prepacked) return "with other inputs packed beforehand";
  return "";
}

namespace {

using Counts = std::map<std::string, int64_t>;

int64_t sum(const Counts& counts) {
  int64_t total = 0;
  for (const auto& [reason, n] : counts) total += n;
  return total;
}

// One sentence about lines that are no records for this version and records that cannot be used here.
std::string unused_text(const LogContents& log, const Counts& unused) {
  Counts all = unused;
  for (const auto& [reason, n] : log.skipped) all[reason] += n;
  std::string text;
  for (const auto& [reason, n] : all) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, reason);
  }
  return fmt::format("{}: {} {} not used: {}", log.path, sum(all),
                     sum(all) == 1 ? "record is" : "records are", text);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_failure(Status status) {
  return status != Status::kOk && status != Status::kUnmeasured && status != Status::kInterrupted;
}

}  // namespace

void apply_finals(const LogContents& log, std::vector<const TuningRecord*>& records) {
  for (const FinalComparison& final : log.finals) {
    const auto is_winner = [&](const TuningRecord* r) { return r->id == final.winner; };
    const auto is_beaten = [&](const TuningRecord* r) {
      return std::find(final.beaten.begin(), final.beaten.end(), r->id) != final.beaten.end();
    };
    const auto winner = std::find_if(records.begin(), records.end(), is_winner);
    const auto beaten = std::find_if(records.begin(), records.end(), is_beaten);
    if (winner != records.end() && beaten < winner) std::rotate(beaten, winner, winner + 1);
  }
}

std::string none_valid_text(const std::map<std::string, int64_t>& reasons) {
  const int64_t count = sum(reasons);
  const auto rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
  if (count == 0) return "0 of 0 valid";
  const auto& [reason, times] = *std::max_element(reasons.begin(), reasons.end(), rarer);
  return fmt::format("0 of {} valid; most often, {} {}: {}", count, times,
                     times == 1 ? "time" : "times", reason);
}

Ranking rank(const LogContents& log, const Query& query) {
  Ranking ranking;
  for (const TuningRecord& record : log.records) {
    if (record.task_key != query.task_key) continue;
    const Status status = record.result.status;
    const bool ok = status == Status::kOk;
    const std::string why = why_unused(record, query);
    if (is_failure(status)) {
      const std::string& reason = record.result.reason;
      if (why.empty()) ++ranking.failed[reason.empty() ? to_string(status) : reason];
      continue;
    }
    if (!ok && status != Status::kUnmeasured) continue;
    if (!why.empty()) {
      ++ranking.unused[why];
      continue;
    }
    (ok ? ranking.measured : ranking.unmeasured).push_back(&record);
  }
  std::stable_sort(ranking.measured.begin(), ranking.measured.end(),
                   [](const TuningRecord* a, const TuningRecord* b) {
                     return *a->result.median_secs < *b->result.median_secs;
                   });
  apply_finals(log, ranking.measured);
  std::reverse(ranking.unmeasured.begin(), ranking.unmeasured.end());
  return ranking;
}

Applied apply(const ir::PrimFunc& func, const TuningRecord& record) {
  schedule::Schedule sch = schedule::Schedule::replay(func, record.trace);
  const bool drifted = !record.trace.hash.empty() && sch.sealed_trace().hash != record.trace.hash;
  return {std::move(sch), record, record.result.status == Status::kOk, drifted};
}

namespace {

// A schedule without steps is right only for what the untouched program was measured as.
void drop_emptied(const ir::PrimFunc& func, std::vector<const TuningRecord*>& records,
                  Counts& unused) {
  std::string untouched;
  std::erase_if(records, [&](const TuningRecord* record) {
    if (!record->trace.instructions.empty()) return false;
    if (untouched.empty()) untouched = schedule::Schedule(func).sealed_trace().hash;
    if (record->trace.hash == untouched) return false;
    ++unused["with an empty schedule"];
    return true;
  });
}

/// Applies records one after the other until one gives the program that was measured.
class Attempts {
 public:
  Attempts(const ir::PrimFunc& func, Counts& unused) : func_(func), unused_(unused) {}

  void take_first_of(const std::vector<const TuningRecord*>& records) {
    for (const TuningRecord* record : records) {
      if (applied_ || drifted_ >= kMaxDrifted) return;
      attempt(*record);
    }
  }
  /// Where none gave it, the best that drifted.
  std::optional<Applied> outcome() { return applied_ ? std::move(applied_) : std::move(fallback_); }
  bool found() const { return applied_ || fallback_; }
  int drifted() const { return drifted_; }

 private:
  void attempt(const TuningRecord& record) {
    try {
      Applied applied = apply(func_, record);
      if (!applied.drifted) {
        applied_ = std::move(applied);
        return;
      }
      ++drifted_;
      if (!fallback_) fallback_ = std::move(applied);
    } catch (const Error& error) {
      ++unused_["not replayed: " + first_line(error.what())];
    }
  }

  const ir::PrimFunc& func_;
  Counts& unused_;
  std::optional<Applied> applied_, fallback_;
  int drifted_ = 0;
};

}  // namespace

BestResult apply_best(const ir::PrimFunc& func, const LogContents& log, const Query& query) {
  Ranking ranking = rank(log, query);
  drop_emptied(func, ranking.measured, ranking.unused);
  drop_emptied(func, ranking.unmeasured, ranking.unused);
  Attempts attempts(func, ranking.unused);
  attempts.take_first_of(ranking.measured);
  if (!attempts.found()) attempts.take_first_of(ranking.unmeasured);
  BestResult result;
  result.applied = attempts.outcome();

  if (!ranking.unused.empty() || !log.skipped.empty()) {
    result.warnings.push_back(unused_text(log, ranking.unused));
  }
  if (attempts.drifted() > 0) {
    result.warnings.push_back(fmt::format(
        "{}: {} {} drifted: the schedule now gives another program than the one measured", log.path,
        attempts.drifted(), attempts.drifted() == 1 ? "record has" : "records have"));
  }
  if (result.applied && !result.applied->measured) {
    result.warnings.push_back(
        fmt::format("{}: no measured record matches; record {}, which was never measured, is used",
                    log.path, result.applied->record.id));
  }
  if (!result.applied && ranking.measured.empty() && !ranking.failed.empty()) {
    result.none_valid = none_valid_text(ranking.failed);
    result.warnings.push_back(
        fmt::format("{}: trials of this task: {}", log.path, result.none_valid));
  }
  return result;
}

}  // namespace tilewright::record
