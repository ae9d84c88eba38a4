#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/parsing.h"
#include "tilewright/ops/definition.h"

/// \file
/// Naming an operator and its parameters on a command line: `--op matmul --m 512 --trans-a`. Shared by all
/// commands that take an operator.

namespace tilewright::cli {

/// The options as text, filled in by parsing.
struct OpOptions {
  const ops::OpDefinition* definition = nullptr;  ///< null: --op is missing or names no operator
  std::string op;
  std::map<std::string, std::vector<std::string>> parameters;
};

/// Adds --op and, when `arguments` name an operator, one option for each of its parameters. `options` must
/// outlive the parsing. Throws EarlyEnd with the list of operators for `--op list`.
void add_op_options(CLI::App& app, const std::vector<std::string>& arguments, OpOptions& options);

/// After parsing: bad use when the operator is missing or unknown, or an argument was not taken; an option
/// that belongs to another operator is said to.
void check_op_arguments(const CLI::App& app, const std::vector<std::string>& remaining,
                        const OpOptions& options);

/// The parameters that were given.
ops::TextValues given_parameters(const OpOptions& options);

/// The operator with the given parameters; bad use for values that are wrong or do not fit together.
ops::OpInstance instantiate(const OpOptions& options);

/// All operators with their parameters, for `--op list`.
std::string operator_list();

/// The operator's options that differ from the defaults: "--m 128", "--trans-a 1".
std::vector<std::string> operator_options(const ops::OpInstance& op);

}  // namespace tilewright::cli
