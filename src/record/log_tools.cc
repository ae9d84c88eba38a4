#include "tilewright/record/log_tools.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "tilewright/record/best.h"
#include "tilewright/support/error.h"
#include "tilewright/support/suggest.h"

namespace tilewright::record {
namespace {

using Json = nlohmann::ordered_json;

std::string target_text(const RecordTarget& target) {
  return fmt::format("{} {} {} bits", target.kind, target.arch, target.vector_bits);
}

auto group_of(const TuningRecord& r) {
  return std::tuple(r.task_key, target_text(r.target), r.exec.threads, r.exec.cache,
                    r.exec.prepacked);
}

// What makes two lines the same entry: the id of a record, run and winner of a final, else the line itself.
std::string identity(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_object() && json.contains("kind")) {
    if (json.contains("id") && json["id"].is_string()) return "id " + json["id"].get<std::string>();
    if (json["kind"] == "final") return "final " + json.value("run", "") + json.value("winner", "");
  }
  return line;
}

bool faster(const TuningRecord* a, const TuningRecord* b) {
  return *a->result.median_secs < *b->result.median_secs;
}

// Measured records of a group, the best first; winners of finals before what they beat.
std::vector<const TuningRecord*> ranked(const LogContents& log,
                                        std::vector<const TuningRecord*> records) {
  std::stable_sort(records.begin(), records.end(), faster);
  apply_finals(log, records);
  return records;
}

}  // namespace

std::vector<TaskSummary> summarize(const LogContents& log) {
  std::vector<TaskSummary> result;
  std::map<decltype(group_of(log.records[0])), size_t> places;
  std::vector<std::vector<const TuningRecord*>> measured;
  for (const TuningRecord& r : log.records) {
    const auto [place, is_new] = places.emplace(group_of(r), result.size());
    if (is_new) {
      result.push_back({r.task_key, target_text(r.target), r.exec, 0, 0, {}, nullptr, 0});
      measured.emplace_back();
    }
    TaskSummary& summary = result[place->second];
    ++summary.records;
    if (r.result.status == Status::kOk && r.result.median_secs) {
      ++summary.ok;
      measured[place->second].push_back(&r);
    } else {
      ++summary.failures[to_string(r.result.status)];
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    const std::vector<const TuningRecord*> best = ranked(log, std::move(measured[i]));
    if (best.empty()) continue;
    result[i].best = best.front();
    result[i].baseline_secs = best.front()->search.baseline_secs.value_or(0);
  }
  return result;
}

const TuningRecord& find_record(const LogContents& log, const std::string& id) {
  std::vector<std::string> ids;
  std::vector<const TuningRecord*> found;
  for (const TuningRecord& r : log.records) {
    if (r.id == id) return r;
    if (!id.empty() && (r.id.starts_with(id) || r.id.starts_with("r-" + id))) found.push_back(&r);
    ids.push_back(r.id);
  }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    fail("log.ambiguous_id", "{}: '{}' begins {} ids, such as {} and {}", log.path, id,
         found.size(), found[0]->id, found[1]->id);
  }
  const std::string near = nearest_name(ids, id);
  fail("log.unknown_id", "{}: no record has the id '{}'{}", log.path, id,
       near.empty() ? "; `tilewright log show` lists them"
                    : fmt::format("; did you mean '{}'?", near));
}

std::vector<std::string> read_lines(const std::string& path) {
  read_log(path);  // for its errors
  std::vector<std::string> lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> merge_lines(const std::vector<std::vector<std::string>>& files) {
  std::vector<std::string> result;
  std::set<std::string> known;
  for (const std::vector<std::string>& lines : files) {
    for (const std::string& line : lines) {
      if (known.insert(identity(line)).second) result.push_back(line);
    }
  }
  return result;
}

std::vector<std::string> prune_lines(const LogContents& log, int64_t keep) {
  std::map<decltype(group_of(log.records[0])), std::vector<const TuningRecord*>> groups;
  std::map<decltype(group_of(log.records[0])), const TuningRecord*> unmeasured;
  for (const TuningRecord& r : log.records) {
    if (r.result.status == Status::kOk && r.result.median_secs) groups[group_of(r)].push_back(&r);
    if (r.result.status == Status::kUnmeasured) unmeasured[group_of(r)] = &r;
  }
  std::set<const TuningRecord*> kept;
  std::set<std::string> ids;
  for (auto& [group, records] : groups) {
    std::vector<const TuningRecord*> best = ranked(log, records);
    if (static_cast<int64_t>(best.size()) > keep) best.resize(static_cast<size_t>(keep));
    kept.insert(best.begin(), best.end());
  }
  for (const auto& [group, record] : unmeasured) {
    if (groups.count(group) == 0) kept.insert(record);
  }
  std::vector<std::string> lines;
  for (const TuningRecord& r : log.records) {
    if (kept.count(&r) == 0) continue;
    lines.push_back(r.to_line());
    ids.insert(r.id);
  }
  for (FinalComparison final : log.finals) {
    if (ids.count(final.winner) == 0) continue;
    std::vector<std::string> beaten;
    std::vector<double> ratios;
    for (size_t i = 0; i < final.beaten.size(); ++i) {
      if (ids.count(final.beaten[i]) == 0) continue;
      beaten.push_back(final.beaten[i]);
      if (i < final.ratios.size()) ratios.push_back(final.ratios[i]);
    }
    if (beaten.empty()) continue;
    final.beaten = std::move(beaten);
    final.ratios = std::move(ratios);
    lines.push_back(final.to_line());
  }
  return lines;
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    fail("log.unwritable", "the log '{}' is a directory", path);
  }
  const std::string fresh = fmt::format("{}.{}.new", path, getpid());
  std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
  if (!file) fail("log.unwritable", "cannot write '{}': {}", fresh, std::strerror(errno));
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(fresh.c_str());
    fail("log.write", "cannot write '{}': {}", path, std::strerror(error));
  }
}

}  // namespace tilewright::record
