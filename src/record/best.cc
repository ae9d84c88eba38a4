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
  if (const auto why = query.target.why_unusable(*made_for)) return *why;
  if (record.exec.threads != query.exec.threads) {
    return fmt::format("for {} threads", record.exec.threads);
  }
  if (record.exec.cache != query.exec.cache) return fmt::format("for {} cache", record.exec.cache);
  if (record.exec.prepacked != query.exec.prepacked) return "with other inputs packed beforehand";
  return "";
}

namespace {

std::string counted(const std::map<std::string, int64_t>& reasons) {
  std::string text;
  for (const auto& [reason, n] : reasons) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, reason);
  }
  return text;
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

std::string Ranking::warning(const std::string& path) const {
  if (unused.empty()) return "";
  int64_t count = 0;
  for (const auto& [reason, n] : unused) count += n;
  return fmt::format("{}: {} {} of this task not used: {}", path, count,
                     count == 1 ? "record" : "records", counted(unused));
}

Ranking rank(const LogContents& log, const Query& query) {
  Ranking ranking;
  for (const TuningRecord& record : log.records) {
    if (record.task_key != query.task_key) continue;
    const bool ok = record.result.status == Status::kOk;
    if (!ok && record.result.status != Status::kUnmeasured) continue;
    const std::string why = why_unused(record, query);
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

BestResult apply_best(const ir::PrimFunc& func, const LogContents& log, const Query& query) {
  Ranking ranking = rank(log, query);
  BestResult result;
  std::optional<Applied> fallback;
  int drifted = 0, failed = 0;
  std::string failure;
  const auto attempt = [&](const TuningRecord& record) {
    try {
      Applied applied = apply(func, record);
      if (!applied.drifted) {
        result.applied = std::move(applied);
        return true;
      }
      if (record.trace.instructions.empty()) {
        fail("record.trace", "its schedule is empty, and that is not what was measured");
      }
      ++drifted;
      if (!fallback) fallback = std::move(applied);
    } catch (const Error& error) {
      const std::string what = error.what();
      if (failed++ == 0) failure = what.substr(0, what.find('\n'));
    }
    return drifted >= kMaxDrifted;
  };
  for (const TuningRecord* record : ranking.measured) {
    if (attempt(*record)) break;
  }
  if (!result.applied && !fallback) {
    for (const TuningRecord* record : ranking.unmeasured) {
      if (attempt(*record)) break;
    }
  }
  if (!result.applied && fallback) result.applied = std::move(fallback);

  if (std::string text = log.warning(); !text.empty()) result.warnings.push_back(std::move(text));
  if (std::string text = ranking.warning(log.path); !text.empty()) {
    result.warnings.push_back(std::move(text));
  }
  if (failed > 0) {
    result.warnings.push_back(fmt::format("{}: {} {} not replay: {}", log.path, failed,
                                          failed == 1 ? "record does" : "records do", failure));
  }
  if (drifted > 0) {
    result.warnings.push_back(fmt::format(
        "{}: {} {} drifted: the schedule now gives another program than the one measured", log.path,
        drifted, drifted == 1 ? "record has" : "records have"));
  }
  if (result.applied && !result.applied->measured) {
    result.warnings.push_back(
        fmt::format("{}: no measured record matches; record {}, which was never measured, is used",
                    log.path, result.applied->record.id));
  }
  return result;
}

}  // namespace tilewright::record
