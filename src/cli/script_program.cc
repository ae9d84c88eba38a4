#include "cli/script_program.h"

#include <cstdio>
#include <sstream>

#include "cli/parsing.h"
#include "tilewright/ir/text.h"

namespace tilewright::cli {
namespace {

// One word for the shell.
std::string quoted_word(const std::string& text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

}  // namespace

ScriptProgram run_script(const std::string& script) {
  if (script.find(':') == std::string::npos) {
    bad_use("--script: expected FILE:FUNCTION; got '{}'", script);
  }
  const std::string command = "python3 -m tilewright.export " + quoted_word(script);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) bad_use("--script: python3 cannot be started");
  std::string text;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    text.append(buffer, count);
  if (pclose(pipe) != 0) bad_use("--script: `{}` failed", command);
  try {
    return parse_script_output(text);
  } catch (const Error& error) {
    bad_use("--script: `{}` printed no program: {}", command, error.what());
  }
}

ScriptProgram parse_script_output(const std::string& text) {
  const std::string hash_mark = "# hash ", trace_mark = "# trace ";
  ScriptProgram program;
  std::string body;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(hash_mark)) {
      program.expr_hash = line.substr(hash_mark.size());
    } else if (line.starts_with(trace_mark)) {
      program.traces.push_back(schedule::Trace::from_json(line.substr(trace_mark.size())));
    } else {
      body += line + "\n";
    }
  }
  program.func = ir::parse_func(body);
  return program;
}

}  // namespace tilewright::cli
