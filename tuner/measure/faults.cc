#include "tilewright/support/error.h"
#include "tilewright/tuner/measure/device.h"

namespace tilewright::tuner {
namespace {

using record::Status;

const std::vector<std::pair<std::string, Status>> kFaults = {
    {"crash", Status::kCrash},
    {"hang", Status::kRunTimeout},
    {"oom", Status::kOutOfMemory},
    {"wrong", Status::kWrongResult},
    {"early-return", Status::kWrongResult},
};

}  // namespace

const std::vector<std::string>& fault_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const auto& [kind, status] : kFaults) names.push_back(kind);
    return names;
  }();
  return kinds;
}

Status status_of_fault(const std::string& kind) {
  for (const auto& [name, status] : kFaults) {
    if (name == kind) return status;
  }
  throw InternalError("no fault '" + kind + "'");
}

}  // namespace tilewright::tuner
