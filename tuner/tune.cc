#include "tilewright/tuner/tune.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "tilewright/record/best.h"
#include "tilewright/record/log.h"
#include "tilewright/support/rng.h"
#include "tilewright/tuner/cost_model/roofline.h"
#include "tuner/finals.h"

namespace tilewright::tuner {
namespace {

using Clock = std::chrono::steady_clock;
using record::Status;
using record::TuningRecord;

constexpr size_t kFinalists = 5;

class Tuning {
 public:
  Tuning(const TuneTask& task, Search& search, MeasureDevice& device, const TuneOptions& options)
      : task_(task), search_(search), device_(device), options_(options), begin_(Clock::now()) {
    if (!options.log_path.empty()) log_.emplace(options.log_path);
    machine_ = record::host_machine();
    if (options.speeds) machine_.peak_gflops = peak_gflops(*options.speeds, Target::host());
    run_id_ = record::make_id(
        "u", fmt::format("{}/{}/{}", getpid(), begin_.time_since_epoch().count(), machine_.id));
  }

  TuneResult run() {
    if (options_.resume && log_) take_over(record::read_log(options_.log_path));
    if (options_.max_trials == 0) {
      record_unmeasured();
    } else {
      measure();
    }
    result_.rejected = search_.rejected();
    result_.wall_secs = elapsed();
    return std::move(result_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool cancelled() const { return options_.cancel && options_.cancel->load(); }

  void report(Phase phase, const TuningRecord* latest = nullptr, bool improved = false) const {
    if (!options_.on_progress) return;
    options_.on_progress({phase, result_.trials, result_.valid, result_.failed, elapsed(),
                          result_.baseline_secs, best_secs(), latest, improved});
  }

  // What earlier runs have measured counts as trials of this one.
  void take_over(const record::LogContents& log) {
    const record::Query query{task_.key.key(), task_.measure.target, task_.measure.exec};
    for (const TuningRecord& r : log.records) {
      if (r.task_key != query.task_key || r.search.origin == "default") continue;
      if (r.result.status == Status::kUnmeasured || r.result.status == Status::kInterrupted)
        continue;
      if (!record::why_unused(r, query).empty() || !search_.restore(r)) continue;
      ++result_.resumed;
    }
    const record::Ranking ranking = record::rank(log, query);
    if (!ranking.measured.empty()) resumed_best_ = *ranking.measured.front();
  }

  double best_secs() const {
    return finalists_.empty() ? 0 : *finalists_[0].record.result.median_secs;
  }

  TuningRecord make_record(const Candidate& candidate, int64_t trial) const {
    TuningRecord r;
    r.time = record::utc_now();
    r.id = record::make_id("r", fmt::format("{}/{}/{}", run_id_, trial, candidate.origin));
    r.task = task_.key;
    r.task_key = task_.key.key();
    r.target = record::describe(task_.measure.target);
    r.machine = machine_;
    r.exec = task_.measure.exec;
    r.trace = candidate.trace;
    r.predicted = candidate.predicted;
    r.search = {run_id_, options_.seed, trial, candidate.origin, std::nullopt};
    if (result_.baseline_secs > 0) r.search.baseline_secs = result_.baseline_secs;
    r.versions = versions_;
    r.versions["tilewright"] = TW_VERSION;
    return r;
  }

  void append(const TuningRecord& r) {
    if (log_) log_->append(r);
  }

  void record_unmeasured() {
    std::optional<Candidate> candidate = search_.ask();
    result_.stop = candidate ? StopReason::kTrials : StopReason::kExhausted;
    if (!candidate) {
      candidate = {schedule::default_schedule(task_.measure.func).sealed_trace(), "default", {}};
    }
    append(make_record(*candidate, 0));
    result_.unmeasured = 1;
  }

  void measure() {
    report(Phase::kPrepare);
    const Baseline baseline = device_.prepare(task_.measure, [this] { return cancelled(); });
    result_.baseline_secs = baseline.median_secs;
    result_.check = baseline.check;
    versions_ = baseline.versions;
    report(Phase::kTrials);
    trials();
    if (cancelled()) result_.stop = StopReason::kCancelled;
    if (!finalists_.empty()) {
      if (!cancelled()) {
        report(Phase::kFinals);
        finals();
      }
      if (!result_.best) {
        result_.best = finalists_[0].record;
        result_.best_secs = best_secs();
      }
    }
    if (resumed_best_ &&
        (!result_.best || *resumed_best_->result.median_secs < result_.best_secs)) {
      result_.best_secs = *resumed_best_->result.median_secs;
      result_.best = std::move(resumed_best_);
    }
    if (result_.best ? baseline.median_secs < 0.99 * result_.best_secs : no_candidate()) {
      record_default(baseline);
    }
  }

  // The search had nothing to try: no sketch, or each of its points refused.
  bool no_candidate() const {
    return result_.stop == StopReason::kExhausted && result_.trials + result_.resumed == 0;
  }

  void trials() {
    const Clock::time_point trials_begin = Clock::now();
    const auto expired = [&] {
      return std::chrono::duration<double>(Clock::now() - trials_begin).count() >=
             options_.budget_secs;
    };
    bool asking = true;
    while (true) {
      if (asking && result_.trials > 0 && expired()) {
        device_.drop_waiting();
        asking = false;
        result_.stop = StopReason::kBudget;
      }
      while (asking && device_.pending() < device_.depth()) asking = submit_next();
      std::optional<MeasureResult> result = device_.next([this] { return cancelled(); });
      if (!result) return;
      finish(std::move(*result));
    }
  }

  // By seed and number of the trial alone.
  std::string choose_fault(int64_t id) const {
    if (options_.faults.empty()) return "";
    double draw = Rng(options_.seed * 1'000'003 + static_cast<uint64_t>(id)).unit();
    for (const auto& [kind, rate] : options_.faults) {
      if (draw < rate) return kind;
      draw -= rate;
    }
    return "";
  }

  // False when there is nothing more to submit.
  bool submit_next() {
    if (next_id_ + result_.resumed >= options_.max_trials) {
      result_.stop = StopReason::kTrials;
      return false;
    }
    std::optional<Candidate> candidate = search_.ask();
    if (!candidate) {
      result_.stop = StopReason::kExhausted;
      return false;
    }
    const int64_t id = next_id_++;
    const std::string fault = choose_fault(id);
    device_.submit({id, candidate->trace, fault});
    under_way_[id] = {std::move(*candidate), fault};
    return true;
  }

  void finish(MeasureResult measured) {
    const auto found = under_way_.find(measured.id);
    const Candidate candidate = std::move(found->second.first);
    // What was never run had no fault.
    const bool ran = measured.measurement.status != Status::kBuildError &&
                     measured.measurement.status != Status::kBuildTimeout &&
                     measured.measurement.status != Status::kInvalid;
    const std::string fault = ran ? found->second.second : "";
    under_way_.erase(found);
    TuningRecord r = make_record(candidate, result_.resumed + result_.trials + 1);
    r.result = std::move(measured.measurement);
    r.search.fault = fault;
    if (!fault.empty()) ++result_.injected[fault];
    append(r);
    ++result_.trials;
    search_.tell(candidate, r.result);
    bool improved = false;
    if (r.result.status == Status::kOk) {
      ++result_.valid;
      improved = finalists_.empty() || *r.result.median_secs < best_secs();
      enter_finalists(measured.id, r);
    } else {
      ++result_.failed;
      ++result_.failures[to_string(r.result.status)];
      ++result_.reasons[r.result.reason];
    }
    report(Phase::kTrials, &r, improved);
  }

  void enter_finalists(int64_t id, const TuningRecord& r) {
    const auto slower = [](const Finalist& a, const Finalist& b) {
      return *a.record.result.median_secs < *b.record.result.median_secs;
    };
    Finalist entry{id, r};
    const auto at = std::upper_bound(finalists_.begin(), finalists_.end(), entry, slower);
    finalists_.insert(at, std::move(entry));
    if (finalists_.size() > kFinalists) finalists_.pop_back();
    device_.set_best(best_secs());
    std::vector<int64_t> ids;
    for (const Finalist& finalist : finalists_) ids.push_back(finalist.id);
    device_.keep(ids);
  }

  void finals() {
    const FinalOutcome outcome =
        run_finals(device_, finalists_, run_id_, [this] { return cancelled(); });
    if (outcome.comparison && log_) log_->append(*outcome.comparison);
    result_.best = finalists_[outcome.winner].record;
    result_.best_secs = outcome.median_secs;
  }

  // Where nothing found is faster than the default schedule, that is the best and is recorded as such.
  void record_default(const Baseline& baseline) {
    TuningRecord r = make_record({baseline.trace, "default", {}}, result_.trials + 1);
    r.result.status = Status::kOk;
    r.result.check = baseline.check;
    r.result.samples_secs = baseline.samples_secs;
    r.result.median_secs = baseline.median_secs;
    r.result.min_secs =
        *std::min_element(baseline.samples_secs.begin(), baseline.samples_secs.end());
    append(r);
    ++result_.trials;
    ++result_.valid;
    result_.best = std::move(r);
    result_.best_secs = baseline.median_secs;
  }

  const TuneTask& task_;
  Search& search_;
  MeasureDevice& device_;
  const TuneOptions& options_;
  Clock::time_point begin_;
  std::optional<record::LogWriter> log_;
  record::MachineInfo machine_;
  std::string run_id_;
  std::map<std::string, std::string> versions_;
  std::map<int64_t, std::pair<Candidate, std::string>> under_way_;  // with the fault injected
  int64_t next_id_ = 0;
  std::vector<Finalist> finalists_;  // fastest first
  std::optional<TuningRecord> resumed_best_;
  TuneResult result_;
};

}  // namespace

TuneResult tune(const TuneTask& task, Search& search, MeasureDevice& device,
                const TuneOptions& options) {
  return Tuning(task, search, device, options).run();
}

TuneResult tune(const TuneTask& task, std::vector<Sketch> sketches, const TuneOptions& options,
                const WorkerOptions& workers) {
  const std::unique_ptr<Search> search = make_search(
      options.search,
      Space(task.measure.func, task.measure.target, task.measure.exec.threads, std::move(sketches)),
      options.model, {options.seed, options.max_trials, options.speeds.value_or(MachineSpeeds{})});
  const std::unique_ptr<MeasureDevice> device = make_worker_device(workers);
  return tune(task, *search, *device, options);
}

}  // namespace tilewright::tuner
