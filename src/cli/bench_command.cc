#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/bench_arguments.h"
#include "cli/commands.h"
#include "cli/parsing.h"
#include "tilewright/runtime/module.h"
#include "tilewright/runtime/parallel.h"
#include "tilewright/runtime/time_evaluator.h"

namespace tilewright::cli {
namespace {

constexpr int kRepeat = 11;
constexpr double kMinRepeatMs = 20;

struct Options {
  std::string library;
  std::vector<std::string> sizes;
  std::string threads, repeat;
  bool json = false;
};

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app("Times every function of a compiled library on random data.", "tilewright bench");
  app.add_option("library", options.library, "library made by tilewright compile")->type_name("");
  app.add_option("--threads", options.threads, "threads of a call [all cores]")->type_name("N");
  app.add_option("--size", options.sizes, "value of a symbolic size, as in --size n=512")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--repeat", options.repeat, "samples, each the mean of calls for 20 ms [11]")
      ->type_name("N");
  app.add_flag("--json", options.json, "print one line of JSON");
  const std::vector<std::string> remaining = parse(app, arguments);
  if (!remaining.empty()) refuse_argument(app, remaining[0]);
  if (options.library.empty()) bad_use("the library is missing: tilewright bench libmm.so");
  return options;
}

runtime::SizeMap parse_sizes(const std::vector<std::string>& texts) {
  runtime::SizeMap sizes;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      bad_use("--size: expected NAME=NUMBER; got '{}'", text);
    }
    sizes[text.substr(0, equals)] = number<int64_t>("--size", text.substr(equals + 1), 0,
                                                    int64_t{1} << 40, "NAME=NUMBER, 0 or more");
  }
  return sizes;
}

struct Row {
  std::string name;
  runtime::TimeResult time;
  double operation_count = 0;
  std::vector<std::string> records;

  double gflops() const { return operation_count / time.median_secs() / 1e9; }
};

std::string table(const std::vector<Row>& rows, int threads) {
  std::string text = fmt::format("{:<24} {:>12} {:>12} {:>10} {:>8}\n", "function", "median ms",
                                 "min ms", "GFLOP/s", "threads");
  for (const Row& row : rows) {
    text +=
        fmt::format("{:<24} {:>12.4f} {:>12.4f} {:>10} {:>8}\n", row.name,
                    row.time.median_secs() * 1e3, row.time.min_secs() * 1e3,
                    row.operation_count > 0 ? fmt::format("{:.2f}", row.gflops()) : "-", threads);
  }
  return text;
}

std::string json_line(const std::vector<Row>& rows, int threads, const std::string& library,
                      const runtime::LibraryInfo& info) {
  nlohmann::ordered_json json;
  json["library"] = library;
  json["target"] = info.target;
  json["threads"] = threads;
  json["functions"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json entry;
    entry["name"] = row.name;
    entry["median_ms"] = row.time.median_secs() * 1e3;
    entry["min_ms"] = row.time.min_secs() * 1e3;
    entry["gflops"] = nullptr;
    if (row.operation_count > 0) entry["gflops"] = row.gflops();
    entry["samples"] = row.time.samples_secs.size();
    entry["calls_per_sample"] = row.time.number;
    entry["records"] = row.records;
    json["functions"].push_back(std::move(entry));
  }
  return json.dump() + "\n";
}

}  // namespace

int run_bench(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  const int threads = thread_count(options.threads, runtime::default_num_threads());
  const runtime::SizeMap sizes = parse_sizes(options.sizes);
  runtime::TimeOptions timing;
  timing.repeat = options.repeat.empty() ? kRepeat
                                         : number<int>("--repeat", options.repeat, 1, 1'000'000,
                                                       "a number of samples, 1 or more");
  timing.min_repeat_ms = kMinRepeatMs;
  timing.call.num_threads = threads;
  const runtime::Module module = runtime::Module::load(options.library);
  std::vector<Row> rows;
  for (const runtime::FunctionInfo& info : module.info().functions) {
    const std::vector<runtime::Arg> args = make_bench_arguments(info, sizes);
    rows.push_back({info.name, runtime::time_evaluator(module.get(info.name), args, timing),
                    info.operation_count, info.records});
  }
  write_out(options.json ? json_line(rows, threads, options.library, module.info())
                         : table(rows, threads));
  return kDone;
}

}  // namespace tilewright::cli
