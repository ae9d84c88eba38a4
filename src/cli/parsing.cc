#include "cli/parsing.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tilewright/support/fault.h"
#include "tilewright/support/suggest.h"

namespace tilewright::cli {
namespace {

constexpr size_t kHelpWidth = 80, kHelpColumn = 26;

}  // namespace

int thread_count(const std::string& text, int otherwise) {
  if (text.empty()) return otherwise;
  return number<int>("--threads", text, 1, kMaxThreads,
                     fmt::format("a number of threads from 1 to {}", kMaxThreads));
}

Target cpu_target(const std::string& text) {
  Target target;
  try {
    target = Target::parse(text);
  } catch (const Error& error) {
    bad_use("--target: {}", error.what());
  }
  if (target.kind != TargetKind::kCpu) {
    bad_use("--target {}: this version generates code for cpu only; use --target cpu",
            to_string(target.kind));
  }
  return target;
}

Target measurable_target(const std::string& text) {
  Target target = cpu_target(text);
  if (const auto why = Target::host().why_unusable(target)) {
    bad_use("--target '{}': kernels are measured on this machine, but it cannot run them: {}", text,
            *why);
  }
  return target;
}

std::vector<std::string> parse(CLI::App& app, const std::vector<std::string>& arguments) {
  app.get_formatter()->column_width(kHelpColumn);
  app.allow_extras();
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForVersion& version) {
    throw EarlyEnd{kDone, std::string(version.what()) + "\n"};
  } catch (const CLI::Success&) {
    throw EarlyEnd{kDone, wrap_text(app.help(), kHelpWidth, kHelpColumn)};
  } catch (const CLI::ParseError& error) {
    bad_use("{}", error.what());
  }
  return app.remaining();
}

void refuse_argument(const CLI::App& app, const std::string& argument) {
  if (!argument.starts_with("-") || argument == "-") bad_use("unexpected argument '{}'", argument);
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) names.push_back(option->get_name());
  }
  bad_use("unknown option '{}'{}", name, suggestion(names, name));
}

std::string wrap_text(const std::string& text, size_t width, size_t indent) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t column = line.starts_with(' ') ? indent : 0;
    while (line.size() > width) {
      size_t blank = line.rfind(' ', width);
      if (blank == std::string::npos || blank <= column) blank = line.find(' ', column + 1);
      if (blank == std::string::npos) break;
      result += line.substr(0, blank) + "\n";
      line = std::string(column, ' ') + line.substr(blank + 1);
    }
    result += line + "\n";
  }
  return result;
}

void print_note(const char* program, const std::string& kind, const std::string& text) {
  const std::string note = fmt::format("{}: {}: {}", program, kind, text);
  std::string shown;
  for (size_t at = 0; at <= note.size();) {
    const size_t end = std::min(note.find('\n', at), note.size());
    const std::string line = note.substr(at, end - at);
    const bool broken = isatty(STDERR_FILENO) != 0 && !line.starts_with(' ');
    shown += broken && !line.empty() ? wrap_text(line, kHelpWidth, 0) : line + "\n";
    at = end + 1;
  }
  std::fputs(shown.c_str(), stderr);
}

FaultSwitch::FaultSwitch(const std::string& name) {
  if (name.empty()) return;
  try {
    inject_fault(name);
  } catch (const Error& error) {
    bad_use("--fault: {}", error.what());
  }
}

FaultSwitch::~FaultSwitch() { inject_fault(""); }

}  // namespace tilewright::cli
