#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/parsing.h"
#include "tilewright/tuner/api/probe.h"
#include "tilewright/tuner/cost_model/roofline.h"

namespace tilewright::cli {
namespace {

std::string table(const tuner::HostSpeeds& host, const Target& target) {
  const tuner::MachineSpeeds& s = host.speeds;
  const auto row = [](const char* title, double value, const char* unit) {
    return fmt::format("  {:<34}{:>10.4g} {}\n", title, value, unit);
  };
  std::string text = fmt::format("{} cores, {}-bit vectors\n", target.cores, target.vector_bits);
  text += row("peak of a core (float32)", tuner::peak_gflops(s, target), "GFLOP/s");
  text += row("second-level cache, a core", s.l2_bytes_per_sec * 1e-9, "GB/s");
  text += row("third-level cache, a core", s.l3_bytes_per_sec * 1e-9, "GB/s");
  text += row("memory, a core", s.dram_core_bytes_per_sec * 1e-9, "GB/s");
  text += row("memory, all cores", s.dram_bytes_per_sec * 1e-9, "GB/s");
  text += row("launch of a parallel loop", s.launch_secs * 1e6, "us");
  if (host.busy) {
    text +=
        "other programs were running: the machine may be faster than this; it is\n"
        "measured again the next time\n";
  }
  if (!host.not_stored.empty()) return text + "not kept: " + host.not_stored + "\n";
  return text + (host.measured ? "measured now, kept in " : "read from ") + host.path + "\n";
}

std::string json_line(const tuner::HostSpeeds& host, const Target& target) {
  nlohmann::ordered_json json{{"fma_per_sec", host.speeds.fma_per_sec},
                              {"l2_bytes_per_sec", host.speeds.l2_bytes_per_sec},
                              {"l3_bytes_per_sec", host.speeds.l3_bytes_per_sec},
                              {"dram_bytes_per_sec", host.speeds.dram_bytes_per_sec},
                              {"dram_core_bytes_per_sec", host.speeds.dram_core_bytes_per_sec},
                              {"launch_secs", host.speeds.launch_secs},
                              {"peak_gflops", tuner::peak_gflops(host.speeds, target)},
                              {"cores", target.cores},
                              {"measured", host.measured},
                              {"busy", host.busy},
                              {"file", nullptr}};
  if (host.not_stored.empty()) json["file"] = host.path;
  return json.dump() + "\n";
}

}  // namespace

int run_probe(const std::vector<std::string>& arguments) {
  bool json = false, fresh = false;
  CLI::App app(
      "Measures this machine in half a second: the peak of a core, the bandwidths of\n"
      "caches and memory, the launch of a parallel loop. `tune` guesses times with\n"
      "these numbers and shows its results as a share of what they allow. They are\n"
      "kept in $XDG_CACHE_HOME/tilewright (else ~/.cache/tilewright), a file for each\n"
      "machine and version.",
      "tilewright probe");
  app.add_flag("--fresh", fresh, "measure again, also where a file is there");
  app.add_flag("--json", json, "print one line of JSON instead: seconds, bytes a second");
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  const tuner::HostSpeeds host = tuner::host_speeds(fresh);
  write_out(json ? json_line(host, Target::host()) : table(host, Target::host()));
  return kDone;
}

}  // namespace tilewright::cli
