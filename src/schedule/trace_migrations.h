#pragma once

#include <string_view>

#include "tilewright/schedule/trace.h"

namespace tilewright::schedule {

/// How an instruction of an earlier version becomes one of the next.
struct Migration {
  std::string_view op;
  int from_version;
  /// Rewrites attributes in place; the version is raised by the caller. `trace` is as it was read.
  void (*run)(Instruction& instruction, const Trace& trace);
};

}  // namespace tilewright::schedule
