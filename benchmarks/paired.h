#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

/// \file
/// Timing in pairs: what is compared runs in turns, so that the machine's drift meets both alike.

namespace tilewright::bench {

inline double now_secs() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double time_secs(const std::function<void()>& run) {
  const double start = now_secs();
  run();
  return now_secs() - start;
}

/// The element at `share` (0 to 1) of the sorted values; NaN-free, not empty.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}
inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

struct Paired {
  std::vector<double> ours_secs, theirs_secs,
      ratios;  ///< ratio: theirs / ours, above 1 we are faster
};

/// One warm-up each, then pairs whose order alternates, for at least `pairs` pairs and `least_secs` seconds.
inline Paired run_paired(const std::function<void()>& ours, const std::function<void()>& theirs,
                         int pairs, double least_secs) {
  ours();
  theirs();
  Paired result;
  const double start = now_secs();
  for (int i = 0; i < pairs || now_secs() - start < least_secs; ++i) {
    double a = 0, b = 0;
    if (i % 2 == 0) {
      a = time_secs(ours);
      b = time_secs(theirs);
    } else {
      b = time_secs(theirs);
      a = time_secs(ours);
    }
    result.ours_secs.push_back(a);
    result.theirs_secs.push_back(b);
    result.ratios.push_back(b / a);
  }
  return result;
}

}  // namespace tilewright::bench
