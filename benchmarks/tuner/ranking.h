#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tilewright/ops/definition.h"
#include "tilewright/record/log.h"
#include "tilewright/tuner/api/tune_operator.h"
#include "tilewright/tuner/cost_model/cost_model.h"
#include "tilewright/tuner/space/generated.h"

/// \file
/// How well a cost model ranks measured schedules, as logs hold them.

namespace tilewright::bench {

/// A measured schedule: what a model sees of it, and what it took.
struct Sample {
  tuner::NestFeatures features;
  double secs = 0;
};

/// What logs hold of one task in one space ("template" or "generated").
struct Subject {
  std::string task, space;
  std::vector<Sample> samples;                   ///< each schedule once, with its least time
  std::vector<std::vector<size_t>> random_runs;  ///< the samples that each random run has met
};

/// Ranks of the values, ties by their mean; the least has rank 0.
inline std::vector<double> ranks(const std::vector<double>& values) {
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

/// Spearman's rank correlation, ties by their mean rank; 0 where one side does not vary.
inline double spearman(const std::vector<double>& a, const std::vector<double>& b) {
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
  double spearman = 0;
  double recall_at_8 =
      0;  ///< share of random runs whose fastest is among the eight that the model likes best
  double loss_at_8 =
      0;  ///< how much slower the fastest of those eight is than the run's, mean over the runs
};

/// Over the random runs, which no model had a hand in.
inline Ranking rank(tuner::CostModel& model, const Subject& subject) {
  constexpr double kTop = 8;
  std::vector<size_t> drawn;
  for (const auto& run : subject.random_runs) drawn.insert(drawn.end(), run.begin(), run.end());
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  std::vector<tuner::NestFeatures> features;
  for (const Sample& sample : subject.samples) features.push_back(sample.features);
  const std::vector<double> guesses = model.predict(features);
  std::vector<double> predicted, measured;
  for (size_t i : drawn) {
    predicted.push_back(guesses[i]);
    measured.push_back(subject.samples[i].secs);
  }
  Ranking result;
  result.spearman = spearman(predicted, measured);
  const auto runs = static_cast<double>(std::max<size_t>(1, subject.random_runs.size()));
  for (const std::vector<size_t>& run : subject.random_runs) {
    std::vector<double> guessed, secs;
    for (size_t i : run) {
      guessed.push_back(guesses[i]);
      secs.push_back(subject.samples[i].secs);
    }
    const std::vector<double> order = ranks(guessed);
    const double best = *std::min_element(secs.begin(), secs.end());
    double found = INFINITY;
    for (size_t i = 0; i < run.size(); ++i) {
      if (order[i] < kTop) found = std::min(found, secs[i]);
    }
    result.recall_at_8 += (found == best ? 1 : 0) / runs;
    result.loss_at_8 += (found / best - 1) / runs;
  }
  return result;
}

/// Sorts the measurements of logs by task and space. Only operators of the library, measured for this machine's own
/// kind of target on one thread; what is of no such task, or replays to another program now, is left out.
class LogSubjects {
 public:
  explicit LogSubjects(tuner::MachineSpeeds speeds) : speeds_(speeds) {}

  /// `name`: for the tasks in the log; empty: their keys.
  void add(const std::string& path, const std::string& name = "") {
    for (const record::TuningRecord& record : record::read_log(path).records) {
      add_record(record, name.empty() ? record.task_key : name);
    }
  }
  /// Subjects in the order in which they were first met.
  std::vector<Subject> take() {
    std::vector<Subject> subjects;
    for (Entry& entry : entries_) {
      for (auto& [id, run] : entry.runs) entry.subject.random_runs.push_back(std::move(run));
      if (!entry.subject.samples.empty()) subjects.push_back(std::move(entry.subject));
    }
    return subjects;
  }

 private:
  struct Entry {
    std::string key;
    tuner::Space space;
    Subject subject;
    std::map<std::string, size_t> known = {};  // by program
    std::map<std::string, std::vector<size_t>> runs = {};
  };

  void add_record(const record::TuningRecord& record, const std::string& name) {
    if (record.result.status != record::Status::kOk || record.search.origin == "default") return;
    if (record.task.op.empty() || record.exec.threads != 1) return;
    const std::string space =
        record.trace.sketch.starts_with("generated.") ? "generated" : "template";
    Entry& entry = entry_of(record, space, name);
    auto at = entry.known.find(record.trace.hash);
    const double secs = record.result.min_secs.value_or(*record.result.median_secs);
    if (at == entry.known.end()) {
      const auto found = entry.space.find(record.trace);
      if (!found) return;
      at = entry.known.emplace(record.trace.hash, entry.subject.samples.size()).first;
      entry.subject.samples.push_back(
          {tuner::analyze_nest(found->second.func, entry.space.target(), speeds_, 1), secs});
    }
    Sample& sample = entry.subject.samples[at->second];
    sample.secs = std::min(sample.secs, secs);
    if (record.search.origin == "random" || record.search.origin == "grid") {
      entry.runs[record.search.run].push_back(at->second);
    }
  }

  Entry& entry_of(const record::TuningRecord& record, const std::string& space,
                  const std::string& name) {
    const std::string key = record.task_key + " " + space;
    for (Entry& entry : entries_) {
      if (entry.key == key) return entry;
    }
    const ops::OpInstance op = ops::instantiate(record.task.op, record.task.args);
    const tuner::TuneTask task = tuner::operator_task(op, Target::host(), 1);
    std::vector<tuner::Sketch> sketches =
        space == "template" ? tuner::operator_sketches(op)
                            : tuner::generated_sketches(task.measure.func, task.measure.target, 1);
    entries_.push_back(
        {key,
         tuner::Space(task.measure.func, task.measure.target, 1, std::move(sketches)),
         {name, space, {}, {}}});
    return entries_.back();
  }

  tuner::MachineSpeeds speeds_;
  std::vector<Entry> entries_;
};

}  // namespace tilewright::bench
