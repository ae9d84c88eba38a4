#pragma once

#include <string>

namespace tilewright::tuner {

/// Which schedules are searched: those made for the program (templates), generated ones, or both.
struct SpaceChoice {
  bool made = true, generated = false;
};

/// By name: "template", "generated" or "both"; empty: templates where the program has some, else generated. Throws
/// Error "tune.space" with the nearest name.
SpaceChoice space_choice(const std::string& name, bool has_made);

}  // namespace tilewright::tuner
