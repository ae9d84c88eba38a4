#include <fmt/format.h>
#include <unordered_set>

#include "tilewright/support/rng.h"
#include "tilewright/tuner/search/search.h"

namespace tilewright::tuner {
namespace {

// Draws in a row that bring nothing new before the rest of the space is walked through.
constexpr int kMaxMisses = 40;
// Illegal points in a row before the space counts as exhausted: walking through it would take too long.
constexpr int kMaxIllegal = 3000;

class RandomSearch final : public Search {
 public:
  RandomSearch(Space space, uint64_t seed) : space_(std::move(space)), rng_(seed) {}

  std::string name() const override { return "random"; }
  void tell(const Candidate&, const record::Measurement&) override {}
  const std::map<std::string, int64_t>& rejected() const override { return rejected_; }

  std::optional<Candidate> ask() override {
    if (space_.size() == 0) return std::nullopt;
    for (int misses = 0; !walking_ && misses < kMaxMisses; ++misses) {
      const size_t sketch = rng_.below(space_.size());
      Draw draw = space_.draw(sketch, {}, rng_.next());
      if (is_new(sketch, draw)) return Candidate{std::move(draw.trace), "random"};
    }
    walking_ = true;
    return walk();
  }

 private:
  std::optional<Candidate> walk() {
    for (int illegal = 0; walked_ < space_.size() && illegal < kMaxIllegal;) {
      if (!grid_) grid_.emplace(space_, walked_);
      std::optional<Draw> draw = grid_->next();
      if (!draw) {
        grid_.reset();
        ++walked_;
        continue;
      }
      if (is_new(walked_, *draw)) return Candidate{std::move(draw->trace), "grid"};
      illegal += draw->error.empty() ? 0 : 1;
    }
    return std::nullopt;
  }

  // True for a legal point whose decisions and program have not been met before.
  bool is_new(size_t sketch, const Draw& draw) {
    schedule::Trace decisions;
    decisions.decisions = draw.trace.decisions;
    if (!points_.insert(fmt::format("{} {}", sketch, decisions.to_json())).second) return false;
    if (!draw.error.empty()) {
      ++rejected_[draw.error];
      return false;
    }
    return programs_.insert(draw.trace.hash).second;
  }

  Space space_;
  Rng rng_;
  bool walking_ = false;
  size_t walked_ = 0;  // sketches walked through to their end
  std::optional<GridWalk> grid_;
  std::unordered_set<std::string> points_, programs_;
  std::map<std::string, int64_t> rejected_;
};

}  // namespace

std::unique_ptr<Search> make_random_search(Space space, uint64_t seed) {
  return std::make_unique<RandomSearch>(std::move(space), seed);
}

}  // namespace tilewright::tuner
