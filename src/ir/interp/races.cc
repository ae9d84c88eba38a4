#include "ir/interp/races.h"

#include "tilewright/support/error.h"

namespace tilewright::ir::interp {

void RaceDetector::enter(uint32_t loop) { runs_.push_back({next_run_++, loop, current_}); }

void RaceDetector::iterate(int64_t iteration) {
  const Run& run = runs_.back();
  const uint32_t depth = nodes_[run.outer_node].depth + 1;
  if (nodes_.size() >= (size_t{1} << 30)) {
    fail("interp.steps", "too many iterations of concurrent loops for check_races");
  }
  current_ = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({run.outer_node, run.id, run.loop, depth, iteration});
}

void RaceDetector::leave() {
  current_ = runs_.back().outer_node;
  runs_.pop_back();
}

bool RaceDetector::parting(uint32_t a, uint32_t b, uint32_t& child_a, uint32_t& child_b) const {
  child_a = child_b = UINT32_MAX;
  const auto climb = [this](uint32_t& node, uint32_t& child) {
    child = node;
    node = nodes_[node].parent;
  };
  while (nodes_[a].depth > nodes_[b].depth) climb(a, child_a);
  while (nodes_[b].depth > nodes_[a].depth) climb(b, child_b);
  while (a != b) {
    climb(a, child_a);
    climb(b, child_b);
  }
  return child_a != UINT32_MAX && child_b != UINT32_MAX;
}

bool RaceDetector::concurrent(uint32_t before, uint32_t now) const {
  if (before == 0 || (before >> 1) == (now >> 1)) return false;
  uint32_t a, b;
  if (!parting((before >> 1) - 1, (now >> 1) - 1, a, b)) return false;
  if (nodes_[a].run != nodes_[b].run) return false;
  const bool both_updates = before & now & 1;
  return !(both_updates && loops_[nodes_[a].loop].kind == ForKind::kThread);
}

void RaceDetector::report(const BufferState& buffer, int64_t offset, uint32_t before,
                          const char* did_before, uint32_t now, const char* does_now) const {
  uint32_t a, b;
  parting((before >> 1) - 1, (now >> 1) - 1, a, b);
  const Loop& loop = loops_[nodes_[a].loop];
  fail("interp.race",
       "race on buffer '{0}' at {1} (shape {2}): {3} loop '{4}' {5} it in iteration {6} and {7} it "
       "in "
       "iteration {8}",
       buffer.decl->name, index_text(buffer, offset), list_text(buffer.shape), spelling(loop.kind),
       loop.name, did_before, nodes_[a].iteration, does_now, nodes_[b].iteration);
}

void RaceDetector::read(BufferState& buffer, int64_t offset, bool is_update) {
  if (buffer.writer.empty()) {
    buffer.writer.assign(static_cast<size_t>(buffer.count), 0);
    buffer.reader.assign(static_cast<size_t>(buffer.count), 0);
  }
  const uint32_t now = event(is_update);
  const uint32_t writer = buffer.writer[offset];
  if (concurrent(writer, now)) report(buffer, offset, writer, "writes", now, "reads");
  uint32_t& reader = buffer.reader[offset];
  if (!concurrent(reader, now)) reader = now;
}

void RaceDetector::write(BufferState& buffer, int64_t offset, bool is_update) {
  if (buffer.writer.empty()) {
    buffer.writer.assign(static_cast<size_t>(buffer.count), 0);
    buffer.reader.assign(static_cast<size_t>(buffer.count), 0);
  }
  const uint32_t now = event(is_update);
  const uint32_t writer = buffer.writer[offset];
  if (concurrent(writer, now)) report(buffer, offset, writer, "writes", now, "writes");
  const uint32_t reader = buffer.reader[offset];
  if (concurrent(reader, now)) report(buffer, offset, reader, "reads", now, "writes");
  buffer.writer[offset] = now;
}

}  // namespace tilewright::ir::interp
