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
  ops::TextValues given;  ///< parameters of the operator that were on the command line
  Target target;
  std::string target_text;
  int64_t max_trials = 64;
  double budget_secs = 60;
  int threads = 1;
  uint64_t seed = 0;
  std::string log_path;
  bool json = false;
};

/// A command line that ends at once: --help, --version, --op list, or bad use.
struct EarlyEnd {
  int exit_code = 0;
  std::string text;  ///< for stdout when the code is 0, else for stderr
};

/// Reads the arguments (without the program's name). Throws EarlyEnd.
CommandOptions parse_command(const std::vector<std::string>& arguments);

/// All operators with their parameters, for `--op list`.
std::string operator_list();

/// The operator's options that differ from the defaults: "--m 128 --trans-a 1".
std::vector<std::string> operator_options(const ops::OpInstance& op);

/// The same operator with small extents, for proving the reference; null when no small values fit together.
ir::PrimFunc shrunken_instance(const ops::OpInstance& op);

}  // namespace tilewright::tuner
