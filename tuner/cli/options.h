#pragma once

#include <string>
#include <vector>

#include "tilewright/tuner/tune.h"
#include "tuner/cli/subject.h"

namespace tilewright::tuner {

/// What the user asked for, checked.
struct CommandOptions {
  std::vector<Subject> subjects;  ///< one, but with --tasks
  std::string task_file;          ///< of --tasks
  TuneOptions tuning;             ///< without `cancel` and `on_progress`
  bool json = false;
};

/// Reads the arguments (without the program's name). Throws cli::EarlyEnd for --help, --version, --op list and
/// bad use.
CommandOptions parse_command(const std::vector<std::string>& arguments);

}  // namespace tilewright::tuner
