#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/record/tuning_record.h"
#include "tilewright/tuner/cost_model/cost_model.h"
#include "tilewright/tuner/space/space.h"

namespace tilewright::tuner {

/// A schedule proposed for measuring.
struct Candidate {
  schedule::Trace trace;  ///< sealed
  std::string
      origin;  ///< how the search came to it: "random", "grid", "mutate", "crossover", "descent"
  std::map<std::string, double> predicted = {};  ///< "prior_secs", "model_secs"; empty: no model
};

/// Chooses what to measure. Never measures itself; the same seed and the same answers give the same candidates.
class Search {
 public:
  virtual ~Search() = default;
  virtual std::string name() const = 0;
  /// The next candidate, different in decisions and in the program it gives from all before; nullopt when
  /// there is none left.
  virtual std::optional<Candidate> ask() = 0;
  /// The outcome of a candidate, in any order.
  virtual void tell(const Candidate& candidate, const record::Measurement& measurement) = 0;
  /// A measurement of an earlier run: never proposed again, and learnt from. False when it comes from no sketch of
  /// this space, or its schedule gives another program now.
  virtual bool restore(const record::TuningRecord& record) = 0;
  /// Points that the search met and that no schedule can be made of, by reason.
  virtual const std::map<std::string, int64_t>& rejected() const = 0;
};

/// Points drawn at random, all sketches alike; when almost only known points come, every point left, one by one.
std::unique_ptr<Search> make_random_search(Space space, uint64_t seed);
/// Every point, one by one.
std::unique_ptr<Search> make_grid_search(Space space);

struct EvolutionOptions {
  uint64_t seed = 0;
  /// Trials that are to be made, 0: unknown. Decides when the search turns to the neighbours of the best points.
  int64_t max_trials = 0;
  MachineSpeeds speeds = {};
};
/// Evolution over all sketches, each candidate the one that `model` likes best out of a pool. Several searches may
/// share a model, and learn from each other.
std::unique_ptr<Search> make_evolutionary_search(Space space, std::shared_ptr<CostModel> model,
                                                 const EvolutionOptions& options);

/// By name, with a cost model by name. Throws Error "search.unknown" or "cost_model.unknown" with the nearest name.
std::unique_ptr<Search> make_search(const std::string& name, Space space, const std::string& model,
                                    const EvolutionOptions& options);
const std::vector<std::string>& search_names();

}  // namespace tilewright::tuner
