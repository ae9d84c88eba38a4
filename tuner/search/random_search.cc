#include "tilewright/support/rng.h"
#include "tilewright/tuner/search/search.h"
#include "tuner/search/known_points.h"

namespace tilewright::tuner {
namespace {

// Draws in a row that bring nothing new before the rest of the space is walked through.
constexpr int kMaxMisses = 40;

// Random points for as long as they bring something new, then every point left, one by one; or the latter alone.
class RandomSearch final : public Search {
 public:
  RandomSearch(Space space, uint64_t seed, bool only_walk)
      : space_(std::move(space)), rng_(seed), only_walk_(only_walk), walking_(only_walk) {}

  std::string name() const override { return only_walk_ ? "grid" : "random"; }
  void tell(const Candidate&, const record::Measurement&) override {}
  bool restore(const record::TuningRecord& record) override {
    const auto found = space_.find(record.trace);
    return found && known_.is_new(found->first, found->second);
  }
  const std::map<std::string, int64_t>& rejected() const override { return known_.rejected(); }

  std::optional<Candidate> ask() override {
    if (space_.size() == 0) return std::nullopt;
    for (int misses = 0; !walking_ && misses < kMaxMisses; ++misses) {
      const size_t sketch = rng_.below(space_.size());
      Draw draw = space_.draw(sketch, {}, rng_.next());
      if (known_.is_new(sketch, draw)) return Candidate{std::move(draw.trace), "random", {}};
    }
    walking_ = true;
    auto found = remainder_.next(known_);
    if (!found) return std::nullopt;
    return Candidate{std::move(found->second.trace), "grid", {}};
  }

 private:
  Space space_;
  Rng rng_;
  const bool only_walk_;
  bool walking_;
  KnownPoints known_;
  Remainder remainder_{space_};
};

}  // namespace

std::unique_ptr<Search> make_random_search(Space space, uint64_t seed) {
  return std::make_unique<RandomSearch>(std::move(space), seed, false);
}
std::unique_ptr<Search> make_grid_search(Space space) {
  return std::make_unique<RandomSearch>(std::move(space), 0, true);
}

}  // namespace tilewright::tuner
