#include "tilewright/support/error.h"
#include "tilewright/support/rng.h"
#include "tilewright/support/suggest.h"
#include "tilewright/tuner/cost_model/cost_model.h"

namespace tilewright::tuner {
namespace {

class PriorModel final : public CostModel {
 public:
  std::string name() const override { return "prior"; }
  void learn(const NestFeatures&, double) override {}
  std::vector<double> predict(std::span<const NestFeatures> candidates) override {
    std::vector<double> secs;
    for (const NestFeatures& candidate : candidates) secs.push_back(candidate.prior_secs);
    return secs;
  }
};

class RandomModel final : public CostModel {
 public:
  explicit RandomModel(uint64_t seed) : rng_(seed) {}
  std::string name() const override { return "random"; }
  void learn(const NestFeatures&, double) override {}
  std::vector<double> predict(std::span<const NestFeatures> candidates) override {
    std::vector<double> secs;
    for (size_t i = 0; i < candidates.size(); ++i) secs.push_back(rng_.unit());
    return secs;
  }

 private:
  Rng rng_;
};

}  // namespace

std::unique_ptr<CostModel> make_prior_model() { return std::make_unique<PriorModel>(); }
std::unique_ptr<CostModel> make_random_model(uint64_t seed) {
  return std::make_unique<RandomModel>(seed);
}

const std::vector<std::string>& cost_model_names() {
  static const std::vector<std::string> names = {"xgb", "prior", "random"};
  return names;
}

std::unique_ptr<CostModel> make_cost_model(const std::string& name, uint64_t seed) {
  if (name == "xgb") return make_xgb_model();
  if (name == "prior") return make_prior_model();
  if (name == "random") return make_random_model(seed);
  fail("cost_model.unknown", "there is no cost model '{}'{}", name,
       suggestion(cost_model_names(), name));
}

}  // namespace tilewright::tuner
