#include "tuner/search/known_points.h"

#include <fmt/format.h>

namespace tilewright::tuner {
namespace {

// Illegal points in a row before the space counts as exhausted: walking through it would take too long.
constexpr int kMaxIllegal = 3000;

}  // namespace

std::string KnownPoints::key(size_t sketch, const schedule::Trace& trace) {
  schedule::Trace decisions;
  decisions.decisions = trace.decisions;
  return fmt::format("{} {}", sketch, decisions.to_json());
}

bool KnownPoints::is_new_point(const std::string& key, const Draw& draw) {
  if (!points_.insert(key).second) return false;
  if (draw.error.empty()) return true;
  ++rejected_[draw.error];
  return false;
}

bool KnownPoints::is_new_program(const Draw& draw) {
  if (draw.error.empty()) return programs_.insert(draw.trace.hash).second;
  ++rejected_[draw.error];
  return false;
}

std::optional<std::pair<size_t, Draw>> Remainder::next(KnownPoints& known) {
  for (int illegal = 0; sketch_ < space_.size() && illegal < kMaxIllegal;) {
    if (!grid_) grid_.emplace(space_, sketch_);
    std::optional<Draw> draw = grid_->next();
    if (!draw) {
      grid_.reset();
      ++sketch_;
      continue;
    }
    if (known.is_new(sketch_, *draw)) return std::pair(sketch_, std::move(*draw));
    illegal += draw->error.empty() ? 0 : 1;
  }
  return std::nullopt;
}

}  // namespace tilewright::tuner
