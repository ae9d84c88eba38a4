#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/ops/definition.h"
#include "tilewright/target/target.h"

namespace tilewright::tuner {

/// What the user asked for, checked.
struct CommandOptions {
  ops::OpInstance op;
  Target target;
  std::string target_text;
  int64_t max_trials = 64;
  double budget_secs = 60;
  int threads = 1;
  uint64_t seed = 0;
  std::string search, model;
  std::string log_path;
  std::vector<std::pair<std::string, double>> faults;
  bool json = false, resume = false;
};

/// Reads the arguments (without the program's name). Throws cli::EarlyEnd for --help, --version, --op list and
/// bad use.
CommandOptions parse_command(const std::vector<std::string>& arguments);

/// The same operator with small extents, for proving the reference; null when no small values fit together.
ir::PrimFunc shrunken_instance(const ops::OpInstance& op);

}  // namespace tilewright::tuner
