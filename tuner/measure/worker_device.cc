#include "tuner/measure/worker_device.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tilewright/support/error.h"
#include "tuner/measure/median.h"

namespace tilewright::tuner {
namespace {

using record::Measurement;
using record::Status;

// How often limits of workers are looked at while they are busy.
constexpr double kSliceSecs = 0.02;
double secs_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Clock::time_point after(double secs) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(secs, 1e8)));
}

}  // namespace

WorkerDevice::WorkerDevice(WorkerOptions options)
    : options_(std::move(options)),
      builder_(program("tilewright-builder"), folder_.file("builder.log")),
      runner_(program("tilewright-runner"), folder_.file("runner.log")) {}

std::string WorkerDevice::program(const std::string& name) const {
  std::error_code error;
  std::filesystem::path folder = options_.program_folder;
  if (folder.empty()) {
    folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  }
  const std::filesystem::path path = folder / name;
  if (access(path.c_str(), X_OK) != 0) {
    fail("measure.worker", "there is no program '{}'; it belongs beside `tune`", path.string());
  }
  return path.string();
}

std::string WorkerDevice::library_path(int64_t id) const {
  return folder_.file(fmt::format("c{}.so", id));
}

// ---- results --------------------------------------------------------------------------------------------------

void WorkerDevice::finish(Trial trial, Measurement m) {
  m.trial_secs = secs_since(trial.started);
  if (trial.built.compile_secs > 0) m.compile_secs = trial.built.compile_secs;
  const int64_t id = trial.request.id;
  if (m.status == Status::kOk) {
    m.check = {runner_task_.check.exact ? "exact" : "tolerance", m.check.elements,
               check_reference_};
    m.min_secs = *std::min_element(m.samples_secs.begin(), m.samples_secs.end());
    m.median_secs = median(m.samples_secs);
    measured_.insert(id);
  } else {
    std::error_code ignored;
    std::filesystem::remove(trial.library, ignored);
  }
  done_.push_back({id, std::move(m)});
}

bool WorkerDevice::deserves_repeat(const Exchange& exchange, const Worker& worker,
                                   Trial& trial) const {
  if (exchange.end != Exchange::End::kGone || !worker.killed_from_outside()) return false;
  return !std::exchange(trial.repeated, true);
}

void WorkerDevice::on_builder(const Exchange& exchange) {
  Trial trial = std::move(*building_);
  building_.reset();
  if (deserves_repeat(exchange, builder_, trial)) {
    to_build_.push_front(std::move(trial));
    return;
  }
  Measurement failed;
  switch (exchange.end) {
    case Exchange::End::kAnswer: {
      const Json json = Json::parse(exchange.text);
      if (json.contains("error")) {
        failed.status = Status::kBuildError;
        failed.reason = json.at("error");
        break;
      }
      trial.built = build_outcome_from(json);
      if (trial.built.status == "ok") {
        to_run_.push_back(std::move(trial));
        return;
      }
      failed.status = record::parse_status(trial.built.status).value_or(Status::kBuildError);
      failed.reason = trial.built.reason;
      break;
    }
    case Exchange::End::kTimeout:
      failed.status = Status::kBuildTimeout;
      failed.reason = fmt::format("not built within {:g} s", options_.build_timeout_secs);
      break;
    default:
      failed.status = Status::kBuildError;
      failed.reason = "the compiler was " + exchange.text;
  }
  finish(std::move(trial), std::move(failed));
}

void WorkerDevice::on_runner(const Exchange& exchange) {
  Trial trial = std::move(*running_);
  running_.reset();
  if (deserves_repeat(exchange, runner_, trial)) {
    to_run_.push_front(std::move(trial));
    return;
  }
  Measurement m;
  switch (exchange.end) {
    case Exchange::End::kAnswer: {
      const Json json = Json::parse(exchange.text);
      if (json.contains("error")) {
        m.status = Status::kRunError;
        m.reason = json.at("error");
        break;
      }
      RunOutcome outcome = run_outcome_from(json);
      m.status = record::parse_status(outcome.status).value_or(Status::kRunError);
      m.reason = outcome.reason;
      m.samples_secs = std::move(outcome.samples_secs);
      m.check.elements = outcome.elements;
      if (first_anchor_secs_ > 0) m.anchor_ratio = outcome.anchor_secs / first_anchor_secs_;
      break;
    }
    case Exchange::End::kTimeout:
      m.status = Status::kRunTimeout;
      m.reason = "the kernel did not end in time";
      break;
    case Exchange::End::kMemory:
      m.status = Status::kOutOfMemory;
      m.reason = exchange.text;
      break;
    default:
      m.status = runner_.killed_from_outside() ? Status::kOutOfMemory : Status::kCrash;
      m.reason = exchange.text;
  }
  finish(std::move(trial), std::move(m));
}

// ---- the event loop -------------------------------------------------------------------------------------------

void WorkerDevice::submit(MeasureRequest request) {
  const std::string library = library_path(request.id);
  to_build_.push_back({std::move(request), library, {}, {}});
}

int WorkerDevice::pending() const {
  return static_cast<int>(to_build_.size() + to_run_.size() + done_.size()) + (building_ ? 1 : 0) +
         (running_ ? 1 : 0);
}

void WorkerDevice::drop_waiting() { to_build_.clear(); }

void WorkerDevice::dispatch() {
  const bool may_build = overlap_ || (!running_ && to_run_.empty());
  if (!building_ && !to_build_.empty() && may_build) {
    start_builder();
    building_ = std::move(to_build_.front());
    to_build_.pop_front();
    building_->started = Clock::now();
    builder_.send({{"cmd", "build"},
                   {"trace", building_->request.trace.to_json()},
                   {"output", building_->library}});
    build_deadline_ = after(options_.build_timeout_secs);
  }
  if (!running_ && !to_run_.empty() && (overlap_ || !building_)) {
    start_runner();
    running_ = std::move(to_run_.front());
    to_run_.pop_front();
    runner_.send({{"cmd", "run"},
                  {"lib", running_->library},
                  {"reference", reference_path_},
                  {"best_secs", best_secs_},
                  {"fault", running_->request.fault}});
    run_deadline_ = after(options_.run_timeout_secs + 5 * baseline_secs_);
  }
}

std::optional<MeasureResult> WorkerDevice::next(const Stop& stop) {
  while (done_.empty()) {
    if (pending() == 0 || stop()) return std::nullopt;
    dispatch();
    wait_for_workers(kSliceSecs);
    if (building_) {
      if (auto end = look(builder_, build_deadline_, false)) on_builder(*end);
    }
    if (running_) {
      if (auto end = look(runner_, run_deadline_, true)) on_runner(*end);
    }
  }
  // The next candidates are on their way while the caller thinks about this result.
  dispatch();
  MeasureResult result = std::move(done_.front());
  done_.pop_front();
  return result;
}

void WorkerDevice::wait_for_workers(double secs) const {
  pollfd fds[2];
  nfds_t count = 0;
  for (const Worker* worker : {&builder_, &runner_}) {
    if (worker->running()) fds[count++] = {worker->fd(), POLLIN, 0};
  }
  poll(fds, count, static_cast<int>(secs * 1000));
}

std::optional<WorkerDevice::Exchange> WorkerDevice::look(Worker& worker, Clock::time_point deadline,
                                                         bool watch_memory) {
  if (std::optional<std::string> line = worker.receive()) {
    return Exchange{Exchange::End::kAnswer, std::move(*line)};
  }
  if (worker.closed()) return Exchange{Exchange::End::kGone, worker.reap()};
  if (Clock::now() >= deadline) {
    worker.kill();
    return Exchange{Exchange::End::kTimeout, "too slow"};
  }
  const int64_t limit = runner_task_.memory_bytes;
  if (watch_memory && limit > 0 && worker.resident_bytes() > limit + (int64_t{256} << 20)) {
    worker.kill();
    return Exchange{Exchange::End::kMemory,
                    fmt::format("used more than {} MiB", limit / (1 << 20))};
  }
  return std::nullopt;
}

WorkerDevice::Exchange WorkerDevice::exchange(Worker& worker, const Json& message,
                                              double timeout_secs, const Stop& stop) {
  worker.send(message);
  const Clock::time_point deadline = after(timeout_secs);
  while (true) {
    if (auto end = look(worker, deadline, &worker == &runner_)) return std::move(*end);
    if (stop()) {
      worker.kill();
      return {Exchange::End::kStopped, "stopped"};
    }
    wait_for_workers(kSliceSecs);
  }
}

Json WorkerDevice::ask(Worker& worker, const Json& message, double timeout_secs, const Stop& stop,
                       const std::string& what) {
  const Exchange result = exchange(worker, message, timeout_secs, stop);
  if (result.end == Exchange::End::kStopped) fail("measure.stopped", "stopped");
  if (result.end != Exchange::End::kAnswer) {
    fail("measure." + what, "{} failed: the worker was {}", what, result.text);
  }
  Json json = Json::parse(result.text);
  if (json.contains("error")) {
    fail("measure." + what, "{} failed: {}", what, json.at("error").get<std::string>());
  }
  return json;
}

// ---- the end of a run -----------------------------------------------------------------------------------------

void WorkerDevice::keep(const std::vector<int64_t>& ids) {
  const std::set<int64_t> wanted(ids.begin(), ids.end());
  std::error_code ignored;
  for (int64_t id : measured_) {
    if (!wanted.count(id)) std::filesystem::remove(library_path(id), ignored);
  }
  std::erase_if(measured_, [&](int64_t id) { return !wanted.count(id); });
}

std::vector<std::vector<double>> WorkerDevice::compare(const std::vector<int64_t>& ids, int rounds,
                                                       const Stop& stop) {
  std::vector<std::string> libraries;
  for (int64_t id : ids) libraries.push_back(library_path(id));
  try {
    start_runner();
    const double timeout_secs =
        options_.run_timeout_secs + 5 * baseline_secs_ * rounds * static_cast<double>(ids.size());
    const Json answer = ask(runner_, {{"cmd", "compare"}, {"libs", libraries}, {"rounds", rounds}},
                            timeout_secs, stop, "comparison");
    return answer.at("samples").get<std::vector<std::vector<double>>>();
  } catch (const Error&) {
    return {};
  }
}

std::unique_ptr<MeasureDevice> make_worker_device(WorkerOptions options) {
  return std::make_unique<WorkerDevice>(std::move(options));
}

}  // namespace tilewright::tuner
