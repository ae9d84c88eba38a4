#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/tree.h"
#include "tilewright/arith/analyzer.h"
#include "tilewright/schedule/schedule.h"

namespace tilewright::schedule {

/// Thrown inside a primitive and caught by `Schedule::apply`, which hands the error on as a value.
struct Refusal {
  ScheduleError error;
};

using Outputs = std::vector<Schedule::Result>;

/// One run of a primitive: its operands, the program to rewrite, and the ways to refuse.
class Invocation {
 public:
  Invocation(std::string_view primitive, ir::PrimFunc func, int64_t next_id)
      : func(std::move(func)), next_id(next_id), tree(this->func), primitive_(primitive) {}

  ir::PrimFunc func;  ///< replaced by `finish`
  int64_t next_id;
  Tree tree;  ///< of the program before the rewrite
  std::vector<int64_t> inputs;
  Attributes attrs;  ///< decisions already replaced by their values
  Rng* rng = nullptr;
  const TensorInstructions* instructions = nullptr;
  const std::vector<Decision>* presets = nullptr;
  const std::vector<Decision>* made = nullptr;  ///< all decisions of the trace so far
  std::vector<Decision> decisions;              ///< made by a sampling primitive

  int64_t fresh_id() { return next_id++; }
  std::function<int64_t()> id_source() {
    return [this] { return fresh_id(); };
  }

  /// The operand, or a refusal "…unknown_loop".
  const ir::ForNode& loop(size_t i) const;
  const ir::BlockRealizeNode& block(size_t i) const;
  /// An attribute of the instruction. Throws Error "trace.attribute" when it is missing or of another type.
  const Value& attr(std::string_view name) const;
  int64_t int_attr(std::string_view name) const;
  std::string text_attr(std::string_view name) const;
  const Value::List& list_attr(std::string_view name) const;

  /// Facts of the function and the extents of the given loops.
  arith::Analyzer facts(const std::vector<const ir::ForNode*>& loops = {}) const;
  /// Facts at a loop's or block's place.
  arith::Analyzer facts_at(int64_t id) const;

  /// Refuses. `at` is the loop or block to show.
  [[noreturn]] void refuse(std::string_view what, int64_t at, std::string reason,
                           std::string hint = {}, std::vector<std::string> legal = {},
                           std::string counter_example = {}) const;

  /// Ends every primitive: simplifies the guards, drops those that always hold, restores the rules for allocation
  /// places, verifies, and becomes the new program.
  void finish(ir::Stmt body, std::vector<ir::Buffer> allocs);
  void finish(ir::Stmt body) { finish(std::move(body), func->allocs); }
  /// Set by primitives that move blocks or buffers: `finish` refuses when iterations of a parallel or vectorized loop
  /// would come to write the same elements (so it does where it has to move a buffer itself).
  bool moves_blocks = false;
  /// Set for traces of a time when padding was proved by lowering alone: this step may leave it open.
  bool tails_proved_late = false;
  /// Set while a draft is made: `finish` leaves the checks of the whole program to the schedule that is kept.
  bool draft = false;

  /// Refuses when iterations of a parallel or vectorized loop of the program write the same elements.
  void require_loops_independent() const;

 private:
  void require_loops_independent(const ir::PrimFunc& next) const;
  void require_rolling(const ir::PrimFunc& next) const;
  void require_tails(const ir::PrimFunc& next) const;

  std::string primitive_;
};

/// A loop's name and a block's name for messages.
std::string quoted(const ir::ForNode& loop);
std::string quoted(const ir::BlockRealizeNode& realize);

}  // namespace tilewright::schedule
