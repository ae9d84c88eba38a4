#include <deque>

#include "tilewright/schedule/schedule.h"
#include "tilewright/tuner/measure/device.h"

namespace tilewright::tuner {
namespace {

class NullDevice final : public MeasureDevice {
 public:
  NullDevice(NullModel model, double baseline_secs)
      : model_(std::move(model)), baseline_secs_(baseline_secs) {}

  Baseline prepare(const MeasureTask& task, const Stop&) override {
    Baseline baseline;
    baseline.samples_secs = {baseline_secs_};
    baseline.median_secs = baseline_secs_;
    baseline.trace = schedule::default_schedule(task.func).sealed_trace();
    return baseline;
  }
  int depth() const override { return 1; }
  void submit(MeasureRequest request) override { waiting_.push_back(std::move(request)); }
  int pending() const override { return static_cast<int>(waiting_.size()); }
  void drop_waiting() override { waiting_.clear(); }

  std::optional<MeasureResult> next(const Stop& stop) override {
    if (waiting_.empty() || stop()) return std::nullopt;
    MeasureRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    record::Measurement measurement;
    if (request.fault.empty()) {
      measurement = model_(request.trace);
    } else {
      measurement.status = status_of_fault(request.fault);
      measurement.reason = "injected";
    }
    if (measurement.median_secs) secs_[request.id] = *measurement.median_secs;
    return MeasureResult{request.id, std::move(measurement)};
  }

  void set_best(double) override {}
  void keep(const std::vector<int64_t>&) override {}

  std::vector<std::vector<double>> compare(const std::vector<int64_t>& ids, int rounds,
                                           const Stop&) override {
    std::vector<std::vector<double>> rows;
    for (int64_t id : ids) rows.emplace_back(static_cast<size_t>(rounds), secs_.at(id));
    return rows;
  }

 private:
  NullModel model_;
  double baseline_secs_;
  std::deque<MeasureRequest> waiting_;
  std::map<int64_t, double> secs_;
};

}  // namespace

std::unique_ptr<MeasureDevice> make_null_device(NullModel model, double baseline_secs) {
  return std::make_unique<NullDevice>(std::move(model), baseline_secs);
}

}  // namespace tilewright::tuner
