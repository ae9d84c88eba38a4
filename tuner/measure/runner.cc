#include "tuner/measure/runner.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <memory>

#include "tilewright/runtime/module.h"
#include "tilewright/support/error.h"
#include "tuner/measure/runner_clock.h"

namespace tilewright::tuner {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every floating type
constexpr unsigned char kOtherPoison = 0xA5;
constexpr double kSampleSecs = 0.2e-3;
constexpr double kRetrySecs = 2e-3;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A call that failed with `code`, as the word for a record.
std::string status_of(const std::string& code) {
  return code == "call.out_of_memory" || code == "device.out_of_memory" ? "out_of_memory"
                                                                        : "run_error";
}

// A kernel ready to be called and timed.
struct TimedKernel {
  runtime::PreparedCall call;
  ArgumentSet& arguments;
  bool one_thread;

  TimedKernel(const runtime::Function& function, ArgumentSet& args, int threads)
      : call(function, args.args(), {.num_threads = threads}),
        arguments(args),
        one_thread(threads == 1) {}

  // Seconds of one call, as the mean of `number`.
  double time(int number) {
    const CallClock clock(one_thread);
    for (int i = 0; i < number; ++i) call.run();
    return clock.secs() / number;
  }
  // One sample; arrays that a call changes are restored outside the clock.
  double sample(int number) {
    if (!arguments.has_inout()) return time(number);
    arguments.reset(kPoison);
    return time(1);
  }
};

bool agree_to_one_percent(const std::vector<double>& samples) {
  double mean = 0, square = 0;
  for (double s : samples) mean += s / static_cast<double>(samples.size());
  for (double s : samples) square += (s - mean) * (s - mean);
  return std::sqrt(square / static_cast<double>(samples.size())) < 0.01 * mean;
}

// A call that goes wrong in the given way, for tests of the supervision.
double faulty_call(TimedKernel& kernel, const std::string& fault) {
  if (fault == "crash") std::raise(SIGSEGV);
  while (fault == "hang") pause();
  std::vector<std::unique_ptr<char[]>> eaten;
  constexpr size_t kBite = size_t{32} << 20;
  while (fault == "oom") {
    eaten.push_back(std::make_unique<char[]>(kBite));  // zeroed, so the pages are really there
  }
  if (fault == "early-return") return 1e-9;
  const double secs = kernel.time(1);
  if (fault == "wrong") kernel.arguments.damage_last_output();
  return secs;
}

std::vector<double> take_samples(TimedKernel& kernel, double first_secs, double best_secs) {
  const int number = static_cast<int>(std::clamp(kSampleSecs / first_secs, 1.0, 10000.0));
  std::vector<double> samples;
  double total = 0;
  while (samples.size() < 12) {
    samples.push_back(kernel.sample(number));
    total += samples.back() * number;
    const double fastest = *std::min_element(samples.begin(), samples.end());
    if (samples.size() < 3) {
      if (total > 1.0) break;
      continue;
    }
    if (best_secs > 0 && fastest > 1.25 * best_secs) break;
    if (total >= 20e-3 || agree_to_one_percent(samples)) break;
  }
  return samples;
}

}  // namespace

ArgumentSet& Runner::arguments(const runtime::FunctionInfo& info) {
  if (!arguments_) arguments_ = std::make_unique<ArgumentSet>(info, task_);
  return *arguments_;
}

double Runner::anchor_secs() {
  anchor_data_.resize(4096, 1.0f);
  double fastest = 1;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto begin = Clock::now();
    for (int round = 0; round < 40; ++round) {
      for (float& x : anchor_data_) x = x * 0.999f + 0.001f;
    }
    asm volatile("" : : "r"(anchor_data_.data()) : "memory");
    fastest = std::min(fastest, since(begin));
  }
  return fastest;
}

const std::vector<char>& Runner::reference_bytes(const std::string& path) {
  if (path != reference_path_) {
    std::ifstream file(path, std::ios::binary);
    reference_.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad()) fail("measure.reference", "cannot read '{}'", path);
    reference_path_ = path;
  }
  return reference_;
}

RunOutcome Runner::reference(const std::string& library, const std::string& output) {
  const runtime::Function function = runtime::Module::load(library).get();
  ArgumentSet& args = arguments(function.info());
  args.reset(kPoison);
  TimedKernel kernel(function, args, task_.threads);
  RunOutcome outcome;
  outcome.samples_secs = {kernel.time(1)};
  outcome.elements = args.output_elements();
  const std::vector<char> bytes = args.outputs();
  std::ofstream file(output, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) fail("measure.reference", "cannot write '{}'", output);
  if (outcome.samples_secs[0] < 0.2) {
    outcome.samples_secs = take_samples(kernel, outcome.samples_secs[0], 0);
  }
  outcome.anchor_secs = anchor_secs();
  return outcome;
}

RunOutcome Runner::run(const std::string& library, const std::string& reference, double best_secs,
                       const std::string& fault) {
  RunOutcome outcome;
  outcome.anchor_secs = anchor_secs();
  try {
    const runtime::Function function = runtime::Module::load(library).get();
    ArgumentSet& args = arguments(function.info());
    const std::vector<char>& expected = reference_bytes(reference);
    outcome.elements = args.output_elements();
    args.reset(kPoison);
    TimedKernel kernel(function, args, task_.threads);
    double first_secs = fault.empty() ? kernel.time(1) : faulty_call(kernel, fault);
    outcome.reason = args.check_outputs(expected.data(), task_.check);
    if (outcome.reason.empty()) {
      if (first_secs < std::max(kRetrySecs, 10 * best_secs)) {
        // The first call of a short kernel is dominated by cold caches and page faults.
        first_secs = std::min(first_secs, kernel.sample(1));
      }
      if (best_secs > 0 && first_secs > 3 * best_secs) {
        outcome.samples_secs = {first_secs};
        return outcome;
      }
      outcome.samples_secs = take_samples(kernel, first_secs, best_secs);
      args.reset(kOtherPoison);
      kernel.call.run();
      outcome.reason = args.check_outputs(expected.data(), task_.check);
    }
    if (!outcome.reason.empty()) outcome.status = "wrong_result";
  } catch (const Error& error) {
    outcome.status = status_of(error.code());
    outcome.reason = error.what();
  } catch (const std::bad_alloc&) {
    outcome.status = "out_of_memory";
    outcome.reason = "the memory limit of the trial was reached";
  }
  if (outcome.status != "ok") {
    outcome.samples_secs.clear();
    // Its guard bands may be damaged, which must not be held against the next candidate.
    arguments_.reset();
  }
  return outcome;
}

std::vector<std::vector<double>> Runner::compare(const std::vector<std::string>& libraries,
                                                 int rounds) {
  std::vector<std::unique_ptr<TimedKernel>> kernels;
  std::vector<int> numbers;
  for (const std::string& library : libraries) {
    const runtime::Function function = runtime::Module::load(library).get();
    ArgumentSet& args = arguments(function.info());
    kernels.push_back(std::make_unique<TimedKernel>(function, args, task_.threads));
    const double secs = kernels.back()->sample(1);
    numbers.push_back(static_cast<int>(std::clamp(kSampleSecs / secs, 1.0, 10000.0)));
  }
  std::vector<std::vector<double>> samples(libraries.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < kernels.size(); ++i) {
      samples[i].push_back(kernels[i]->sample(numbers[i]));
    }
  }
  return samples;
}

}  // namespace tilewright::tuner
