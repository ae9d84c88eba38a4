#pragma once

#include <string>
#include <vector>

#include "ir/interp/memory.h"
#include "ir/interp/program.h"

namespace tilewright::ir::interp {

/// Finds accesses that two iterations of a concurrent loop make to one element, one of them a write.
///
/// A serial run executes a tree: a node is one iteration of one run of a concurrent loop. Two accesses
/// are concurrent when their paths from the root part in different iterations of one run of a loop. Each
/// element remembers its last writer and one reader; with nested fork-join loops one reader is enough to
/// find a race on the element when there is one (SP-bags: Feng and Leiserson, "Efficient detection of
/// determinacy races in Cilk programs", SPAA 1997).
///
/// Updates of one reduction by threads of a thread-bound loop are combined by a later step and not races.
class RaceDetector {
 public:
  explicit RaceDetector(const std::vector<Loop>& loops) : loops_(loops) {}

  void enter(uint32_t loop);
  void iterate(int64_t iteration);
  void leave();

  /// Throw Error "interp.race" on a conflict with an earlier access.
  void read(BufferState& buffer, int64_t offset, bool is_update);
  void write(BufferState& buffer, int64_t offset, bool is_update);

 private:
  struct Node {
    uint32_t parent, run, loop, depth;
    int64_t iteration;
  };
  struct Run {
    uint32_t id, loop, outer_node;
  };

  uint32_t event(bool is_update) const { return (current_ + 1) << 1 | uint32_t{is_update}; }
  /// The children, towards each event's node, of the nodes' lowest common ancestor; false if one is the
  /// ancestor of the other.
  bool parting(uint32_t a, uint32_t b, uint32_t& child_a, uint32_t& child_b) const;
  bool concurrent(uint32_t before, uint32_t now) const;
  [[noreturn]] void report(const BufferState& buffer, int64_t offset, uint32_t before,
                           const char* did_before, uint32_t now, const char* does_now) const;

  const std::vector<Loop>& loops_;
  std::vector<Node> nodes_{{0, 0, 0, 0, 0}};
  std::vector<Run> runs_;
  uint32_t current_ = 0;
  uint32_t next_run_ = 1;
};

}  // namespace tilewright::ir::interp
