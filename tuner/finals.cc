#include "tuner/finals.h"

#include <algorithm>
#include <numeric>

#include "tuner/measure/median.h"

namespace tilewright::tuner {
namespace {

constexpr double kHeatSecs = 0.4;
constexpr double kMostRounds = 25, kLeastRounds = 3;
constexpr double kClearlyFaster = 0.99;

int rounds_for(const std::vector<Finalist>& finalists, const std::vector<size_t>& heat) {
  double secs = 0;
  for (size_t i : heat) secs += std::max(*finalists[i].record.result.median_secs, 0.2e-3);
  return static_cast<int>(std::clamp(kHeatSecs / secs, kLeastRounds, kMostRounds));
}

double paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  return median(std::move(ratios));
}

using Samples = std::vector<std::vector<double>>;

// Times of the finalists in `heat`, in turn; empty when that could not be done.
Samples compare(MeasureDevice& device, const std::vector<Finalist>& finalists,
                const std::vector<size_t>& heat, const Stop& stop) {
  std::vector<int64_t> ids;
  for (size_t i : heat) ids.push_back(finalists[i].id);
  Samples samples = device.compare(ids, rounds_for(finalists, heat), stop);
  if (samples.size() != heat.size()) samples.clear();
  return samples;
}

struct Heat {
  std::vector<size_t> members;  // of the finalists, in order
  Samples samples;              // a row for each

  bool has(size_t i) const { return std::find(members.begin(), members.end(), i) != members.end(); }
  const std::vector<double>& samples_of(size_t i) const {
    const auto at = std::find(members.begin(), members.end(), i);
    return samples.at(static_cast<size_t>(at - members.begin()));
  }
};

// The better half and the first, in the same order: by the median of their ratios to the mean of each round, which takes
// out what changes from round to round.
std::vector<size_t> better_half(const Heat& heat) {
  std::vector<double> mean(heat.samples[0].size(), 0);
  for (const std::vector<double>& row : heat.samples) {
    for (size_t r = 0; r < std::min(mean.size(), row.size()); ++r) mean[r] += row[r];
  }
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < heat.members.size(); ++i) {
    order.emplace_back(paired_ratio(heat.samples[i], mean), heat.members[i]);
  }
  std::sort(order.begin(), order.end());
  order.resize(heat.members.size() / 2);
  std::vector<size_t> rest{heat.members[0]};
  for (const auto& [ratio, i] : order) {
    if (i != heat.members[0]) rest.push_back(i);
  }
  std::sort(rest.begin(), rest.end());
  return rest;
}

}  // namespace

size_t finalist_count(double secs) {
  constexpr double kLeast = 5, kMost = 16, kWantedRounds = 8;
  return static_cast<size_t>(
      std::clamp(kHeatSecs / (kWantedRounds * std::max(secs, 0.2e-3)), kLeast, kMost));
}

FinalOutcome run_finals(MeasureDevice& device, const std::vector<Finalist>& finalists,
                        const std::string& run_id, const Stop& stop) {
  FinalOutcome outcome;
  outcome.median_secs = *finalists[0].record.result.median_secs;
  if (finalists.size() < 2) return outcome;
  std::vector<Heat> heats(1);
  heats[0].members.resize(finalists.size());
  std::iota(heats[0].members.begin(), heats[0].members.end(), size_t{0});
  constexpr size_t kLastHeat = 5;
  while (true) {
    Heat& heat = heats.back();
    heat.samples = compare(device, finalists, heat.members, stop);
    if (heat.samples.empty()) return outcome;
    if (heat.members.size() <= kLastHeat) break;
    heats.push_back({better_half(heat), {}});
  }
  const Heat& last = heats.back();
  double best = kClearlyFaster;
  for (size_t i = 1; i < last.members.size(); ++i) {
    const double ratio = paired_ratio(last.samples[i], last.samples[0]);
    if (ratio < best) {
      best = ratio;
      outcome.winner = last.members[i];
    }
  }
  if (outcome.winner == 0) return outcome;
  const record::TuningRecord& winner = finalists[outcome.winner].record;
  outcome.median_secs =
      std::min(median(last.samples_of(outcome.winner)), *winner.result.median_secs);
  record::FinalComparison final{run_id, winner.id, {}, {}, outcome.median_secs};
  for (size_t i = 0; i < outcome.winner; ++i) {
    const auto met =
        std::find_if(heats.rbegin(), heats.rend(), [&](const Heat& heat) { return heat.has(i); });
    final.beaten.push_back(finalists[i].record.id);
    final.ratios.push_back(paired_ratio(met->samples_of(outcome.winner), met->samples_of(i)));
  }
  outcome.comparison = std::move(final);
  return outcome;
}

}  // namespace tilewright::tuner
