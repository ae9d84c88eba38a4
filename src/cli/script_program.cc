#include "cli/script_program.h"

#include <cstdio>

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
  ScriptProgram program;
  const std::string mark = "\n# trace ";
  const size_t at = text.find(mark);
  try {
    if (at != std::string::npos) {
      program.trace = schedule::Trace::from_json(text.substr(at + mark.size()));
      text.resize(at + 1);
    }
    program.func = ir::parse_func(text);
  } catch (const Error& error) {
    bad_use("--script: `{}` printed no program: {}", command, error.what());
  }
  return program;
}

}  // namespace tilewright::cli
