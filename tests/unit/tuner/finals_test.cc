#include "tuner/finals.h"

#include <catch2/catch.hpp>

namespace tilewright::tuner {
namespace {

// Compares by times known from the beginning; every second round is three times slower for all.
class ScriptedDevice final : public MeasureDevice {
 public:
  explicit ScriptedDevice(std::vector<double> secs) : secs_(std::move(secs)) {}
  std::vector<size_t> heats;  // sizes

  Baseline prepare(const MeasureTask&, const Stop&) override { return {}; }
  int depth() const override { return 1; }
  void submit(MeasureRequest) override {}
  int pending() const override { return 0; }
  void drop_waiting() override {}
  std::optional<MeasureResult> next(const Stop&) override { return std::nullopt; }
  void set_best(double) override {}
  void keep(const std::vector<int64_t>&) override {}
  std::vector<std::vector<double>> compare(const std::vector<int64_t>& ids, int rounds,
                                           const Stop& stop) override {
    if (stop()) return {};
    heats.push_back(ids.size());
    std::vector<std::vector<double>> samples;
    for (int64_t id : ids) {
      samples.emplace_back();
      for (int round = 0; round < rounds; ++round) {
        samples.back().push_back(secs_.at(static_cast<size_t>(id)) * (round % 2 == 0 ? 1 : 3));
      }
    }
    return samples;
  }

 private:
  std::vector<double> secs_;
};

std::vector<Finalist> finalists(size_t count) {
  std::vector<Finalist> result;
  for (size_t i = 0; i < count; ++i) {
    Finalist finalist;
    finalist.id = static_cast<int64_t>(i);
    finalist.record.id = "r-" + std::to_string(i);
    // Recorded in this order, whatever their true times.
    finalist.record.result.median_secs = 1e-3 * (1 + 0.001 * static_cast<double>(i));
    result.push_back(std::move(finalist));
  }
  return result;
}

const Stop kNever = [] { return false; };

}  // namespace

TEST_CASE("finals: heats find the fastest of many") {
  std::vector<double> secs(16, 1e-3);
  secs[11] = 0.9e-3;
  ScriptedDevice device(secs);
  const FinalOutcome outcome = run_finals(device, finalists(16), "u-1", kNever);
  CHECK(outcome.winner == 11);
  CHECK(outcome.median_secs <= 1e-3);
  CHECK(device.heats == std::vector<size_t>{16, 8, 4});
  // All that the log has as faster are beaten, with the ratio of the last heat in which they met.
  REQUIRE(outcome.comparison);
  CHECK(outcome.comparison->winner == "r-11");
  CHECK(outcome.comparison->beaten.size() == 11);
  for (double ratio : outcome.comparison->ratios) CHECK(ratio == Approx(0.9));
}

TEST_CASE("finals: the first keeps its place against a small difference") {
  std::vector<double> secs(8, 1e-3);
  secs[5] = 0.995e-3;
  ScriptedDevice device(secs);
  const FinalOutcome outcome = run_finals(device, finalists(8), "u-1", kNever);
  CHECK(outcome.winner == 0);
  CHECK(!outcome.comparison);
}

TEST_CASE("finals: stopped, the first wins") {
  ScriptedDevice device(std::vector<double>(8, 1e-3));
  const FinalOutcome outcome = run_finals(device, finalists(8), "u-1", [] { return true; });
  CHECK(outcome.winner == 0);
  CHECK(outcome.median_secs == 1e-3);
}

TEST_CASE("finals: short kernels have more finalists") {
  CHECK(finalist_count(1e-6) == 16);
  CHECK(finalist_count(1e-3) == 16);
  CHECK(finalist_count(5e-3) == 10);
  CHECK(finalist_count(1) == 5);
}

}  // namespace tilewright::tuner
