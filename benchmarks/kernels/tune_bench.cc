// What 64 trials of `tune` give, from an empty log: a matmul against the hand-written Goto nest, a conv2d against its
// own default schedule. One thread, in pairs; both go through the commands and libraries that a user gets.
//
//   tune_bench [--json] [--secs S] [--trials N] [--seed N]

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "folder.h"
#include "kernels/compare_kernels.h"
#include "kernels/goto_matmul.h"
#include "tilewright/api/build.h"
#include "tilewright/runtime/module.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;

struct Options {
  bool json = false;
  double secs = 2;
  int trials = 64, seed = 1;
};

void run_command(const std::string& command) {
  const std::string line = std::string(TW_BIN_DIR) + "/" + command + " > /dev/null";
  if (std::system(line.c_str()) != 0) fail("bench.command", "failed: {}", line);
}

runtime::Function load_library(const Folder& folder, const std::string& op,
                               const std::string& log) {
  const std::string path = folder.file(op + (log.empty() ? "_default.so" : "_tuned.so"));
  std::string command = "tilewright compile --op " + op + " --threads 1 -o " + path;
  if (!log.empty()) command += " --require-record --log " + log;
  run_command(command);
  return runtime::Module::load(path).get();
}

std::string tune(const Folder& folder, const std::string& op, const Options& options) {
  const std::string log = folder.file(op + ".jsonl");
  run_command(
      fmt::format("tune --op {} --target cpu --threads 1 --trials {} --seed {} --log {} 2> {}", op,
                  options.trials, options.seed, log, folder.file("progress")));
  return log;
}

ordered_json matmul_row(const Folder& folder, const Options& options) {
  constexpr int kSize = 512;
  const CompiledKernel hand =
      build(kernels::goto_matmul(kernels::matmul_program(kSize, kSize, kSize),
                                 kernels::goto_blocking(Target::host(), kSize, kSize)));
  return compare_kernels("matmul 512, tuned / hand nest",
                         load_library(folder, "matmul", tune(folder, "matmul", options)),
                         hand.function(),
                         {small_integers({kSize, kSize}, 1), small_integers({kSize, kSize}, 2)},
                         {kSize, kSize}, options.secs);
}

ordered_json conv2d_row(const Folder& folder, const Options& options) {
  return compare_kernels("conv2d, tuned / default",
                         load_library(folder, "conv2d", tune(folder, "conv2d", options)),
                         load_library(folder, "conv2d", ""),
                         {small_integers({1, 64, 56, 56}, 1), small_integers({64, 64, 3, 3}, 2)},
                         {1, 64, 56, 56}, options.secs);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--json") {
      options.json = true;
    } else if (arg == "--secs" && i + 1 < argc) {
      options.secs = std::atof(argv[++i]);
    } else if (arg == "--trials" && i + 1 < argc) {
      options.trials = std::atoi(argv[++i]);
    } else if (arg == "--seed" && i + 1 < argc) {
      options.seed = std::atoi(argv[++i]);
    } else {
      fail("bench.usage",
           "bad argument '{}'\nusage: tune_bench [--json] [--secs S] [--trials N] [--seed N]", arg);
    }
  }
  return options;
}

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const Folder folder;
  ordered_json rows = {matmul_row(folder, options), conv2d_row(folder, options)};
  return report_rows("tune", options.trials, options.seed, rows, options.json);
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tune_bench: %s\n", error.what());
    return 1;
  }
}
