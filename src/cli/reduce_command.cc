#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "cli/commands.h"
#include "cli/parsing.h"
#include "tilewright/fuzz/fuzz.h"
#include "tilewright/schedule/schedule.h"

namespace tilewright::cli {
namespace {

fuzz::Failure read_failure(const std::string& path) {
  std::ifstream file(path);
  if (!file) bad_use("'{}' cannot be read", path);
  std::stringstream text;
  text << file.rdbuf();
  try {
    return fuzz::Failure::from_json(text.str());
  } catch (const Error& error) {
    bad_use("{}: {}", path, error.what());
  }
}

}  // namespace

int run_reduce(const std::vector<std::string>& arguments) {
  std::string path, output, seconds, fault;
  CLI::App app(
      "Runs a failure that `tilewright fuzz` wrote once more, makes it smaller, and\n"
      "prints it as C++ and as Python. Exit code 0: it no longer fails, 1: it fails,\n"
      "2: bad use.",
      "tilewright reduce");
  app.add_option("FILE", path, "failure to reduce")->type_name("");
  app.add_option("-o,--output", output, "file for the smaller failure [FILE itself]")
      ->type_name("FILE");
  app.add_option("--seconds", seconds, "how long to look for a smaller one [30]")->type_name("N");
  app.add_option("--fault", fault, "what `tilewright fuzz --fault NAME` found, with that fault on")
      ->type_name("NAME");
  const std::vector<std::string> remaining = parse(app, arguments);
  if (!remaining.empty()) refuse_argument(app, remaining[0]);
  if (path.empty()) bad_use("the file to reduce is missing");
  const double secs =
      seconds.empty() ? 30 : number<double>("--seconds", seconds, 0, 1e7, "a time in seconds");
  fuzz::Failure failure = read_failure(path);
  const FaultSwitch on(fault);
  try {
    failure.verdict = fuzz::rerun(failure);
  } catch (const Error& error) {
    if (error.code() != "fuzz.stale") throw;
    write_out(fmt::format("{}: no longer fails: {}\n", path, error.what()));
    return kDone;
  }
  if (!failure.verdict.faulty()) {
    write_out(fmt::format("{}: no longer fails\n", path));
    return kDone;
  }
  const fuzz::Failure small = fuzz::shrink(failure, secs);
  const std::string& kept = output.empty() ? path : output;
  std::ofstream file(kept);
  file << small.to_json();
  file.close();
  if (!file) bad_use("'{}' cannot be written", kept);
  write_out(fmt::format("{}: {} ({} primitives)\n{}\n\n// C++\n{}\n# Python\n{}", kept,
                        small.verdict.kind, small.primitives(), small.verdict.message, small.cpp(),
                        small.python()));
  return kFailed;
}

}  // namespace tilewright::cli
