#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilewright/tuner/cost_model/nest_analysis.h"

namespace tilewright::tuner {

/// Predicts how long a schedule takes from its features. Deterministic: the same samples in the same order give the
/// same predictions.
class CostModel {
 public:
  virtual ~CostModel() = default;
  /// "prior", "xgb" or "random".
  virtual std::string name() const = 0;
  /// Seconds of one call for each.
  virtual std::vector<double> predict(std::span<const NestFeatures> candidates) = 0;
  /// Adds a measurement of `secs` seconds.
  virtual void learn(const NestFeatures& features, double secs) = 0;
};

/// The analytic model alone.
std::unique_ptr<CostModel> make_prior_model();
/// Gradient-boosted trees (Chen and Guestrin, KDD 2016) on the logarithm of measured over prior time, made smaller by
/// how far they hold for samples that were held out; the prior alone until there are eight samples. Throws Error "cost_model.xgboost" with the library's message.
std::unique_ptr<CostModel> make_xgb_model();
/// Any number, as a control in experiments.
std::unique_ptr<CostModel> make_random_model(uint64_t seed);
/// By name. Throws Error "cost_model.unknown" with the nearest name.
std::unique_ptr<CostModel> make_cost_model(const std::string& name, uint64_t seed);
const std::vector<std::string>& cost_model_names();

}  // namespace tilewright::tuner
