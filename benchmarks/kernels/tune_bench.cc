// What 64 trials of `tune` give, from an empty log: a matmul against the hand-written Goto nest, a conv2d against its
// own default schedule. One thread, in pairs; both go through the commands and libraries that a user gets.
//
//   tune_bench [--json] [--secs S] [--trials N] [--seed N]

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/goto_matmul.h"
#include "paired.h"
#include "tilewright/api/build.h"
#include "tilewright/runtime/module.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;
using runtime::Arg;
using runtime::NDArray;

struct Options {
  bool json = false;
  double secs = 2;
  int trials = 64, seed = 1;
};

// A folder for log and libraries, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tw-tune-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) fail("bench.folder", "cannot make a folder like {}", name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
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

NDArray small_integers(std::vector<int64_t> shape, int salt) {
  NDArray array = NDArray::empty(std::move(shape), kFloat32);
  for (int64_t i = 0; i < array.num_elements(); ++i) {
    array.data_as<float>()[i] = static_cast<float>((i * 7 + salt) % 11 - 5);
  }
  return array;
}

// Times `ours` against `theirs` on the same inputs; both must give the same numbers.
ordered_json compare(const std::string& name, runtime::Function ours, runtime::Function theirs,
                     const std::vector<NDArray>& inputs, const std::vector<int64_t>& shape,
                     double secs) {
  const NDArray a = NDArray::zeros(shape, kFloat32), b = NDArray::zeros(shape, kFloat32);
  std::vector<Arg> our_args(inputs.begin(), inputs.end()), their_args = our_args;
  our_args.emplace_back(a);
  their_args.emplace_back(b);
  runtime::CallOptions one_thread;
  one_thread.num_threads = 1;
  runtime::PreparedCall our_call(ours, our_args, one_thread);
  runtime::PreparedCall their_call(theirs, their_args, one_thread);
  const Paired paired = run_paired([&] { our_call.run(); }, [&] { their_call.run(); }, 21, secs);
  int64_t wrong = 0;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    wrong += a.data_as<float>()[i] != b.data_as<float>()[i];
  }
  return {{"name", name},
          {"pairs", paired.ratios.size()},
          {"ratio", median(paired.ratios)},
          {"ratio_quartiles", {quantile(paired.ratios, 0.25), quantile(paired.ratios, 0.75)}},
          {"ms", median(paired.ours_secs) * 1e3},
          {"other_ms", median(paired.theirs_secs) * 1e3},
          {"wrong_elements", wrong}};
}

ordered_json matmul_row(const Folder& folder, const Options& options) {
  constexpr int kSize = 512;
  const CompiledKernel hand =
      build(kernels::goto_matmul(kernels::matmul_program(kSize, kSize, kSize),
                                 kernels::goto_blocking(Target::host(), kSize, kSize)));
  return compare("matmul 512, tuned / hand nest",
                 load_library(folder, "matmul", tune(folder, "matmul", options)), hand.function(),
                 {small_integers({kSize, kSize}, 1), small_integers({kSize, kSize}, 2)},
                 {kSize, kSize}, options.secs);
}

ordered_json conv2d_row(const Folder& folder, const Options& options) {
  return compare("conv2d, tuned / default",
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
  int status = 0;
  for (const ordered_json& row : rows) {
    const bool wrong = row["wrong_elements"] != 0;
    status |= wrong;
    if (options.json) continue;
    std::printf("%-30s ratio %7.3f (%.3f .. %.3f)  %8.3f ms against %8.3f ms%s\n",
                row["name"].get<std::string>().c_str(), row["ratio"].get<double>(),
                row["ratio_quartiles"][0].get<double>(), row["ratio_quartiles"][1].get<double>(),
                row["ms"].get<double>(), row["other_ms"].get<double>(),
                wrong ? "  WRONG RESULT" : "");
  }
  if (options.json) {
    const ordered_json report = {{"bench", "tune"},
                                 {"trials", options.trials},
                                 {"seed", options.seed},
                                 {"target", Target::host().to_string()},
                                 {"rows", rows}};
    std::printf("%s\n", report.dump().c_str());
  }
  return status;
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
