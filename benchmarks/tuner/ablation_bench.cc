// What each part of the search is worth: on every task the same number of trials for every seed and variant, the best of
// each run measured again in turns with all others. And how well the cost model ranks schedules of a task that it has
// seen no measurement of.
//
//   ablation_bench [--json] [--trials N] [--seeds N] [--tasks N]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "folder.h"
#include "paired.h"
#include "tilewright/ops/definition.h"
#include "tilewright/record/log.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/space/generated.h"
#include "tilewright/tuner/tune.h"

namespace tilewright::bench {
namespace {

using nlohmann::ordered_json;
using tuner::CostModel;
using tuner::NestFeatures;
using tuner::Sketch;
using tuner::Space;

struct Options {
  bool json = false;
  int64_t trials = 64;
  int seeds = 10;
  size_t tasks = 4;
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

// A measured schedule: what the model sees of it, and what it took.
struct Sample {
  NestFeatures features;
  double secs = 0;
};

// One task in one space.
struct Row {
  std::string task, space;
  std::vector<std::vector<double>> best_secs;       // of variant and seed, measured again
  std::vector<std::vector<Sample>> random_samples;  // of every random run
  std::vector<Sample> all_samples;
};

std::vector<Sample> samples_of(const std::string& log, const Space& space) {
  std::vector<Sample> samples;
  for (const record::TuningRecord& record : record::read_log(log).records) {
    if (record.result.status != record::Status::kOk || record.search.origin == "default") continue;
    const auto found = space.find(record.trace);
    if (!found) continue;
    samples.push_back({tuner::analyze_nest(found->second.func, space.target(), {}, space.threads()),
                       *record.result.median_secs});
  }
  return samples;
}

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

Row run_task(const Problem& problem, const std::string& space_name, const Options& options,
             const Folder& folder) {
  const ops::OpInstance op = ops::instantiate(problem.op, problem.args);
  const tuner::TuneTask task = tuner::operator_task(op, Target::host(), 1);
  const std::vector<Sketch> sketches =
      space_name == "template"
          ? tuner::operator_sketches(op)
          : tuner::generated_sketches(task.measure.func, task.measure.target, 1);
  const Space space(task.measure.func, task.measure.target, 1, sketches);
  Row row{problem.name, space_name, {}, {}, {}};
  std::vector<schedule::Trace> bests;
  for (const Variant& variant : kVariants) {
    for (int seed = 0; seed < options.seeds; ++seed) {
      const std::string log = folder.file("run.jsonl");
      std::filesystem::remove(log);
      tuner::TuneOptions tuning;
      tuning.max_trials = options.trials;
      tuning.seed = static_cast<uint64_t>(seed) + 1;
      tuning.search = variant.search;
      tuning.model = variant.model;
      tuning.log_path = log;
      const tuner::TuneResult result =
          tuner::tune(task, sketches, tuning, {.program_folder = TW_BIN_DIR});
      if (!result.best) fail("bench.no_best", "{}: no valid trial", problem.name);
      bests.push_back(result.best->trace);
      std::vector<Sample> samples = samples_of(log, space);
      row.all_samples.insert(row.all_samples.end(), samples.begin(), samples.end());
      if (&variant == &kVariants[kRandom]) row.random_samples.push_back(std::move(samples));
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

// ---- how well a model ranks -----------------------------------------------------------------------------------

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t j = i; j < end; ++j) result[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return result;
}

// Spearman's rank correlation, ties by their mean rank; 0 where one side does not vary.
double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

struct Ranking {
  double spearman = 0, recall_at_8 = 0;
};

// Over the random runs, which no model had a hand in: the correlation over all their schedules, and the share of runs
// whose fastest schedule is among the eight that the model likes best.
Ranking rank(CostModel& model, const std::vector<std::vector<Sample>>& runs) {
  constexpr size_t kTop = 8;
  std::vector<double> predicted, measured;
  int found = 0;
  for (const std::vector<Sample>& run : runs) {
    std::vector<NestFeatures> features;
    for (const Sample& sample : run) features.push_back(sample.features);
    const std::vector<double> guesses = model.predict(features);
    size_t fastest = 0;
    for (size_t i = 0; i < run.size(); ++i) {
      predicted.push_back(guesses[i]);
      measured.push_back(run[i].secs);
      if (run[i].secs < run[fastest].secs) fastest = i;
    }
    found += !run.empty() && ranks(guesses)[fastest] < static_cast<double>(kTop);
  }
  return {spearman(predicted, measured),
          static_cast<double>(found) / static_cast<double>(runs.size())};
}

ordered_json to_json(const Row& row, const std::vector<Row>& rows) {
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
  // The learned model sees the measurements of every other task.
  const std::unique_ptr<CostModel> prior = tuner::make_prior_model(),
                                   held_out = tuner::make_xgb_model();
  size_t seen = 0;
  for (const Row& other : rows) {
    if (other.task == row.task) continue;
    for (const Sample& sample : other.all_samples) held_out->learn(sample.features, sample.secs);
    seen += other.all_samples.size();
  }
  const Ranking by_prior = rank(*prior, row.random_samples),
                by_model = rank(*held_out, row.random_samples);
  result["prior"] = {{"spearman", by_prior.spearman}, {"recall_at_8", by_prior.recall_at_8}};
  result["held_out"] = {
      {"trained_on", seen}, {"spearman", by_model.spearman}, {"recall_at_8", by_model.recall_at_8}};
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
    } else {
      fail("bench.usage",
           "bad argument '{}'\nusage: ablation_bench [--json] [--trials N] [--seeds N] [--tasks N]",
           arg);
    }
  }
  return options;
}

void print(const ordered_json& row) {
  std::printf("%-20s %-9s", row["task"].get<std::string>().c_str(),
              row["space"].get<std::string>().c_str());
  for (const Variant& variant : kVariants) {
    std::printf(" %s %.3f ms", variant.name, row["median_best_ms"][variant.name].get<double>());
  }
  std::printf(
      "; full beats random in %d of %d; Spearman prior %.2f, held-out %.2f; recall@8 %.2f\n",
      row["wins_over_random"]["full"].get<int>(), row["seeds"].get<int>(),
      row["prior"]["spearman"].get<double>(), row["held_out"]["spearman"].get<double>(),
      row["held_out"]["recall_at_8"].get<double>());
}

void run(const Options& options) {
  const Folder folder;
  std::vector<Row> rows;
  for (size_t i = 0; i < options.tasks; ++i) {
    const Problem& problem = kProblems[i];
    for (const char* space : {"template", "generated"}) {
      rows.push_back(run_task(problem, space, options, folder));
    }
  }
  ordered_json report = {{"trials", options.trials}, {"rows", ordered_json::array()}};
  for (const Row& row : rows) {
    report["rows"].push_back(to_json(row, rows));
    if (!options.json) print(report["rows"].back());
  }
  if (options.json) std::printf("%s\n", report.dump().c_str());
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
