#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tilewright/record/log_tools.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/support/error.h"
#include "tilewright/tuner/api/probe.h"

namespace tilewright::tuner {
namespace {

using Json = nlohmann::ordered_json;

// Raised when another way of measuring makes older files incomparable.
constexpr int kCacheSchema = 1;
// A process that gets less than this part of a core does not have the machine to itself.
constexpr double kIdleShare = 0.9;

struct Field {
  const char* name;
  double MachineSpeeds::*value;
  bool higher_is_better = true;
};
constexpr Field kFields[] = {
    {"fma_per_sec", &MachineSpeeds::fma_per_sec},
    {"l2_bytes_per_sec", &MachineSpeeds::l2_bytes_per_sec},
    {"l3_bytes_per_sec", &MachineSpeeds::l3_bytes_per_sec},
    {"dram_bytes_per_sec", &MachineSpeeds::dram_bytes_per_sec},
    {"dram_core_bytes_per_sec", &MachineSpeeds::dram_core_bytes_per_sec},
    {"launch_secs", &MachineSpeeds::launch_secs, false},
};

// What the speeds belong to; the same in the name of the file and in its text.
Json owner() {
  return {{"schema", kCacheSchema},
          {"machine", record::host_machine().id},
          {"features", Target::host().features},
          {"threads", runtime::default_num_threads()},
          {"tilewright", TW_VERSION}};
}

std::filesystem::path cache_folder() {
  const char* chosen = std::getenv("XDG_CACHE_HOME");
  // The specification of the folders: a path that is not absolute is to be ignored.
  if (chosen && *chosen == '/') return std::filesystem::path(chosen) / "tilewright";
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return std::filesystem::path(home) / ".cache" / "tilewright";
  return {};
}

std::string read_text(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

std::string speeds_text(const HostSpeeds& host) {
  Json json = owner();
  for (const Field& field : kFields) json[field.name] = host.speeds.*field.value;
  json["busy"] = host.busy;
  return json.dump();
}

std::optional<HostSpeeds> parse_speeds(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const Json wanted = owner();
  for (const auto& [key, value] : wanted.items()) {
    if (!json.contains(key) || json[key] != value) return std::nullopt;
  }
  HostSpeeds host;
  for (const Field& field : kFields) {
    if (!json.contains(field.name) || !json[field.name].is_number()) return std::nullopt;
    double& speed = host.speeds.*field.value;
    speed = json[field.name];
    if (!(speed > 0) || !std::isfinite(speed)) return std::nullopt;
  }
  if (!json.contains("busy") || !json["busy"].is_boolean()) return std::nullopt;
  host.busy = json["busy"];
  return host;
}

HostSpeeds host_speeds(bool fresh) {
  const std::filesystem::path folder = cache_folder();
  const std::string path =
      folder.empty() ? ""
                     : (folder / (record::make_id("speeds", owner().dump()) + ".json")).string();
  std::optional<HostSpeeds> kept;
  if (!path.empty() && !fresh) kept = parse_speeds(read_text(path));
  if (kept && !kept->busy) {
    kept->path = path;
    return *kept;
  }
  HostSpeeds host;
  double core_share = 0;
  host.speeds = measure_speeds(Target::host(), runtime::default_num_threads(), &core_share);
  host.measured = true;
  host.busy = core_share < kIdleShare;
  host.path = path;
  for (const Field& field : kFields) {
    if (!kept) break;
    double& speed = host.speeds.*field.value;
    const double before = kept->speeds.*field.value;
    speed = field.higher_is_better ? std::max(speed, before) : std::min(speed, before);
  }
  if (path.empty()) {
    host.not_stored = "neither XDG_CACHE_HOME nor HOME names a folder";
    return host;
  }
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  try {
    record::write_lines(path, {speeds_text(host)});
  } catch (const Error& refused) {
    host.not_stored = refused.what();
  }
  return host;
}

}  // namespace tilewright::tuner
