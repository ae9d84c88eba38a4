#pragma once

#include <string>
#include <vector>

#include "cli/op_options.h"
#include "tilewright/tuner/tune_tasks.h"

namespace tilewright::tuner {

/// One thing to tune, as the command line or a line of a task file names it.
struct Subject {
  std::string name;                ///< of the operator, or of the function of a script
  std::string script;              ///< FILE.py:FUNCTION; empty: an operator
  std::vector<std::string> words;  ///< "m=512", ...: what it is called with, for titles
  std::string target_text = "cpu";
  WeightedTask work;
  /// Arguments of `tilewright compile` for it; empty for a script.
  std::vector<std::string> compile_words;
};

/// The options that say what to tune, as text.
struct SubjectOptions {
  cli::OpOptions op;
  std::string script, target, threads, space;
};

/// Adds --op with its parameters, --script, --space, --target and --threads. `options` must outlive the parsing.
void add_subject_options(CLI::App& app, const std::vector<std::string>& arguments,
                         SubjectOptions& options);
/// After parsing: bad use when nothing or two things are named, or an argument was not taken.
void check_subject_arguments(const CLI::App& app, const std::vector<std::string>& remaining,
                             const SubjectOptions& options);

/// The operator or the program of the script (which this runs). Throws EarlyEnd for bad use.
Subject make_subject(const SubjectOptions& options);

}  // namespace tilewright::tuner
