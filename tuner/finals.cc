#include "tuner/finals.h"

#include <algorithm>

#include "tuner/measure/median.h"

namespace tilewright::tuner {
namespace {

constexpr double kFinalSecs = 0.5;
constexpr double kClearlyFaster = 0.99;

int rounds_for(const std::vector<Finalist>& finalists) {
  double secs = 0;
  for (const Finalist& f : finalists) secs += std::max(*f.record.result.median_secs, 0.2e-3);
  return static_cast<int>(std::clamp(kFinalSecs / secs, 3.0, 25.0));
}

double paired_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) ratios.push_back(a[i] / b[i]);
  return median(std::move(ratios));
}

}  // namespace

FinalOutcome run_finals(MeasureDevice& device, const std::vector<Finalist>& finalists,
                        const std::string& run_id, const Stop& stop) {
  FinalOutcome outcome;
  outcome.median_secs = *finalists[0].record.result.median_secs;
  if (finalists.size() < 2) return outcome;
  std::vector<int64_t> ids;
  for (const Finalist& finalist : finalists) ids.push_back(finalist.id);
  const std::vector<std::vector<double>> samples = device.compare(ids, rounds_for(finalists), stop);
  if (samples.size() != finalists.size()) return outcome;
  double best = kClearlyFaster;
  for (size_t i = 1; i < samples.size(); ++i) {
    const double ratio = paired_ratio(samples[i], samples[0]);
    if (ratio < best) {
      best = ratio;
      outcome.winner = i;
    }
  }
  if (outcome.winner == 0) return outcome;
  outcome.median_secs = std::min(median(samples[outcome.winner]),
                                 *finalists[outcome.winner].record.result.median_secs);
  record::FinalComparison final{
      run_id, finalists[outcome.winner].record.id, {}, {}, outcome.median_secs};
  for (size_t i = 0; i < outcome.winner; ++i) {
    final.beaten.push_back(finalists[i].record.id);
    final.ratios.push_back(paired_ratio(samples[outcome.winner], samples[i]));
  }
  outcome.comparison = std::move(final);
  return outcome;
}

}  // namespace tilewright::tuner
