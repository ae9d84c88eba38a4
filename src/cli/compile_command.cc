#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/choose_schedule.h"
#include "cli/commands.h"
#include "cli/op_options.h"
#include "tilewright/api/library.h"

namespace tilewright::cli {
namespace {

struct Options {
  OpOptions op;
  std::string target = "cpu", threads, log, emit = "so", output;
  bool require_record = false;
};

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(
      "Compiles an operator into a library with a C header. The schedule is the best\n"
      "record of the log for these parameters, this target and this number of threads,\n"
      "or the default schedule.",
      "tilewright compile");
  add_op_options(app, arguments, options.op);
  app.add_option("--log", options.log, "log of measurements, as tune writes it")->type_name("FILE");
  app.add_flag("--require-record", options.require_record,
               "fail when the log has no record to use");
  app.add_option("--target", options.target, "what to compile for [cpu: this machine]")
      ->type_name("TARGET");
  app.add_option("--threads", options.threads, "records measured with so many threads [all cores]")
      ->type_name("N");
  app.add_option("--emit", options.emit,
                 "so (shared library), obj (object file, needs no linker), llvm or asm [so]")
      ->type_name("KIND");
  app.add_option("-o,--output", options.output,
                 "file to write [lib<op>.so]; the header is beside it")
      ->type_name("FILE");
  check_op_arguments(app, parse(app, arguments), options.op);
  if (options.require_record && options.log.empty()) bad_use("--require-record needs --log");
  return options;
}

LibraryFormat parse_format(const std::string& word) {
  try {
    return parse_library_format(word);
  } catch (const Error& error) {
    bad_use("--emit: {}", error.what());
  }
}

std::string default_output(const std::string& op, LibraryFormat format) {
  switch (format) {
    case LibraryFormat::kSharedLibrary: return "lib" + op + ".so";
    case LibraryFormat::kObject: return op + ".o";
    case LibraryFormat::kLlvm: return op + ".ll";
    case LibraryFormat::kAsm: break;
  }
  return op + ".s";
}

// A log or a path that cannot be used is bad use; the rest is a failure.
template <typename Action>
auto as_bad_use(const std::string& code_prefix, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    if (!error.code().starts_with(code_prefix)) throw;
    bad_use("{}", error.what());
  }
}

}  // namespace

int run_compile(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  const Target target = cpu_target(options.target);
  const int threads = thread_count(options.threads, Target::host().cores);
  LibraryOptions library_options;
  library_options.format = parse_format(options.emit);
  const ops::OpInstance op = instantiate(options.op);
  const std::string output =
      options.output.empty() ? default_output(op.op, library_options.format) : options.output;
  std::error_code ignored;
  if (!options.log.empty() && std::filesystem::equivalent(output, options.log, ignored)) {
    bad_use("-o {}: that is the log; the library needs a file of its own", output);
  }

  const ScheduleChoice choice = as_bad_use("log.", [&] {
    return choose_schedule(op, target, threads, options.log, options.require_record);
  });
  if (!choice.warning.empty()) write_note("warning", choice.warning);
  LibraryFunction function(choice.schedule);
  function.operation_count = op.operation_count;
  if (choice.record) function.records.push_back(choice.record->id);
  const LibraryFiles files = as_bad_use(
      "library.", [&] { return compile_library({function}, output, target, library_options); });

  write_out(fmt::format("{}: {}\n", files.library, choice.reason));
  if (!files.header.empty()) {
    write_out(fmt::format("{}: {}\n", files.header, files.info.functions.at(0).signature()));
  }
  return kDone;
}

}  // namespace tilewright::cli
