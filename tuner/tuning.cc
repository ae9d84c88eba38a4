#include "tuner/tuning.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "tilewright/record/best.h"
#include "tilewright/support/error.h"
#include "tilewright/support/rng.h"
#include "tilewright/support/suggest.h"
#include "tilewright/tuner/cost_model/roofline.h"

namespace tilewright::tuner {
namespace {

using record::Status;
using record::TuningRecord;

double secs_between(Tuning::Clock::time_point begin, Tuning::Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

namespace {

// Before anything is built: each symbolic size has a value, and each value a size.
void require_sizes(const MeasureTask& task) {
  std::vector<std::string> names;
  for (const ir::Param& param : task.func->params) {
    if (param.role != ir::ParamRole::kShape) continue;
    names.push_back(param.var.name());
    const auto found = task.sizes.find(names.back());
    if (found == task.sizes.end()) {
      fail("tune.sizes", "size '{0}' of '{1}' has no value; give sizes={{\"{0}\": ...}}",
           names.back(), task.func->name);
    }
    if (found->second < 0) {
      fail("tune.sizes", "size '{}' is {}; expected at least 0", names.back(), found->second);
    }
  }
  for (const auto& [name, value] : task.sizes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    fail("tune.sizes", "'{}' has no symbolic size '{}'{}", task.func->name, name,
         names.empty() ? "" : suggestion(names, name));
  }
}

}  // namespace

Tuning::Tuning(const TuneTask& task, Search& search, MeasureDevice& device,
               const TuneOptions& options)
    : task_(task),
      search_(search),
      device_(device),
      options_(options),
      begin_(Clock::now()),
      trials_begin_(begin_),
      machine_(record::host_machine()) {
  require_sizes(task.measure);
  if (!options.log_path.empty()) log_.emplace(options.log_path);
  if (options.speeds) {
    machine_.peak_gflops = peak_gflops(*options.speeds, Target::host());
    const MeasureTask& measure = task.measure;
    result_.roofline_secs = roofline_secs(measure.func, task.operation_count, measure.target,
                                          *options.speeds, measure.exec.threads)
                                .value_or(0);
  }
  run_id_ =
      record::make_id("u", fmt::format("{}/{}/{}/{}", getpid(), begin_.time_since_epoch().count(),
                                       machine_.id, task.key.key()));
}

Tuning::Clock::time_point deadline_after(double secs) {
  constexpr double kEndless = 1e9;
  if (!(secs < kEndless)) return Tuning::kNever;
  return Tuning::Clock::now() +
         std::chrono::duration_cast<Tuning::Clock::duration>(std::chrono::duration<double>(secs));
}

double Tuning::elapsed() const { return secs_between(begin_, Clock::now()); }

// At the pace so far, until the trials are made or the time is up.
std::optional<double> Tuning::left_secs() const {
  std::optional<double> left;
  const auto at_most = [&](double secs) {
    left = std::max(0.0, left ? std::min(*left, secs) : secs);
  };
  const Clock::time_point now = Clock::now();
  if (deadline_ != kNever) at_most(secs_between(now, deadline_));
  if (result_.trials > 0 && options_.max_trials < std::numeric_limits<int64_t>::max()) {
    const auto missing = static_cast<double>(options_.max_trials - made());
    at_most(missing * secs_between(trials_begin_, now) / static_cast<double>(result_.trials));
  }
  return left;
}

Progress Tuning::counts() const {
  Progress progress;
  progress.trials = result_.trials;
  progress.valid = result_.valid;
  progress.failed = result_.failed;
  progress.resumed = result_.resumed;
  return progress;
}

void Tuning::report(Phase phase, const TuningRecord* latest, bool improved) const {
  if (!options_.on_progress) return;
  Progress progress = counts();
  progress.phase = phase;
  progress.max_trials = options_.max_trials;
  progress.budget_secs = options_.budget_secs;
  progress.elapsed_secs = elapsed();
  if (phase == Phase::kTrials) progress.left_secs = left_secs();
  progress.operation_count = task_.operation_count;
  progress.roofline_secs = result_.roofline_secs;
  progress.baseline_secs = result_.baseline_secs;
  progress.best_secs = finalist_secs();
  progress.latest = latest;
  progress.improved = improved;
  options_.on_progress(progress);
}

// What earlier runs have measured counts as trials of this one.
void Tuning::take_over(const record::LogContents& log) {
  const record::Query query{task_.key.key(), task_.measure.target, task_.measure.exec};
  for (const TuningRecord& r : log.records) {
    if (r.task_key != query.task_key || r.search.origin == "default") continue;
    if (r.result.status == Status::kUnmeasured || r.result.status == Status::kInterrupted) continue;
    if (!record::why_unused(r, query).empty() || !search_.restore(r)) continue;
    ++result_.resumed;
    programs_.insert(r.trace.hash);
  }
  const record::Ranking ranking = record::rank(log, query);
  if (!ranking.measured.empty()) resumed_best_ = *ranking.measured.front();
}

double Tuning::finalist_secs() const {
  return finalists_.empty() ? 0 : *finalists_[0].record.result.median_secs;
}

double Tuning::best_secs() const {
  double best = result_.baseline_secs;
  if (!finalists_.empty()) best = std::min(best, finalist_secs());
  if (resumed_best_) best = std::min(best, *resumed_best_->result.median_secs);
  return best;
}

TuningRecord Tuning::make_record(const Candidate& candidate, int64_t trial) const {
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

void Tuning::append(const TuningRecord& r) {
  if (log_) log_->append(r);
}

void Tuning::record_unmeasured() {
  std::optional<Candidate> candidate = search_.ask();
  result_.stop = candidate ? StopReason::kTrials : StopReason::kExhausted;
  if (!candidate) {
    candidate = {schedule::default_schedule(task_.measure.func).sealed_trace(), "default", {}};
  }
  append(make_record(*candidate, 0));
  result_.untried = candidate->trace;
  result_.unmeasured = 1;
}

void Tuning::prepare() {
  report(Phase::kPrepare);
  baseline_ = device_.prepare(task_.measure, [this] { return cancelled(); });
  result_.baseline_secs = baseline_.median_secs;
  result_.check = baseline_.check;
  versions_ = baseline_.versions;
  trials_begin_ = Clock::now();
  report(Phase::kTrials);
}

// The search had nothing to try: no sketch, or each of its points refused.
bool Tuning::no_candidate() const { return result_.stop == StopReason::kExhausted && made() == 0; }

StopReason Tuning::run_trials(int64_t limit, Clock::time_point deadline) {
  deadline_ = deadline;
  bool asking = true;
  while (true) {
    if (asking && result_.trials > 0 && Clock::now() >= deadline) {
      device_.drop_waiting();
      asking = false;
      result_.stop = StopReason::kBudget;
    }
    while (asking && device_.pending() < device_.depth()) asking = submit_next(limit);
    std::optional<MeasureResult> result = device_.next([this] { return cancelled(); });
    if (!result) break;
    finish_trial(std::move(*result));
  }
  if (cancelled()) result_.stop = StopReason::kCancelled;
  return result_.stop;
}

// By seed and number of the trial alone.
std::string Tuning::choose_fault(int64_t id) const {
  if (options_.faults.empty()) return "";
  double draw = Rng(options_.seed * 1'000'003 + static_cast<uint64_t>(id)).unit();
  for (const auto& [kind, rate] : options_.faults) {
    if (draw < rate) return kind;
    draw -= rate;
  }
  return "";
}

// False when there is nothing more to submit.
bool Tuning::submit_next(int64_t limit) {
  if (made() + static_cast<int64_t>(under_way_.size()) >= limit) {
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

void Tuning::finish_trial(MeasureResult measured) {
  const auto found = under_way_.find(measured.id);
  const Candidate candidate = std::move(found->second.first);
  // What was never run had no fault.
  const bool ran = measured.measurement.status != Status::kBuildError &&
                   measured.measurement.status != Status::kBuildTimeout &&
                   measured.measurement.status != Status::kInvalid;
  const std::string fault = ran ? found->second.second : "";
  under_way_.erase(found);
  TuningRecord r = make_record(candidate, made() + 1);
  r.result = std::move(measured.measurement);
  r.search.fault = fault;
  if (!fault.empty()) ++result_.injected[fault];
  append(r);
  ++result_.trials;
  programs_.insert(candidate.trace.hash);
  search_.tell(candidate, r.result);
  bool improved = false;
  if (r.result.status == Status::kOk) {
    ++result_.valid;
    enter_finalists(measured.id, r);
    improved = finalists_[0].id == measured.id;
  } else {
    ++result_.failed;
    ++result_.failures[to_string(r.result.status)];
    ++result_.reasons[r.result.reason];
  }
  report(Phase::kTrials, &r, improved);
}

// By least time: whatever else ran on the machine only adds. The comparison at the end goes by paired medians.
void Tuning::enter_finalists(int64_t id, const TuningRecord& r) {
  const auto least_secs = [](const Finalist& f) {
    return f.record.result.min_secs.value_or(*f.record.result.median_secs);
  };
  const auto slower = [&](const Finalist& a, const Finalist& b) {
    return least_secs(a) < least_secs(b);
  };
  Finalist entry{id, r};
  const auto at = std::upper_bound(finalists_.begin(), finalists_.end(), entry, slower);
  finalists_.insert(at, std::move(entry));
  const size_t most = finalist_count(least_secs(finalists_[0]));
  while (finalists_.size() > most) finalists_.pop_back();
  device_.set_best(finalist_secs());
  std::vector<int64_t> ids;
  for (const Finalist& finalist : finalists_) ids.push_back(finalist.id);
  device_.keep(ids);
}

void Tuning::finals() {
  report(Phase::kFinals);
  const FinalOutcome outcome =
      run_finals(device_, finalists_, run_id_, [this] { return cancelled(); });
  if (outcome.comparison && log_) log_->append(*outcome.comparison);
  result_.best = finalists_[outcome.winner].record;
  result_.best_secs = outcome.median_secs;
}

// Where nothing found is faster than the default schedule, that is the best and is recorded as such.
void Tuning::record_default() {
  TuningRecord r = make_record({baseline_.trace, "default", {}}, result_.trials + 1);
  r.result.status = Status::kOk;
  r.result.check = baseline_.check;
  r.result.samples_secs = baseline_.samples_secs;
  r.result.median_secs = baseline_.median_secs;
  r.result.min_secs =
      *std::min_element(baseline_.samples_secs.begin(), baseline_.samples_secs.end());
  append(r);
  ++result_.trials;
  ++result_.valid;
  result_.best = std::move(r);
  result_.best_secs = baseline_.median_secs;
}

TuneResult Tuning::finish() {
  if (!finalists_.empty()) {
    if (!cancelled()) finals();
    if (!result_.best) {
      result_.best = finalists_[0].record;
      result_.best_secs = finalist_secs();
    }
  }
  if (resumed_best_ && (!result_.best || *resumed_best_->result.median_secs < result_.best_secs)) {
    result_.best_secs = *resumed_best_->result.median_secs;
    result_.best = std::move(resumed_best_);
  }
  const bool default_wins =
      result_.best ? baseline_.median_secs < 0.99 * result_.best_secs : no_candidate();
  // A candidate that is the default schedule itself has been measured as such.
  if (baseline_.median_secs > 0 && default_wins && !programs_.count(baseline_.trace.hash)) {
    record_default();
  }
  result_.rejected = search_.rejected();
  result_.wall_secs = elapsed();
  return std::move(result_);
}

}  // namespace tilewright::tuner
