// What each part of the search is worth: on every task the same number of trials for every seed and variant, the best of
// each run measured again in turns with all others. And how well the cost model ranks schedules of a task that it has
// seen no measurement of.
//
//   ablation_bench [--json] [--trials N] [--seeds N] [--tasks N] [--keep FOLDER]
//   ablation_bench [--json] --from LOG...
//
// --keep leaves the logs in a folder. --from measures nothing and tells how well the models rank what logs hold, of any
// operators, such as `tune --log` writes: models can be worked on without measuring again.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "folder.h"
#include "paired.h"
#include "tilewright/tuner/api/probe.h"
#include "tuner/ranking.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;
using tuner::CostModel;
using tuner::Sketch;

struct Options {
  bool json = false;
  int64_t trials = 64;
  int seeds = 10;
  size_t tasks = 4;
  std::string keep;               // folder for the logs; empty: none
  std::vector<std::string> from;  // logs to rank; empty: measure
};

struct Problem {
  const char* name;
  const char* op;
  ops::TextValues args;
};
const Problem kProblems[] = {
    {"matmul 512", "matmul", {{"m", "512"}, {"n", "512"}, {"k", "512"}}},
    {"conv2d 3x3 56", "conv2d", {}},
    {"matmul 1000x127x640", "matmul", {{"m", "1000"}, {"n", "127"}, {"k", "640"}}},
    {"conv2d 3x3 14", "conv2d", {{"ci", "256"}, {"co", "256"}, {"h", "14"}, {"w", "14"}}},
};

// "random", the search with the analytic model alone, and with both models.
struct Variant {
  const char* name;
  const char* search;
  const char* model;
};
constexpr Variant kVariants[] = {{"random", "random", "xgb"},
                                 {"prior", "evolutionary", "prior"},
                                 {"full", "evolutionary", "xgb"}};
constexpr size_t kRandom = 0, kFull = 2;

// One task in one space.
struct Row {
  std::string task, space;
  std::vector<std::vector<double>> best_secs;  // of variant and seed, measured again
};

// The bests of all runs, measured in turns by one device.
std::vector<double> measure_again(const tuner::TuneTask& task,
                                  const std::vector<schedule::Trace>& traces) {
  constexpr int kRounds = 15;
  const auto never = [] { return false; };
  const std::unique_ptr<tuner::MeasureDevice> device =
      tuner::make_worker_device({.program_folder = TW_BIN_DIR});
  device->prepare(task.measure, never);
  std::vector<int64_t> ids;
  for (size_t i = 0; i < traces.size(); ++i) {
    ids.push_back(static_cast<int64_t>(i));
    device->submit({ids.back(), traces[i]});
    const auto result = device->next(never);
    if (!result || result->measurement.status != record::Status::kOk) {
      fail("bench.remeasure", "the best of a run failed when it was measured again: {}",
           result ? result->measurement.reason : "no answer");
    }
  }
  device->keep(ids);
  std::vector<double> medians;
  for (const std::vector<double>& secs : device->compare(ids, kRounds, never)) {
    medians.push_back(median(secs));
  }
  if (medians.size() != ids.size()) fail("bench.remeasure", "the bests could not be compared");
  return medians;
}

// For names of files.
long task_number(const Problem& problem) { return &problem - kProblems + 1; }  // NOLINT

Row run_task(const Problem& problem, const std::string& space_name, const Options& options,
             const std::string& folder, LogSubjects& subjects) {
  const ops::OpInstance op = ops::instantiate(problem.op, problem.args);
  const tuner::TuneTask task = tuner::operator_task(op, Target::host(), 1);
  const std::vector<Sketch> sketches =
      space_name == "template"
          ? tuner::operator_sketches(op)
          : tuner::generated_sketches(task.measure.func, task.measure.target, 1);
  Row row{problem.name, space_name, {}};
  const auto seeds = static_cast<size_t>(options.seeds);
  std::vector<schedule::Trace> bests(std::size(kVariants) * seeds);
  // Variants in turns, so that a machine that is busy for a while does not slow down one of them.
  for (int seed = 0; seed < options.seeds; ++seed) {
    for (const Variant& variant : kVariants) {
      const std::string log = fmt::format("{}/{}-{}-{}-{}.jsonl", folder, task_number(problem),
                                          space_name, variant.name, seed + 1);
      std::filesystem::remove(log);
      tuner::TuneOptions tuning;
      tuning.max_trials = options.trials;
      tuning.seed = static_cast<uint64_t>(seed) + 1;
      tuning.search = variant.search;
      tuning.model = variant.model;
      tuning.log_path = log;
      tuning.speeds = tuner::host_speeds().speeds;
      const tuner::TuneResult result =
          tuner::tune(task, sketches, tuning, {.program_folder = TW_BIN_DIR});
      if (!result.best) fail("bench.no_best", "{}: no valid trial", problem.name);
      const auto place = static_cast<size_t>(&variant - kVariants) * seeds;
      bests[place + static_cast<size_t>(seed)] = result.best->trace;
      subjects.add(log, problem.name);
      std::fprintf(stderr, "ablation: %s, %s, %s, seed %d: %.3f ms\n", problem.name,
                   space_name.c_str(), variant.name, seed + 1, result.best_secs * 1e3);
    }
  }
  const std::vector<double> secs = measure_again(task, bests);
  for (size_t v = 0; v < std::size(kVariants); ++v) {
    const auto begin = secs.begin() + static_cast<int64_t>(v) * options.seeds;
    row.best_secs.emplace_back(begin, begin + options.seeds);
  }
  return row;
}

// How the models rank a subject; the learned one has seen the measurements of every other task.
ordered_json ranking(const Subject& subject, const std::vector<Subject>& subjects) {
  const std::unique_ptr<CostModel> prior = tuner::make_prior_model(),
                                   held_out = tuner::make_xgb_model();
  size_t seen = 0;
  for (const Subject& other : subjects) {
    if (other.task == subject.task) continue;
    for (const Sample& sample : other.samples) held_out->learn(sample.features, sample.secs);
    seen += other.samples.size();
  }
  const auto to_json = [](const Ranking& r) {
    return ordered_json{
        {"spearman", r.spearman}, {"recall_at_8", r.recall_at_8}, {"loss_at_8", r.loss_at_8}};
  };
  ordered_json result;
  result["prior"] = to_json(rank(*prior, subject));
  result["held_out"] = to_json(rank(*held_out, subject));
  result["held_out"]["trained_on"] = seen;
  return result;
}

ordered_json to_json(const Row& row) {
  ordered_json result = {{"task", row.task}, {"space", row.space}};
  for (size_t v = 0; v < std::size(kVariants); ++v) {
    std::vector<double> ms;
    for (double secs : row.best_secs[v]) ms.push_back(secs * 1e3);
    result["best_ms"][kVariants[v].name] = ms;
    result["median_best_ms"][kVariants[v].name] = median(ms);
  }
  for (size_t v = 1; v < std::size(kVariants); ++v) {
    int wins = 0;
    for (size_t s = 0; s < row.best_secs[v].size(); ++s) {
      wins += row.best_secs[v][s] < row.best_secs[kRandom][s];
    }
    result["wins_over_random"][kVariants[v].name] = wins;
  }
  result["seeds"] = row.best_secs[kFull].size();
  return result;
}

int64_t number(const std::string& text, int64_t most) {
  char* end = nullptr;
  const int64_t value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || *end != '\0' || value < 1 || value > most) {
    fail("bench.usage", "'{}' is no number from 1 to {}", text, most);
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--json") {
      options.json = true;
    } else if (arg == "--trials" && i + 1 < argc) {
      options.trials = number(argv[++i], 10'000);
    } else if (arg == "--seeds" && i + 1 < argc) {
      options.seeds = static_cast<int>(number(argv[++i], 100));
    } else if (arg == "--tasks" && i + 1 < argc) {
      options.tasks = static_cast<size_t>(number(argv[++i], std::size(kProblems)));
    } else if (arg == "--keep" && i + 1 < argc) {
      options.keep = argv[++i];
    } else if (arg == "--from" && i + 1 < argc) {
      while (i + 1 < argc && argv[i + 1][0] != '-') options.from.emplace_back(argv[++i]);
    } else {
      fail("bench.usage",
           "bad argument '{}'\nusage: ablation_bench [--json] [--trials N] [--seeds N] [--tasks N] "
           "[--keep FOLDER], or ablation_bench [--json] --from LOG...",
           arg);
    }
  }
  return options;
}

void print(const ordered_json& row) {
  std::printf("%-20s %-9s", row["task"].get<std::string>().c_str(),
              row["space"].get<std::string>().c_str());
  if (row.contains("seeds")) {
    for (const Variant& variant : kVariants) {
      std::printf(" %s %.3f ms", variant.name, row["median_best_ms"][variant.name].get<double>());
    }
    std::printf("; full beats random in %d of %d;", row["wins_over_random"]["full"].get<int>(),
                row["seeds"].get<int>());
  }
  const auto figure = [&](const char* model, const char* name) {
    return row[model][name].get<double>();
  };
  std::printf(" Spearman prior %.2f, held-out %.2f; recall@8 %.2f, %.2f; loss@8 %.2f, %.2f\n",
              figure("prior", "spearman"), figure("held_out", "spearman"),
              figure("prior", "recall_at_8"), figure("held_out", "recall_at_8"),
              figure("prior", "loss_at_8"), figure("held_out", "loss_at_8"));
}

void report(const Options& options, ordered_json rows) {
  if (!options.json) {
    for (const ordered_json& row : rows) print(row);
    return;
  }
  const ordered_json all = {{"trials", options.trials}, {"rows", std::move(rows)}};
  std::printf("%s\n", all.dump().c_str());
}

void rank_logs(const Options& options) {
  LogSubjects logs(tuner::host_speeds().speeds);
  for (const std::string& path : options.from) logs.add(path);
  const std::vector<Subject> subjects = logs.take();
  ordered_json rows = ordered_json::array();
  for (const Subject& subject : subjects) {
    if (subject.random_runs.empty()) continue;
    ordered_json row = {{"task", subject.task}, {"space", subject.space}};
    row.update(ranking(subject, subjects));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    fail("bench.logs", "the logs hold no random search of an operator, measured on one thread");
  }
  report(options, std::move(rows));
}

void run(const Options& options) {
  if (!options.from.empty()) return rank_logs(options);
  const Folder temporary;
  const std::string folder = options.keep.empty() ? temporary.file("") : options.keep;
  std::filesystem::create_directories(folder);
  LogSubjects logs(tuner::host_speeds().speeds);
  ordered_json rows = ordered_json::array();
  for (size_t i = 0; i < options.tasks; ++i) {
    for (const char* space : {"template", "generated"}) {
      rows.push_back(to_json(run_task(kProblems[i], space, options, folder, logs)));
    }
  }
  const std::vector<Subject> subjects = logs.take();
  for (const Subject& subject : subjects) {
    for (ordered_json& row : rows) {
      if (row["task"] == subject.task && row["space"] == subject.space) {
        row.update(ranking(subject, subjects));
      }
    }
  }
  report(options, std::move(rows));
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    tilewright::bench::run(tilewright::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ablation_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
