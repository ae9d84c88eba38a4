#include <sys/stat.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tilewright/record/log.h"
#include "tilewright/support/error.h"

namespace tilewright::record {
namespace {

using Json = nlohmann::ordered_json;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// A line whose braces never close was cut by a writer that died.
bool is_cut(std::string_view line) {
  return line.front() != '{' || line.find_last_not_of(" \t\r") == std::string_view::npos ||
         !Json::accept(line.begin(), line.end());
}

std::optional<FinalComparison> parse_final(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  try {
    FinalComparison final;
    final.run = json.value("run", "");
    final.winner = json.at("winner").get<std::string>();
    final.beaten = json.at("beaten").get<std::vector<std::string>>();
    final.ratios = json.value("ratios", std::vector<double>());
    final.median_secs = json.value("median_secs", 0.0);
    return final;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string skip_reason(const Error& error, std::string_view line) {
  if (error.code() == "record.schema") {
    const Json json = Json::parse(line, nullptr, false);
    return fmt::format("of schema {}", json["schema"].dump());
  }
  if (error.code() == "record.trace") return "with an empty schedule";
  if (error.code() == "trace.version") return "with a trace of another version";
  if (error.code() == "record.kind") return "of another kind";
  return is_cut(line) ? "cut short or damaged" : "without the fields of a record";
}

void read_line(std::string_view line, LogContents& log) {
  if (is_blank(line)) return;
  try {
    log.records.push_back(TuningRecord::from_line(line));
  } catch (const Error& error) {
    if (error.code() == "record.kind") {
      const Json json = Json::parse(line, nullptr, false);
      if (json["kind"] == "final") {
        if (auto final = parse_final(line)) {
          log.finals.push_back(std::move(*final));
          return;
        }
      }
    }
    ++log.skipped[skip_reason(error, line)];
  }
}

}  // namespace

std::string FinalComparison::to_line() const {
  const Json json{{"schema", TuningRecord::kSchema},
                  {"kind", "final"},
                  {"run", run},
                  {"winner", winner},
                  {"beaten", beaten},
                  {"ratios", ratios},
                  {"median_secs", median_secs}};
  return json.dump();
}

int64_t LogContents::skipped_count() const {
  int64_t count = 0;
  for (const auto& [reason, n] : skipped) count += n;
  return count;
}

std::string LogContents::warning() const {
  if (skipped.empty()) return "";
  std::string reasons;
  for (const auto& [reason, n] : skipped) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", n, reason);
  }
  const int64_t count = skipped_count();
  return fmt::format("{}: {} {} not used: {}", path, count, count == 1 ? "line was" : "lines were",
                     reasons);
}

LogContents parse_log(std::string_view text, std::string path) {
  LogContents log;
  log.path = std::move(path);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    read_line(text.substr(0, end), log);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return log;
}

LogContents read_log(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) fail("log.missing", "there is no log file '{}'", path);
    fail("log.unreadable", "cannot read the log '{}': {}", path, std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) fail("log.unreadable", "the log '{}' is a directory", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("log.unreadable", "cannot read the log '{}': {}", path, std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) fail("log.unreadable", "reading the log '{}' failed", path);
  return parse_log(text.view(), path);
}

}  // namespace tilewright::record
