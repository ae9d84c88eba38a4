#pragma once

#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "tilewright/support/error.h"
#include "tilewright/target/target.h"

namespace CLI {
class App;
}

/// \file
/// What the command lines have in common. Every message about bad use is ours and names the option.

namespace tilewright::cli {

inline constexpr int kDone = 0, kFailed = 1, kBadUse = 2;
inline constexpr int kMaxThreads = 1024;

/// A command line that ends at once: --help, --version or bad use.
struct EarlyEnd {
  int exit_code = 0;
  std::string text;  ///< for stdout when the code is 0, else for stderr
};

template <typename... Args>
[[noreturn]] void bad_use(fmt::format_string<Args...> format, Args&&... args) {
  throw EarlyEnd{kBadUse, fmt::format(format, std::forward<Args>(args)...)};
}

/// The number in `text`, which must be nothing else; `what` says what is expected.
template <typename T>
T number(const std::string& option, const std::string& text, T low, T high,
         const std::string& what) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= low) ||
      !(value <= high)) {
    bad_use("{}: expected {}; got '{}'", option, what, text);
  }
  return value;
}

/// The value of --threads; `otherwise` when `text` is empty.
int thread_count(const std::string& text, int otherwise);

/// The value of --target. Only cpu targets: others are bad use until code is generated for them.
Target cpu_target(const std::string& text);

/// The same of a command that measures: bad use where this machine cannot run the code.
Target measurable_target(const std::string& text);

/// Reads the arguments into the options of `app`. Throws EarlyEnd for --help, --version and what CLI11
/// refuses. Gives the arguments that are no options of the app.
std::vector<std::string> parse(CLI::App& app, const std::vector<std::string>& arguments);

/// Bad use: an argument that no option took, with the nearest option.
[[noreturn]] void refuse_argument(const CLI::App& app, const std::string& argument);

/// Breaks lines beyond `width` columns at blanks; what follows begins in column `indent`, of a line that is not
/// indented itself in the first.
std::string wrap_text(const std::string& text, size_t width, size_t indent);

/// "PROGRAM: KIND: TEXT" to stderr. On a terminal long lines are broken, but for those that begin with a blank:
/// programs and tables.
void print_note(const char* program, const std::string& kind, const std::string& text);

/// Switches a built-in fault on, and off again; "" for none. A name that does not exist is bad use of --fault.
class FaultSwitch {
 public:
  explicit FaultSwitch(const std::string& name);
  ~FaultSwitch();
  FaultSwitch(const FaultSwitch&) = delete;
  FaultSwitch& operator=(const FaultSwitch&) = delete;
};

}  // namespace tilewright::cli
