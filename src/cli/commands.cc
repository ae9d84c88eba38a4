#include "cli/commands.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/parsing.h"
#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

struct Command {
  const char* name;
  int (*run)(const std::vector<std::string>& arguments);
  const char* what;
};

constexpr Command kCommands[] = {
    {"compile", run_compile, "makes a library of an operator, with the best schedule of a log"},
    {"bench", run_bench, "times the functions of a library"},
    {"fuzz", run_fuzz, "attacks the primitives and the compiler with random schedules"},
    {"reduce", run_reduce, "runs a failure that fuzz found again and makes it smaller"},
    {"show", run_show, "prints an operator's program, schedule or code"},
    {"probe", run_probe, "measures the speeds of this machine that `tune` reckons with"},
    {"log", run_log, "looks at a log of measurements, adds to it, merges and prunes it"},
    {"explain", run_explain, "tells what an error code means and what to do instead"},
};

std::string help() {
  std::string text = "usage: tilewright COMMAND [OPTIONS]\n\ncommands:\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<10} {}\n", command.name, command.what);
  }
  return text +
         "\n`tilewright COMMAND --help` tells the options of one. Schedules are found by the\n"
         "command `tune`.\n";
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) bad_use("a command is missing\n{}", help());
  const std::string& name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") throw EarlyEnd{kDone, help()};
  if (name == "--version") throw EarlyEnd{kDone, "tilewright " TW_VERSION "\n"};
  std::vector<std::string> names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  if (name == "tune") bad_use("tune is a command of its own: tune --help");
  bad_use("unknown {} '{}'{}", name.starts_with("-") ? "option" : "command", name,
          suggestion(names, name));
}

}  // namespace

void write_out(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    fail("cli.output", "cannot write to standard output: {}", std::strerror(errno));
  }
}

void write_note(const std::string& kind, const std::string& text) {
  print_note("tilewright", kind, text);
}

int run_command(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const EarlyEnd& end) {
    if (end.exit_code != kDone) {
      write_note("error", end.text);
      return end.exit_code;
    }
    try {
      write_out(end.text);
    } catch (const Error& error) {
      write_note("error", error.what());
      return kFailed;
    }
    return kDone;
  } catch (const std::exception& error) {
    write_note("error", error.what());
    return kFailed;
  }
}

}  // namespace tilewright::cli
