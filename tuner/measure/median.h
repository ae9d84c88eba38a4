#pragma once

#include <algorithm>
#include <vector>

namespace tilewright::tuner {

/// The middle value, or the mean of the middle two; of at least one sample.
inline double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t half = samples.size() / 2;
  return samples.size() % 2 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

}  // namespace tilewright::tuner
