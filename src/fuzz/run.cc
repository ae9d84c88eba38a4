#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "fuzz/shrink.h"
#include "tilewright/support/error.h"
#include "tilewright/support/fault.h"

namespace tilewright::fuzz {
namespace {

using schedule::Schedule;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

uint64_t mixed(uint64_t seed, uint64_t number) {
  return Rng(Rng(seed).next() ^ (number * 0x9e3779b97f4a7c15ull)).next();
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options), start_(Clock::now()) {}

  Result all() {
    const int threads = std::max(1, options_.threads);
    std::vector<std::thread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back([this] { work_or_stop(); });
    work_or_stop();
    for (std::thread& worker : workers) worker.join();
    if (broken_) std::rethrow_exception(broken_);
    result_.tally.secs = since(start_);
    std::sort(result_.failures.begin(), result_.failures.end(),
              [](const Failure& a, const Failure& b) { return a.number < b.number; });
    return std::move(result_);
  }

 private:
  bool over() {
    if (stopped_) return true;
    return options_.programs < 0 && since(start_) >= options_.secs;
  }

  // What a callback throws (a failure that cannot be written) ends the run for the caller, not the process.
  void work_or_stop() {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!broken_) broken_ = std::current_exception();
      stopped_ = true;
    }
  }

  void work() {
    while (!over()) {
      const int64_t number = next_++;
      if (options_.programs >= 0 && number >= options_.programs) return;
      Tally tally;
      Failure failure;
      failure.seed = options_.seed;
      failure.number = number;
      try {
        attack(number, tally, failure);
      } catch (const std::exception& error) {
        // The fuzzer itself is at fault.
        const auto* ours = dynamic_cast<const Error*>(&error);
        failure.verdict = {"error " + (ours ? ours->code() : "std"), error.what(), {}};
      }
      if (failure.verdict.faulty()) tally.faults = 1;
      report(tally, failure);
    }
  }

  void attack(int64_t number, Tally& tally, Failure& failure) {
    auto [subject, sch] = prepare(number, failure);
    if (subject.spec) {
      for (const std::string& name : features(*subject.spec)) tally.drawn[name] = 1;
    }
    Rng rng(mixed(options_.seed ^ 0x5ced, static_cast<uint64_t>(number)));
    try {
      apply_random_primitives(sch, rng, 2 + static_cast<int>(rng.below(12)), &tally);
    } catch (const PrimitiveFault& fault) {
      failure.trace = fault.trace;
      failure.instructions = used_instructions(failure.trace, sch.instructions());
      failure.verdict = {"error " + fault.code(), fault.what(), {}};
      return;
    }
    failure.trace = sch.sealed_trace();
    failure.instructions = used_instructions(failure.trace, sch.instructions());
    if (options_.before_check) options_.before_check(failure);
    failure.verdict = check(subject, sch, options_.depth);
    if (failure.verdict.refused_late.empty()) return;
    tally.refused_late = 1;
    ++tally.late_codes[failure.verdict.refused_late];
  }

  std::pair<Subject, Schedule> prepare(int64_t number, Failure& failure) {
    Rng rng(mixed(options_.seed, static_cast<uint64_t>(number)));
    if (options_.subject) {
      failure.subject = *options_.subject;
      failure.subject.seed = rng.next();
      return {failure.subject, replay_what_fits(failure.subject.func, options_.start).sch};
    }
    for (;;) {
      const ProgramSpec spec = random_program(rng);
      try {
        failure.subject.spec = spec;  // also where making the program fails
        failure.subject = make_subject(spec, rng.next());
        break;
      } catch (const Error& error) {
        if (error.code() != "fuzz.program") throw;  // not one that te can be asked for
      }
    }
    return {failure.subject, Schedule(failure.subject.func, rng.next())};
  }

  void report(const Tally& tally, const Failure& failure) {
    Failure small = failure;
    if (failure.verdict.faulty() && options_.shrink_secs > 0 &&
        shrunken_++ < options_.most_failures) {
      small = shrink(failure, options_.shrink_secs);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    result_.tally.add(tally);
    if (failure.verdict.faulty()) {
      if (static_cast<int64_t>(result_.failures.size()) < options_.most_failures) {
        result_.failures.push_back(small);
        if (options_.on_failure) options_.on_failure(small);
      }
      if (static_cast<int64_t>(result_.failures.size()) >= options_.most_failures) stopped_ = true;
    }
    if (!options_.on_progress || since(told_) < 1) return;
    told_ = Clock::now();
    Tally now = result_.tally;
    now.secs = since(start_);
    options_.on_progress(now);
  }

  const Options& options_;
  const Clock::time_point start_;
  Clock::time_point told_ = start_;
  std::atomic<int64_t> next_{0}, shrunken_{0};
  std::atomic<bool> stopped_{false};
  std::exception_ptr broken_;
  std::mutex mutex_;
  Result result_;
};

}  // namespace

Result run(const Options& options) { return Run(options).all(); }

namespace {

bool rerun_is_faulty(const Failure& failure) {
  try {
    return rerun(failure).faulty();
  } catch (const Error&) {
    return false;  // A step that only the fault lets pass.
  }
}

}  // namespace

FaultResult find_fault(std::string_view fault, const Options& options) {
  struct Switch {
    explicit Switch(std::string_view name) { inject_fault(name); }
    ~Switch() { inject_fault(""); }
  };
  FaultResult result;
  result.fault = fault;
  Options attack = options;
  attack.most_failures = 1;
  attack.shrink_secs = 0;
  attack.programs = -1;
  const auto start = Clock::now();
  while (!result.found && since(start) < options.secs) {
    attack.secs = options.secs - since(start);
    Failure failure;
    {
      const Switch on(fault);
      const Result found = run(attack);
      result.programs += found.tally.programs;
      result.secs = since(start);
      if (found.failures.empty()) return result;
      failure = found.failures[0];
    }
    attack.seed = mixed(attack.seed, 1);
    // What is wrong without the built-in fault as well is another one.
    if (rerun_is_faulty(failure)) continue;
    const Switch on(fault);
    const Failure small = shrink(failure, options.shrink_secs);
    result.found = true;
    result.primitives = small.primitives();
    if (options.on_failure) options.on_failure(small);
  }
  return result;
}

std::vector<std::string> findable_faults() {
  std::vector<std::string> names;
  for (const FaultInfo& info : known_faults()) {
    // Wrong arguments, sizes beyond 32 bits and definitions that te refuses are never made here; and where max starts
    // is a part of the definition, which the oracle runs as well.
    const bool call =
        info.fault == Fault::contract_skips_dtype || info.fault == Fault::contract_skips_shape ||
        info.fault == Fault::offsets_of_32_bits || info.fault == Fault::argmax_of_nothing ||
        info.fault == Fault::max_starts_at_lowest;
    if (!call) names.emplace_back(info.name);
  }
  return names;
}

}  // namespace tilewright::fuzz
