#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/parsing.h"
#include "tilewright/support/error_catalogue.h"

namespace tilewright::cli {

int run_explain(const std::vector<std::string>& arguments) {
  std::string code;
  bool list = false;
  CLI::App app("Prints what an error code means and what to do instead.", "tilewright explain");
  app.add_option("code", code, "the code, such as schedule.split.factor")->type_name("CODE");
  app.add_flag("--list", list, "prints every code with its title");
  for (const std::string& extra : parse(app, arguments)) refuse_argument(app, extra);
  if (list) {
    if (!code.empty()) bad_use("give a code or --list, not both");
    std::string text;
    for (const std::string& known : error_codes()) {
      text += wrap_text(fmt::format("{}: {}", known, find_error(known)->title), 80, 4);
    }
    write_out(text);
    return kDone;
  }
  if (code.empty()) bad_use("a code is missing; --list prints them all");
  const std::optional<ErrorEntry> entry = find_error(code);
  if (!entry) {
    const std::string near = suggest_error(code);
    bad_use("there is no error code '{}'{}", code,
            near.empty() ? "; `tilewright explain --list` prints them all" : near);
  }
  write_out(describe_error(*entry) + "\n");
  return kDone;
}

}  // namespace tilewright::cli
