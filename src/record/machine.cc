#include <fmt/format.h>
#include <cstdio>
#include <fstream>

#include "tilewright/record/tuning_record.h"

namespace tilewright::record {
namespace {

uint64_t fnv1a(std::string_view text, uint64_t hash = 0xcbf29ce484222325ull) {
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") || line.starts_with("Hardware")) {
      const size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
      return at == std::string::npos ? "" : line.substr(at);
    }
  }
  return "";
}

}  // namespace

std::string make_id(std::string_view prefix, std::string_view parts) {
  return fmt::format("{}-{:010x}", prefix, fnv1a(parts) & 0xff'ffff'ffffull);
}

MachineInfo host_machine() {
  const Target host = Target::host();
  MachineInfo machine;
  machine.name = processor_name();
  machine.cores = host.cores;
  machine.l1d_bytes = host.l1d_bytes;
  machine.l2_bytes = host.l2_bytes;
  machine.l3_bytes = host.l3_bytes;
  machine.id = make_id("m", fmt::format("{}/{}/{}/{}/{}", machine.name, machine.cores,
                                        machine.l1d_bytes, machine.l2_bytes, machine.l3_bytes));
  return machine;
}

RecordTarget describe(const Target& target) {
  return {to_string(target.kind), target.arch, target.features, target.vector_bits};
}

std::optional<Target> as_target(const RecordTarget& made_for) {
  for (TargetKind kind : {TargetKind::kCpu, TargetKind::kCuda, TargetKind::kOpenCl}) {
    if (to_string(kind) != made_for.kind) continue;
    Target target;
    target.kind = kind;
    target.arch = made_for.arch;
    target.features = made_for.features;
    target.vector_bits = made_for.vector_bits;
    return target;
  }
  return std::nullopt;
}

}  // namespace tilewright::record
