#pragma once

#include "tilewright/api/build.h"
#include "tilewright/target/target.h"

namespace tilewright::tuner {

/// What the machine is measured with. Float32 throughout.
struct ProbeKernels {
  static constexpr int64_t kDepth = 256, kRepeats = 64, kRows = 6, kColumnVectors = 2;
  static constexpr int64_t kSweepVectors = 8;

  /// (A[kDepth, kRows], B[kDepth, kColumnVectors * lanes]) -> C[kRepeats, kRows, kColumnVectors * lanes]: the product
  /// of a register tile, again and again; operands and result fit the first-level cache.
  CompiledKernel multiply_adds;
  /// A[slices, n, kSweepVectors, lanes] -> B[slices, kSweepVectors, lanes]: sums over n, so that A is read once from end
  /// to end; by one core, or the slices by all.
  CompiledKernel sweep, parallel_sweep;
  /// X[n] -> Y[n], an element an iteration.
  CompiledKernel loop, parallel_loop;
};

/// Compiles them for this process.
ProbeKernels make_probe_kernels(const Target& target);

}  // namespace tilewright::tuner
