#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>

#include "tilewright/support/error.h"
#include "tilewright/tuner/cost_model/cost_model.h"

namespace tilewright::tuner {
namespace {

constexpr size_t kLeastSamples = 8;
constexpr size_t kParts = 4;  // of the samples, each held out once
constexpr int kRounds = 60;

void check(int status) {
  if (status != 0) fail("cost_model.xgboost", "XGBoost: {}", XGBGetLastError());
}

float log_ratio(const NestFeatures& features, double secs) {
  return static_cast<float>(std::log(secs / features.prior_secs));
}

class Matrix {
 public:
  Matrix(std::span<const NestFeatures> rows) {  // NOLINT
    const size_t columns = feature_names().size();
    std::vector<float> values;
    values.reserve(rows.size() * columns);
    for (const NestFeatures& row : rows) {
      internal_check(row.values.size() == columns, "{} features, not {}", row.values.size(),
                     columns);
      values.insert(values.end(), row.values.begin(), row.values.end());
    }
    check(XGDMatrixCreateFromMat(values.data(), rows.size(), columns, NAN, &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle get() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  explicit Booster(const Matrix& matrix) {
    DMatrixHandle handle = matrix.get();
    check(XGBoosterCreate(&handle, 1, &handle_));
    // One thread: several would make the sums, and with them the search, depend on the machine.
    const std::pair<const char*, const char*> parameters[] = {{"objective", "reg:squarederror"},
                                                              {"base_score", "0"},
                                                              {"eta", "0.2"},
                                                              {"max_depth", "4"},
                                                              {"min_child_weight", "1"},
                                                              {"lambda", "1"},
                                                              {"nthread", "1"},
                                                              {"verbosity", "0"},
                                                              {"seed", "0"}};
    for (const auto& [name, value] : parameters) check(XGBoosterSetParam(handle_, name, value));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  void train(const Matrix& matrix) {
    for (int round = 0; round < kRounds; ++round) {
      check(XGBoosterUpdateOneIter(handle_, round, matrix.get()));
    }
  }
  std::vector<float> predict(const Matrix& matrix) const {
    bst_ulong count = 0;
    const float* values = nullptr;
    check(XGBoosterPredict(handle_, matrix.get(), 0, 0, 0, &count, &values));
    return {values, values + count};
  }

 private:
  BoosterHandle handle_ = nullptr;
};

class XgbModel final : public CostModel {
 public:
  std::string name() const override { return "xgb"; }

  void learn(const NestFeatures& features, double secs) override {
    rows_.push_back(features);
    labels_.push_back(log_ratio(features, secs));
    stale_ = true;
  }

  std::vector<double> predict(std::span<const NestFeatures> candidates) override {
    std::vector<double> secs;
    for (const NestFeatures& candidate : candidates) secs.push_back(candidate.prior_secs);
    if (rows_.size() < kLeastSamples || candidates.empty()) return secs;
    if (stale_) train();
    const std::vector<float> corrections = booster_->predict(Matrix(candidates));
    for (size_t i = 0; i < secs.size(); ++i) secs[i] *= std::exp(centre_ + trust_ * corrections[i]);
    return secs;
  }

 private:
  // The prior's overall factor is taken out first, so that the trees need not learn it.
  void train() {
    std::vector<float> sorted = labels_;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<int64_t>(sorted.size() / 2),
                     sorted.end());
    centre_ = sorted[sorted.size() / 2];
    std::vector<float> labels;
    for (float label : labels_) labels.push_back(label - centre_);
    trust_ = hold_out(labels);
    booster_ = trained(rows_, labels);
    stale_ = false;
  }

  static std::unique_ptr<Booster> trained(std::span<const NestFeatures> rows,
                                          std::span<const float> labels) {
    const Matrix matrix(rows);
    check(XGDMatrixSetFloatInfo(matrix.get(), "label", labels.data(), labels.size()));
    auto booster = std::make_unique<Booster>(matrix);
    booster->train(matrix);
    return booster;
  }

  // How far corrections can be trusted, 0 to 1: the factor that makes the best of those for samples that were held out.
  // Parts of samples learnt one after the other, so that tasks are held out where there are several.
  float hold_out(const std::vector<float>& labels) const {
    double agreement = 0, size = 0;
    for (size_t part = 0; part < kParts; ++part) {
      const size_t begin = part * labels.size() / kParts, end = (part + 1) * labels.size() / kParts;
      std::vector<NestFeatures> rows(rows_.begin(), rows_.begin() + static_cast<int64_t>(begin));
      rows.insert(rows.end(), rows_.begin() + static_cast<int64_t>(end), rows_.end());
      std::vector<float> rest(labels.begin(), labels.begin() + static_cast<int64_t>(begin));
      rest.insert(rest.end(), labels.begin() + static_cast<int64_t>(end), labels.end());
      const std::vector<float> guesses =
          trained(rows, rest)->predict(Matrix(std::span(rows_).subspan(begin, end - begin)));
      // What shifts a whole part changes no order.
      double mean_guess = 0, mean_label = 0;
      for (size_t i = begin; i < end; ++i) {
        mean_guess += guesses[i - begin] / static_cast<double>(end - begin);
        mean_label += labels[i] / static_cast<double>(end - begin);
      }
      for (size_t i = begin; i < end; ++i) {
        const double guess = guesses[i - begin] - mean_guess;
        agreement += guess * (labels[i] - mean_label);
        size += guess * guess;
      }
    }
    return size > 0 ? static_cast<float>(std::clamp(agreement / size, 0.0, 1.0)) : 0;
  }

  std::vector<NestFeatures> rows_;
  std::vector<float> labels_;
  float centre_ = 0, trust_ = 0;
  std::unique_ptr<Booster> booster_;
  bool stale_ = false;
};

}  // namespace

std::unique_ptr<CostModel> make_xgb_model() { return std::make_unique<XgbModel>(); }

}  // namespace tilewright::tuner
