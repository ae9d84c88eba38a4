#include "cli/op_options.h"

#include <CLI/CLI.hpp>

#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const ops::OpDefinition& definition : ops::definitions()) names.push_back(definition.name);
  return names;
}

// The value of --op before anything else is known.
std::string find_op(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--op" && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with("--op=")) return arguments[i].substr(5);
  }
  return "";
}

std::string parameter_help(const ops::ParameterSpec& spec) {
  std::string text = spec.help;
  for (const std::string& choice : spec.choices) {
    text += (&choice == spec.choices.data() ? ": " : ", ") + choice;
  }
  return text + " [" + spec.default_value + "]";
}

}  // namespace

void add_op_options(CLI::App& app, const std::vector<std::string>& arguments, OpOptions& options) {
  const std::string op = find_op(arguments);
  if (op == "list") throw EarlyEnd{kDone, operator_list()};
  for (const ops::OpDefinition& definition : ops::definitions()) {
    if (definition.name == op) options.definition = &definition;
  }
  app.add_option("--op", options.op, "operator, or 'list' for all with their parameters")
      ->type_name("NAME");
  if (!options.definition) return;
  for (const ops::ParameterSpec& spec : options.definition->parameters) {
    CLI::Option* option =
        app.add_option(ops::option_name(spec), options.parameters[spec.name], parameter_help(spec));
    option->group("Parameters of " + op);
    option->expected(spec.kind == ops::ParameterKind::kFlag ? 0 : 1, 1);
    option->type_name("");
  }
}

void check_op_arguments(const CLI::App& app, const std::vector<std::string>& remaining,
                        const OpOptions& options) {
  if (options.op.empty()) bad_use("--op is missing{}", suggestion(operator_names(), ""));
  if (!options.definition) {
    bad_use("unknown operator '{}'{}", options.op, suggestion(operator_names(), options.op));
  }
  if (remaining.empty()) return;
  const std::string name = remaining[0].substr(0, remaining[0].find('='));
  for (const ops::OpDefinition& other : ops::definitions()) {
    for (const ops::ParameterSpec& spec : other.parameters) {
      if (other.name != options.op && ops::option_name(spec) == name) {
        bad_use("option '{}' belongs to {}, not to {}", name, other.name, options.op);
      }
    }
  }
  refuse_argument(app, remaining[0]);
}

ops::TextValues given_parameters(const OpOptions& options) {
  ops::TextValues given;
  for (const ops::ParameterSpec& spec : options.definition->parameters) {
    const auto found = options.parameters.find(spec.name);
    if (found == options.parameters.end() || found->second.empty()) continue;
    const std::string& value = found->second[0];
    if (value.empty() && spec.kind != ops::ParameterKind::kFlag) {
      bad_use("{}: its value is empty", ops::option_name(spec));
    }
    // A flag without a value means yes; the parser stands an empty text in for it.
    given[spec.name] = value.empty() ? "1" : value;
  }
  return given;
}

ops::OpInstance instantiate(const OpOptions& options) {
  try {
    return ops::instantiate(*options.definition, given_parameters(options));
  } catch (const Error& error) {
    bad_use("{}", error.what());
  }
}

std::string operator_list() {
  std::string text;
  for (const ops::OpDefinition& definition : ops::definitions()) {
    text += fmt::format("{}: {}\n", definition.name, definition.help);
    for (const ops::ParameterSpec& spec : definition.parameters) {
      text += fmt::format("  {:<14} {}\n", ops::option_name(spec), parameter_help(spec));
    }
  }
  return wrap_text(text, 80, 17);
}

std::vector<std::string> operator_options(const ops::OpInstance& op) {
  const ops::OpDefinition& definition = ops::find_definition(op.op);
  const ops::TextValues defaults = ops::parse_values(definition, {}).canonical();
  std::vector<std::string> words;
  for (const ops::ParameterSpec& spec : definition.parameters) {
    const std::string& value = op.args.at(spec.name);
    if (value != defaults.at(spec.name)) words.push_back(ops::option_name(spec) + " " + value);
  }
  return words;
}

}  // namespace tilewright::cli
