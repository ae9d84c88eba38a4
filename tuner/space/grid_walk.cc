#include "tilewright/tuner/space/space.h"

namespace tilewright::tuner {

// Draws with the positions as presets and appends a position, at its first value, for every further decision,
// until the point is made of positions alone.
Draw GridWalk::settle() {
  while (true) {
    std::vector<schedule::Decision> presets;
    for (const Position& position : positions_) presets.push_back(position.decision);
    Draw draw = space_->draw(sketch_, std::move(presets), 0);
    const std::vector<schedule::Decision>& decisions = draw.trace.decisions;
    if (decisions.size() <= positions_.size()) return draw;
    const std::vector<std::vector<schedule::Value>> values = alternatives(draw.trace);
    bool first_values = true;
    for (size_t i = positions_.size(); i < decisions.size() && first_values; ++i) {
      if (values[i].empty()) return draw;
      positions_.push_back({{decisions[i].name, values[i][0]}, values[i], 0});
      // Values of later decisions may depend on this one, so after a change the sketch runs again.
      first_values = decisions[i].value == values[i][0];
    }
    if (first_values) return draw;
  }
}

std::optional<Draw> GridWalk::next() {
  if (begun_) {
    while (!positions_.empty() && positions_.back().index + 1 == positions_.back().values.size()) {
      positions_.pop_back();
    }
    if (positions_.empty()) return std::nullopt;
    Position& last = positions_.back();
    last.decision.value = last.values[++last.index];
  }
  begun_ = true;
  return settle();
}

}  // namespace tilewright::tuner
