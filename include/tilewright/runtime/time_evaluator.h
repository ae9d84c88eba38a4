#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tilewright/runtime/function.h"

namespace tilewright::runtime {

struct TimeOptions {
  /// Calls per sample; a sample is their mean.
  int number = 1;
  /// Samples.
  int repeat = 5;
  /// `number` grows until one sample takes at least this long. 0: leave `number` as it is.
  double min_repeat_ms = 0;
  /// Untimed calls before the first sample.
  int warmup = 1;
  /// Cold cache: before every timed call a block of `flush_bytes` is written. `number` must be 1 and
  /// `min_repeat_ms` 0.
  bool flush_cache = false;
  int64_t flush_bytes = int64_t{64} << 20;
  CallOptions call = {};
};

struct TimeResult {
  std::vector<double> samples_secs;  ///< seconds per call, in the order measured
  int number = 1;                    ///< calls per sample that were used

  double min_secs() const;
  double median_secs() const;
  double mean_secs() const;
};

/// Times calls of `function` with one argument per parameter, on a monotonic clock. Arguments are
/// marshalled and the workspace is allocated outside the timed part; outputs are overwritten.
/// Throws what `Function::call` throws, and Error time.bad_option.
TimeResult time_evaluator(const Function& function, std::span<const Arg> args,
                          const TimeOptions& options = {});

}  // namespace tilewright::runtime
