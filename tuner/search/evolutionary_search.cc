#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "tilewright/support/rng.h"
#include "tilewright/tuner/search/search.h"
#include "tuner/search/known_points.h"

/// \file
/// Evolution over the decisions of all sketches, guided by a cost model (as Ansor, Zheng et al., OSDI 2020). The first
/// batch is drafted by the model before anything is measured; later ones come from the best measured points by
/// mutation and crossover, a few at random; the last part of the budget descends coordinate by coordinate.

namespace tilewright::tuner {
namespace {

using schedule::Decision;
using schedule::Value;

constexpr size_t kDraftPool = 512;      // points scored for the first batch
constexpr size_t kPool = 128;           // and for each later one
constexpr size_t kMostSpare = 2000;     // points kept that were scored, but not measured
constexpr size_t kBatch = 8;            // points measured between two updates of the model
constexpr size_t kParents = 12;         // best points that the next ones come from
constexpr double kExplored = 0.1;       // share of a batch taken at random from the pool
constexpr double kBred = 0.5;           // least share of children and neighbours of the best
constexpr double kDescentShare = 0.25;  // of the trials, at the end
constexpr int kMaxMisses = 60;          // attempts in a row that bring nothing new
// A candidate that failed counts as so much slower than its prior says.
constexpr double kFailureFactor = 10;

struct Point {
  size_t sketch = 0;
  std::string key = {};  // of the pool's points
  Draw draw;
  NestFeatures features;
  std::string origin;
  double predicted_secs = 0;
  bool bred = false;  // comes from a measured point, or was met again on the way from one
};

struct Measured {
  size_t sketch = 0;
  schedule::Trace trace;
  double secs = 0;
};

class EvolutionarySearch final : public Search {
 public:
  EvolutionarySearch(Space space, std::shared_ptr<CostModel> model, const EvolutionOptions& options)
      : space_(std::move(space)), model_(std::move(model)), options_(options), rng_(options.seed) {}

  std::string name() const override { return "evolutionary"; }
  const std::map<std::string, int64_t>& rejected() const override { return known_.rejected(); }

  std::optional<Candidate> ask() override {
    if (space_.size() == 0) return std::nullopt;
    while (true) {
      if (queue_.empty()) fill_queue();
      if (queue_.empty()) return walk();
      Point point = std::move(queue_.front());
      queue_.erase(queue_.begin());
      // Scored as a draft; now made with all checks.
      point.draw = space_.draw(point.sketch, point.draw.trace.decisions, 0);
      if (known_.is_new_program(point.draw)) return propose(std::move(point));
    }
  }

  void tell(const Candidate& candidate, const record::Measurement& result) override {
    const auto found = under_way_.find(candidate.trace.hash);
    if (found == under_way_.end()) return;
    const Point point = std::move(found->second);
    under_way_.erase(found);
    learn(point, candidate.trace, result);
  }

  bool restore(const record::TuningRecord& record) override {
    auto found = space_.find(record.trace);
    if (!found || !known_.is_new(found->first, found->second)) return false;
    const Point point = analyzed(found->first, std::move(found->second), record.search.origin);
    learn(point, record.trace, record.result);
    ++proposed_;
    return true;
  }

 private:
  void learn(const Point& point, const schedule::Trace& trace, const record::Measurement& result) {
    if (result.status == record::Status::kInterrupted) return;
    const bool ok = result.status == record::Status::kOk && result.median_secs;
    // The least time: whatever else runs on the machine only adds.
    const double secs = ok ? result.min_secs.value_or(*result.median_secs)
                           : point.features.prior_secs * kFailureFactor;
    model_->learn(point.features, secs);
    if (!ok) return;
    Measured measured{point.sketch, trace, secs};
    const auto at =
        std::upper_bound(best_.begin(), best_.end(), measured,
                         [](const Measured& a, const Measured& b) { return a.secs < b.secs; });
    best_.insert(at, std::move(measured));
    if (best_.size() > kParents) best_.pop_back();
  }

  Candidate propose(Point point) {
    Candidate candidate{point.draw.trace, point.origin, {}};
    candidate.predicted = {{"prior_secs", point.features.prior_secs},
                           {"model_secs", point.predicted_secs}};
    ++proposed_;
    under_way_[candidate.trace.hash] = std::move(point);
    return candidate;
  }

  std::optional<Candidate> walk() {
    auto found = remainder_.next(known_);
    if (!found) return std::nullopt;
    Point point = analyzed(found->first, std::move(found->second), "grid");
    point.predicted_secs = model_->predict({&point.features, 1})[0];
    return propose(std::move(point));
  }

  Point analyzed(size_t sketch, Draw draw, std::string origin) const {
    Point point;
    point.sketch = sketch;
    point.features = analyze_nest(draw.func, space_.target(), options_.speeds, space_.threads());
    point.draw = std::move(draw);
    point.origin = std::move(origin);
    return point;
  }

  // True when the pool has gained a point, or one it has is met again coming from a measured one.
  bool add(std::vector<Point>& pool, size_t sketch, std::vector<Decision> presets,
           const char* origin, bool bred) {
    Draw draw = space_.draft(sketch, std::move(presets), rng_.next());
    std::string key = KnownPoints::key(sketch, draw.trace);
    if (!known_.is_new_point(key, draw)) {
      const auto found = in_pool_.find(key);
      if (!bred || found == in_pool_.end() || pool[found->second].bred) return false;
      pool[found->second].bred = true;
      pool[found->second].origin = origin;
      return true;
    }
    in_pool_[key] = pool.size();
    pool.push_back(analyzed(sketch, std::move(draw), origin));
    pool.back().key = std::move(key);
    pool.back().bred = bred;
    return true;
  }

  void fill_queue() {
    std::vector<Point> pool = std::move(spare_);
    spare_.clear();
    in_pool_.clear();
    for (size_t i = 0; i < pool.size(); ++i) {
      pool[i].bred = false;
      in_pool_[pool[i].key] = i;
    }
    const bool draft = best_.empty();
    const bool descend = !draft && options_.max_trials > 0 &&
                         static_cast<double>(proposed_) >=
                             (1 - kDescentShare) * static_cast<double>(options_.max_trials);
    if (descend) {
      add_neighbours(pool);
    } else {
      const size_t wanted = draft ? kDraftPool : kPool;
      size_t gained = 0;
      for (int misses = 0; gained < wanted && misses < kMaxMisses;) {
        const bool added = draft || rng_.unit() < kExplored ? add_random(pool) : add_child(pool);
        gained += added ? 1 : 0;
        misses = added ? 0 : misses + 1;
      }
    }
    choose(std::move(pool), descend);
  }

  bool add_random(std::vector<Point>& pool) {
    return add(pool, rng_.below(space_.size()), {}, "random", false);
  }

  // A parent is drawn by rank: the best twice as often as the one half way down.
  const Measured& parent() {
    const double u = rng_.unit();
    const auto rank = static_cast<size_t>(u * u * static_cast<double>(best_.size()));
    return best_[std::min(rank, best_.size() - 1)];
  }

  bool add_child(std::vector<Point>& pool) {
    const Measured& mother = parent();
    std::vector<Decision> decisions = mother.trace.decisions;
    if (decisions.empty()) return add_random(pool);
    const Measured& father = parent();
    if (&father != &mother && father.sketch == mother.sketch && rng_.below(3) == 0) {
      for (Decision& decision : decisions) {
        for (const Decision& other : father.trace.decisions) {
          if (other.name == decision.name && rng_.below(2) == 0) decision = other;
        }
      }
      return add(pool, mother.sketch, std::move(decisions), "crossover", true);
    }
    const std::vector<std::vector<Value>> choices = alternatives(mother.trace);
    const uint64_t changes = 1 + rng_.below(2);
    for (uint64_t i = 0; i < changes; ++i) {
      const size_t at = rng_.below(decisions.size());
      if (at >= choices.size() || choices[at].empty()) continue;
      decisions[at].value = near_value(choices[at], decisions[at].value);
    }
    return add(pool, mother.sketch, std::move(decisions), "mutate", true);
  }

  // Half of the time one of the neighbouring values, else any.
  Value near_value(const std::vector<Value>& values, const Value& now) {
    const auto at = std::find(values.begin(), values.end(), now);
    if (at == values.end() || rng_.below(2) == 0) return values[rng_.below(values.size())];
    const auto index = static_cast<size_t>(at - values.begin());
    if (index == 0) return values[std::min<size_t>(1, values.size() - 1)];
    if (index + 1 == values.size()) return values[index - 1];
    return values[rng_.below(2) == 0 ? index - 1 : index + 1];
  }

  // All points that differ from one of the best in one decision.
  void add_neighbours(std::vector<Point>& pool) {
    constexpr size_t kCentres = 3, kMostNeighbours = 160;
    size_t gained = 0;
    for (size_t b = 0; b < std::min(kCentres, best_.size()); ++b) {
      const std::vector<std::vector<Value>> choices = alternatives(best_[b].trace);
      for (size_t d = 0; d < best_[b].trace.decisions.size(); ++d) {
        for (const Value& value : choices[d]) {
          if (gained >= kMostNeighbours) return;
          if (value == best_[b].trace.decisions[d].value) continue;
          std::vector<Decision> decisions = best_[b].trace.decisions;
          decisions[d].value = value;
          gained += add(pool, best_[b].sketch, std::move(decisions), "descent", true) ? 1 : 0;
        }
      }
    }
  }

  // The points predicted fastest, at least half of them close to measured ones (whatever the model thinks of what is
  // far away), and a few others; the next best are kept for the next batch.
  void choose(std::vector<Point> pool, bool descend) {
    std::vector<NestFeatures> features;
    for (const Point& point : pool) features.push_back(point.features);
    const std::vector<double> secs = model_->predict(features);
    for (size_t i = 0; i < pool.size(); ++i) pool[i].predicted_secs = secs[i];
    std::stable_sort(pool.begin(), pool.end(), [](const Point& a, const Point& b) {
      return a.predicted_secs < b.predicted_secs;
    });
    while (!pool.empty() && queue_.size() < kBatch) {
      const double kind = descend ? kExplored : rng_.unit();
      size_t at = 0;
      if (kind < kExplored) {
        at = rng_.below(pool.size());
      } else if (kind < kExplored + kBred) {
        const auto bred =
            std::find_if(pool.begin(), pool.end(), [](const Point& p) { return p.bred; });
        if (bred != pool.end()) at = static_cast<size_t>(bred - pool.begin());
      }
      queue_.push_back(std::move(pool[at]));
      pool.erase(pool.begin() + static_cast<int64_t>(at));
    }
    if (pool.size() > kMostSpare) pool.resize(kMostSpare);
    spare_ = std::move(pool);
  }

  Space space_;
  std::shared_ptr<CostModel> model_;
  EvolutionOptions options_;
  Rng rng_;
  KnownPoints known_;
  Remainder remainder_{space_};
  std::vector<Point> queue_, spare_;
  std::unordered_map<std::string, size_t> in_pool_;   // places of points in the pool under way
  std::vector<Measured> best_;                        // fastest first
  std::unordered_map<std::string, Point> under_way_;  // by program
  int64_t proposed_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_evolutionary_search(Space space, std::shared_ptr<CostModel> model,
                                                 const EvolutionOptions& options) {
  return std::make_unique<EvolutionarySearch>(std::move(space), std::move(model), options);
}

}  // namespace tilewright::tuner
