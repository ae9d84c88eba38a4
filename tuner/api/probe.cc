#include "tilewright/tuner/api/probe.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "tuner/api/probe_kernels.h"

namespace tilewright::tuner {
namespace {

using runtime::NDArray;
using Clock = std::chrono::steady_clock;

// Each speed is the best of what is measured in this time: everything else on the machine only makes it slower.
constexpr double kMeasureSecs = 0.06;
// Short samples, so that some of them are not interrupted.
constexpr double kSampleSecs = 30e-6;
constexpr int kLeastSamples = 3;

double secs_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Time that the calling thread had a core.
double thread_secs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double best_secs(const CompiledKernel& kernel, std::vector<runtime::Arg> args, int threads,
                 double measure_secs = kMeasureSecs) {
  runtime::PreparedCall call(kernel.function(), args, {.num_threads = threads});
  call.run();
  const Clock::time_point begin = Clock::now();
  call.run();
  const int calls =
      static_cast<int>(std::clamp(kSampleSecs / std::max(secs_since(begin), 1e-8), 1.0, 100'000.0));
  double best = 1e30;
  for (int samples = 0; samples < kLeastSamples || secs_since(begin) < measure_secs; ++samples) {
    const Clock::time_point sample = Clock::now();
    for (int i = 0; i < calls; ++i) call.run();
    best = std::min(best, secs_since(sample) / calls);
  }
  return best;
}

NDArray ones(std::vector<int64_t> shape) {
  const NDArray array = NDArray::empty(std::move(shape), kFloat32);
  std::fill_n(array.data_as<float>(), array.num_elements(), 1.0F);
  return array;
}

double multiply_adds_per_sec(const ProbeKernels& kernels, int64_t lanes) {
  using K = ProbeKernels;
  const NDArray a = ones({K::kDepth, K::kRows});
  const NDArray b = ones({K::kDepth, K::kColumnVectors, lanes});
  const NDArray c = ones({K::kRepeats, K::kRows, K::kColumnVectors, lanes});
  const double count = K::kRepeats * K::kDepth * K::kRows * K::kColumnVectors;
  return count / best_secs(kernels.multiply_adds, {a, b, c}, 1);
}

// Reads about `bytes` from end to end.
double sweep_bytes_per_sec(const CompiledKernel& kernel, double bytes, int64_t lanes, int threads) {
  const int64_t step = ProbeKernels::kSweepVectors * lanes;
  const auto n = std::max<int64_t>(1, static_cast<int64_t>(bytes) / 4 / step / threads);
  const NDArray a = ones({threads, n, ProbeKernels::kSweepVectors, lanes});
  const NDArray b = ones({threads, ProbeKernels::kSweepVectors, lanes});
  return static_cast<double>(a.size_bytes()) / best_secs(kernel, {a, b}, threads);
}

double launch_secs(const ProbeKernels& kernels, int threads) {
  const NDArray x = ones({threads}), y = ones({threads});
  // Threads that wait for a core make most launches slow on a busy machine, so more of them are tried.
  const double parallel = best_secs(kernels.parallel_loop, {x, y}, threads, 3 * kMeasureSecs);
  const double serial = best_secs(kernels.loop, {x, y}, threads);
  return std::max(parallel - serial, 1e-8);
}

}  // namespace

MachineSpeeds measure_speeds(const Target& target, int threads, double* core_share) {
  const ProbeKernels kernels = make_probe_kernels(target);
  const int64_t lanes = target.vector_lanes(32);
  const double l1 = target.l1d_bytes > 0 ? static_cast<double>(target.l1d_bytes) : 32e3;
  const double l2 = std::max(2 * l1, static_cast<double>(target.l2_bytes));
  const double l3 = std::max(2 * l2, static_cast<double>(target.l3_bytes));
  MachineSpeeds speeds;
  const Clock::time_point begin = Clock::now();
  const double used_before = thread_secs();
  speeds.fma_per_sec = multiply_adds_per_sec(kernels, lanes);
  speeds.l2_bytes_per_sec = sweep_bytes_per_sec(kernels.sweep, std::max(l2 / 2, 2 * l1), lanes, 1);
  // The third level is shared, on a virtual machine with strangers: what is left may be a small part of it.
  speeds.l3_bytes_per_sec =
      sweep_bytes_per_sec(kernels.sweep, std::clamp(l3 / 4, 2 * l2, 4 * l2), lanes, 1);
  const double beyond = std::clamp(3 * l3, 48e6, 128e6);
  speeds.dram_core_bytes_per_sec = sweep_bytes_per_sec(kernels.sweep, beyond, lanes, 1);
  if (core_share) *core_share = (thread_secs() - used_before) / secs_since(begin);
  speeds.dram_bytes_per_sec =
      threads > 1 ? std::max(speeds.dram_core_bytes_per_sec,
                             sweep_bytes_per_sec(kernels.parallel_sweep, beyond, lanes, threads))
                  : speeds.dram_core_bytes_per_sec;
  speeds.launch_secs = launch_secs(kernels, threads);
  return speeds;
}

}  // namespace tilewright::tuner
