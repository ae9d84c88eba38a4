#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "tilewright/tuner/space/space.h"

namespace tilewright::tuner {

/// What a search has met: each point and each program is proposed once.
class KnownPoints {
 public:
  /// Names a point.
  static std::string key(size_t sketch, const schedule::Trace& trace);
  /// True for a legal point whose decisions have not been met before; counts illegal ones. For drafts too.
  bool is_new_point(const std::string& key, const Draw& draw);
  /// True when the program of the point, drawn in full, has not been met before; counts it when it is illegal after all.
  bool is_new_program(const Draw& draw);
  bool is_new(size_t sketch, const Draw& draw) {
    return is_new_point(key(sketch, draw.trace), draw) && is_new_program(draw);
  }
  /// Points that no schedule can be made of, by reason.
  const std::map<std::string, int64_t>& rejected() const { return rejected_; }

 private:
  std::unordered_set<std::string> points_, programs_;
  std::map<std::string, int64_t> rejected_;
};

/// Walks through what is left of a space, sketch by sketch.
class Remainder {
 public:
  explicit Remainder(const Space& space) : space_(space) {}
  /// The next new point and its sketch; nullopt when there is none, or thousands of illegal ones came in a row.
  std::optional<std::pair<size_t, Draw>> next(KnownPoints& known);

 private:
  const Space& space_;
  size_t sketch_ = 0;
  std::optional<GridWalk> grid_;
};

}  // namespace tilewright::tuner
