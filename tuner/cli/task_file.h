#pragma once

#include <string>
#include <vector>

#include "tuner/cli/subject.h"

namespace tilewright::tuner {

/// Reads a task file: a line is the options that say what to tune (--op with its parameters or --script, --space,
/// --target, --threads) and `weight=N`, how much it counts [1]; `#` begins a comment. Space, target and threads that a
/// line does not give are those of `defaults`. Bad use (EarlyEnd) names file and line.
std::vector<Subject> read_task_file(const std::string& path, const SubjectOptions& defaults);

}  // namespace tilewright::tuner
