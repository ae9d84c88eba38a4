#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/ir/stmt.h"
#include "tilewright/schedule/schedule.h"
#include "tilewright/target/target.h"

namespace tilewright::tuner {

/// A way of scheduling with choices left open: primitives, and sampling primitives for the numbers.
using SketchFunction =
    std::function<void(schedule::Schedule& sch, const Target& target, int threads)>;

struct Sketch {
  std::string name;  ///< becomes `Trace::sketch`
  SketchFunction apply;
};

/// One attempt to make a schedule.
struct Draw {
  schedule::Trace
      trace;  ///< sealed; without hash for a draft or when it failed, and then as far as it got
  std::string error;       ///< why it is illegal; empty: legal
  ir::PrimFunc func = {};  ///< the scheduled program; null when it is illegal
  std::string refused_decision =
      {};  ///< the decision whose value the sketch does not offer; empty: none
};

/// All schedules that sketches give for one function.
class Space {
 public:
  Space(ir::PrimFunc func, Target target, int threads, std::vector<Sketch> sketches);

  size_t size() const { return sketches_.size(); }
  const Sketch& sketch(size_t index) const { return sketches_[index]; }
  const Target& target() const { return target_; }
  int threads() const { return threads_; }
  /// Runs a sketch; decisions not in `presets` are drawn with `seed`. A step that is illegal for the values
  /// drawn is an error in the Draw, any other exception of the sketch goes through.
  Draw draw(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed) const;
  /// The same as a draft (`Schedule::make_draft`) for scoring: in a third of the time, its trace not sealed. A draft
  /// that looks legal may turn out illegal when it is drawn. A preset that the sketch does not offer, given the others,
  /// is drawn anew.
  Draw draft(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed) const;
  /// The sketch and the point that a trace was made from; nullopt when no sketch has its name, or it now gives
  /// another program.
  std::optional<std::pair<size_t, Draw>> find(const schedule::Trace& trace) const;

 private:
  Draw make(size_t sketch, std::vector<schedule::Decision> presets, uint64_t seed,
            bool draft) const;

  ir::PrimFunc func_;
  Target target_;
  int threads_;
  std::vector<Sketch> sketches_;
};

/// The legal values of each decision of the trace, given the decisions before it.
std::vector<std::vector<schedule::Value>> alternatives(const schedule::Trace& trace);

/// Visits every point of a sketch once, the first decision varying slowest.
class GridWalk {
 public:
  GridWalk(const Space& space, size_t sketch) : space_(&space), sketch_(sketch) {}
  /// The next point, legal or not; nullopt when all have been visited. Points that fail before all their
  /// decisions are made stand for all that begin like them.
  std::optional<Draw> next();

 private:
  struct Position {
    schedule::Decision decision;
    std::vector<schedule::Value> values;
    size_t index = 0;
  };
  Draw settle();

  const Space* space_;
  size_t sketch_;
  std::vector<Position> positions_;
  bool begun_ = false;
};

}  // namespace tilewright::tuner
